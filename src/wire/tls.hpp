// TLS, alike for HTTP and gRPC: which files it needs, and what must be true of them before anybody listens or
// connects.
#pragma once

#include <string>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::wire {

/// Of a listener. Without a certificate it speaks in the clear.
struct TlsServer {
  std::string certificate;
  std::string key;
  std::string client_ca;
};
template <class Visit, Describes<TlsServer> Self>
void describe(Visit&& v, Self& s) {
  v("certificate", s.certificate, "file (PEM) of the server's certificate and those between it and its CA");
  v("key", s.key, "file (PEM) of the certificate's private key, without a password");
  v("client_ca", s.client_ca, "file (PEM) of the CA that every client's certificate must come from");
}

/// Of a client of https:// and grpcs://.
struct TlsClient {
  std::string ca;
  std::string certificate;
  std::string key;
  std::string server_name;
};
template <class Visit, Describes<TlsClient> Self>
void describe(Visit&& v, Self& s) {
  v("ca", s.ca, "file (PEM) of the CA that the server's certificate must come from; empty: the system's");
  v("certificate", s.certificate, "file (PEM) of a certificate for servers that demand one");
  v("key", s.key, "file (PEM) of that certificate's private key, without a password");
  v("server_name", s.server_name, "that the server's certificate must have; empty: the host of the address");
}

/// What stands in those files; empty where none was named.
struct TlsTexts {
  std::string certificate, key, ca;
  bool wanted() const { return !certificate.empty(); }
};

/// Reads the files and checks them. Errors name the file: not_found, unavailable (no permission), corrupt
/// (not PEM, a key with a password), invalid_argument (a certificate that has expired or is not valid yet, a
/// key of another certificate, one without the other).
Result<TlsTexts> read_tls(const TlsServer& options);
Result<TlsTexts> read_tls(const TlsClient& options);

}  // namespace neph::wire
