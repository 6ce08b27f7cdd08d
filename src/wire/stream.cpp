#include "wire/stream.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

namespace neph::wire {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;

/// TLS 1.2 at least: what is older is broken (RFC 8996).
Result<std::unique_ptr<TlsContext>> context_of(const TlsTexts& texts) {
  auto context = std::make_unique<TlsContext>(ssl::context::tls);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);  // 34 KB of each idle connection
  boost::system::error_code error;
  if (!texts.certificate.empty()) {
    context->use_certificate_chain(asio::buffer(texts.certificate), error);
    if (!error) context->use_private_key(asio::buffer(texts.key), ssl::context::pem, error);
  }
  if (!error && !texts.ca.empty()) context->add_certificate_authority(asio::buffer(texts.ca), error);
  if (error)
    return fail(ErrorCode::invalid_argument, "TLS does not take the certificate: {}", error.message());
  return context;
}

Nanoseconds time_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

/// The kernel's notes are of the clock of day; how far it is ahead of the one that nobody sets shows when it
/// was set. Further apart than two readings of it a moment apart: the clock of day was set between them.
constexpr Nanoseconds clock_was_set = std::chrono::milliseconds(1);

/// At `now` of the clock of day, since the kernel got the last of what was received.
Nanoseconds age_of(const msghdr& message, Nanoseconds now) {
  for (auto* note = CMSG_FIRSTHDR(&message); note != nullptr;
       note = CMSG_NXTHDR(const_cast<msghdr*>(&message), note)) {
    if (note->cmsg_level != SOL_SOCKET || note->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec arrived{};
    std::memcpy(&arrived, CMSG_DATA(note), sizeof arrived);
    const auto age = now - std::chrono::seconds(arrived.tv_sec) - Nanoseconds(arrived.tv_nsec);
    return std::max(Nanoseconds(0), age);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TlsContext>> tls_context(const TlsServer& options) {
  NEPH_TRY(const auto texts, read_tls(options));
  if (!texts.wanted()) return nullptr;
  NEPH_TRY(auto context, context_of(texts));
  if (!texts.ca.empty()) context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return context;
}

Result<std::unique_ptr<TlsContext>> tls_context(const TlsClient& options) {
  NEPH_TRY(const auto texts, read_tls(options));
  NEPH_TRY(auto context, context_of(texts));
  boost::system::error_code none;  // of a system without CAs: then no server is believed
  if (texts.ca.empty()) context->set_default_verify_paths(none);
  context->set_verify_mode(ssl::verify_peer);
  return context;
}

/// The name goes out with the first message, so that a server of several names shows the right certificate;
/// an address may not (RFC 6066, 3).
void Stream::expect(const std::string& host) {
  boost::system::error_code no_address;
  asio::ip::make_address(host, no_address);
  if (no_address) SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str());
  tls_->set_verify_callback(ssl::host_name_verification(host));
}

std::string Stream::words_of(Code error) const {
  if (error == asio::error::eof || error == ssl::error::stream_truncated)
    return "the other side closed the connection";
  const bool of_tls = error.category() == asio::error::get_ssl_category();
  if (!of_tls || !tls_) return error.message();
  const auto verified = SSL_get_verify_result(tls_->native_handle());
  if (verified == X509_V_OK) {
    if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_CERTIFICATE_VERIFY_FAILED)
      return "the server's certificate is of another name; server_name says which one to expect";
    return "TLS: " + error.message();
  }
  return std::string("TLS: the certificate is not believed: ") + X509_verify_cert_error_string(verified);
}

void Stream::note_arrivals() {
  notes_arrivals_ = true;
  const int on = 1;  // where the kernel cannot, no read has a note
  ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  day_ahead_ = time_of(CLOCK_REALTIME) - time_of(CLOCK_MONOTONIC);
}

std::size_t Stream::receive(asio::mutable_buffer buffer, Code& error) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(timespec))> notes;
  iovec piece{.iov_base = buffer.data(), .iov_len = buffer.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = notes.data();
  message.msg_controllen = notes.size();
  const auto bytes = ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT);
  if (bytes < 0) {
    error = Code(errno, asio::error::get_system_category());
    return 0;
  }
  if (bytes == 0) error = asio::error::eof;
  const auto now = time_of(CLOCK_REALTIME), ahead = now - time_of(CLOCK_MONOTONIC);
  const bool comparable = std::chrono::abs(ahead - std::exchange(day_ahead_, ahead)) < clock_was_set;
  waited_ = comparable ? age_of(message, now) : Nanoseconds(0);
  return static_cast<std::size_t>(bytes);
}

void Stream::close() {
  Code ignored;
  socket_.close(ignored);
}

void Stream::acknowledge() {
  const int on = 1;
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

Stream::Idle Stream::idle() {
  pollfd seen{.fd = socket_.native_handle(), .events = POLLIN | POLLRDHUP, .revents = 0};
  const bool is_buffered = tls_ && BIO_pending(SSL_get_rbio(tls_->native_handle())) > 0;
  if (!is_buffered && ::poll(&seen, 1, 0) <= 0) return Idle::quiet;
  std::array<char, 12> begin{};
  Code error;
  socket_.non_blocking(true, error);
  const auto buffer = asio::buffer(begin);
  const auto bytes = tls_ ? tls_->read_some(buffer, error) : socket_.read_some(buffer, error);
  if (error == asio::error::would_block) return Idle::quiet;  // TLS's own: a ticket, new keys
  return error || std::string_view(begin.data(), bytes).ends_with(" 408") ? Idle::closed : Idle::spoke;
}

}  // namespace neph::wire
