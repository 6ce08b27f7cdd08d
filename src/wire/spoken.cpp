#include "wire/spoken.hpp"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

namespace neph::wire {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Code = boost::system::error_code;
using namespace std::string_view_literals;

/// A client's preface with empty settings (RFC 9113, 3.4); HTTP/1 has an answer to its first line too.
constexpr auto first_words = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"sv;
constexpr std::size_t frame_head_bytes = 9;
/// What a handshake offers, each with its length before it (RFC 7301).
constexpr auto http_alone = "\x08http/1.1"sv, either = "\x02h2\x08http/1.1"sv;

/// A server's first frame holds its settings.
bool is_settings_frame(std::string_view bytes) { return bytes.size() >= frame_head_bytes && bytes[3] == 4; }

/// One connection for one question.
class Question {
 public:
  Question(const Endpoint& endpoint, Nanoseconds wait) : end_(std::chrono::steady_clock::now() + wait) {
    Code error;
    const auto found = tcp::resolver(io_).resolve(endpoint.host, std::to_string(endpoint.port), error);
    is_connected_ = !error && done([&](auto then) { asio::async_connect(socket_, found, then); });
  }

  bool is_connected() const { return is_connected_; }
  /// What comes first from the other side.
  std::string answer() {
    std::array<char, frame_head_bytes> bytes{};
    if (!is_connected_ ||
        !done([&](auto then) { asio::async_write(socket_, asio::buffer(first_words), then); }) ||
        !done([&](auto then) { asio::async_read(socket_, asio::buffer(bytes), then); }))
      return {};
    return {bytes.data(), bytes.size()};
  }

  /// The protocol that was agreed on in a handshake, which need not be one; empty: none came about.
  std::optional<std::string> agreed_in_tls(std::string_view offered) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    asio::ssl::stream<tcp::socket&> tls(socket_, context);
    SSL_set_alpn_protos(tls.native_handle(), reinterpret_cast<const unsigned char*>(offered.data()),
                        static_cast<unsigned>(offered.size()));
    if (!is_connected_ ||
        !done([&](auto then) { tls.async_handshake(asio::ssl::stream_base::client, then); }))
      return std::nullopt;
    const unsigned char* name = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(tls.native_handle(), &name, &length);
    return std::string(name, name + length);
  }

 private:
  /// Whether what is started ends well in time.
  template <class Start>
  bool done(Start start) {
    bool is_well = false;
    start([&is_well](Code error, auto&&...) { is_well = !error; });
    io_.restart();
    io_.run_until(end_);
    if (!io_.stopped()) {  // what was started still refers to this call
      Code ignored;
      socket_.close(ignored);
      io_.run();
    }
    return is_well;
  }

  asio::io_context io_{1};
  tcp::socket socket_{io_};
  const std::chrono::steady_clock::time_point end_;
  bool is_connected_ = false;
};

}  // namespace

std::optional<Endpoint> spoken_at(const Endpoint& endpoint, Nanoseconds wait) {
  if (!Question(endpoint, wait).is_connected()) return std::nullopt;  // nor will it be for the others
  auto spoken = endpoint;
  spoken.secure = true;
  if (endpoint.protocol == Protocol::http &&  // many speak HTTP/2 too, and would choose it
      Question(endpoint, wait).agreed_in_tls(http_alone) == "http/1.1")
    return spoken;
  if (const auto agreed = Question(endpoint, wait).agreed_in_tls(either)) {
    spoken.protocol = *agreed == "h2" ? Protocol::grpc : Protocol::http;
    return spoken;
  }
  spoken.secure = false;
  const auto answer = Question(endpoint, wait).answer();
  if (!answer.starts_with("HTTP/1.") && !is_settings_frame(answer)) return std::nullopt;
  spoken.protocol = answer.starts_with("HTTP/1.") ? Protocol::http : Protocol::grpc;
  return spoken;
}

}  // namespace neph::wire
