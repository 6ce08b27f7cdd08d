#include "wire/tls.hpp"

#include <memory>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "os/file.hpp"

namespace neph::wire {
namespace {

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* thing) const {
    free(thing);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

Bio bio_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string date_of(const ASN1_TIME* time) {
  const Bio out(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(out.get(), time);
  char* text = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

/// The first certificate of the text; all of them must be readable, and valid today.
Result<Certificate> certificate_of(const std::string& file, const std::string& text) {
  const auto bio = bio_of(text);
  Certificate first;
  for (;;) {
    Certificate next(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!next) break;
    if (X509_cmp_current_time(X509_get0_notAfter(next.get())) < 0)
      return fail(ErrorCode::invalid_argument, "{}: the certificate expired on {}; make a new one", file,
                  date_of(X509_get0_notAfter(next.get())));
    if (X509_cmp_current_time(X509_get0_notBefore(next.get())) > 0)
      return fail(ErrorCode::invalid_argument,
                  "{}: the certificate is not valid before {}; is this machine's clock right?", file,
                  date_of(X509_get0_notBefore(next.get())));
    if (!first) first = std::move(next);
  }
  const auto end = ERR_GET_REASON(ERR_peek_last_error());
  ERR_clear_error();
  if (!first || end != PEM_R_NO_START_LINE)
    return fail(ErrorCode::corrupt, "{}: {}; a certificate file (PEM) is wanted", file,
                first ? "a certificate in it is broken" : "no certificate in it");
  return first;
}

Result<Key> key_of(const std::string& file, const std::string& text) {
  const auto no_password = [](char*, int, int, void*) { return 0; };
  Key key(PEM_read_bio_PrivateKey(bio_of(text).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (!key)
    return fail(ErrorCode::corrupt,
                "{}: no private key in it that can be read without a password; a key file (PEM) is wanted",
                file);
  return key;
}

Status read_pair(const std::string& certificate_file, const std::string& key_file, TlsTexts& texts) {
  if (certificate_file.empty() && key_file.empty()) return {};
  if (certificate_file.empty() || key_file.empty())
    return fail(ErrorCode::invalid_argument, "{}: a {} for it is wanted too", certificate_file + key_file,
                key_file.empty() ? "key" : "certificate");
  NEPH_TRY(texts.certificate, read_file(certificate_file));
  NEPH_TRY(texts.key, read_file(key_file));
  NEPH_TRY(const auto certificate, certificate_of(certificate_file, texts.certificate));
  NEPH_TRY(const auto key, key_of(key_file, texts.key));
  const bool fits = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!fits) return fail(ErrorCode::invalid_argument, "{} is not the key of {}", key_file, certificate_file);
  return {};
}

Status read_ca(const std::string& file, TlsTexts& texts) {
  if (file.empty()) return {};
  NEPH_TRY(texts.ca, read_file(file));
  NEPH_CHECK(certificate_of(file, texts.ca));
  return {};
}

}  // namespace

Result<TlsTexts> read_tls(const TlsServer& options) {
  TlsTexts texts;
  NEPH_CHECK(read_pair(options.certificate, options.key, texts));
  NEPH_CHECK(read_ca(options.client_ca, texts));
  if (!texts.ca.empty() && !texts.wanted())
    return fail(ErrorCode::invalid_argument,
                "{}: clients can be asked for certificates only by a server that has one", options.client_ca);
  return texts;
}

Result<TlsTexts> read_tls(const TlsClient& options) {
  TlsTexts texts;
  NEPH_CHECK(read_pair(options.certificate, options.key, texts));
  NEPH_CHECK(read_ca(options.ca, texts));
  return texts;
}

}  // namespace neph::wire
