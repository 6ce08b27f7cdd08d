// One HTTP connection: reads a request, has it answered, writes the reply, and begins again.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include "wire/http/body.hpp"
#include "wire/http/body_memory.hpp"
#include "wire/http/gzip.hpp"
#include "wire/http/listener.hpp"
#include "wire/http/rest_reply.hpp"
#include "wire/min_transfer_rate.hpp"
#include "wire/stream.hpp"
#include "wire/tcp_listener.hpp"

namespace neph::wire {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

/// Where the JSON of a body ends and its tensors begin.
inline constexpr std::string_view json_length_header = "Inference-Header-Content-Length";

class HttpConnection;

using HttpThread = ConnectionThread<HttpConnection, HttpOptions>;

/// All its functions are called on its thread, but for finish(). It lives as long as something is under way
/// for it.
class HttpConnection final : public Exchange, public std::enable_shared_from_this<HttpConnection> {
 public:
  /// The last descriptors are HTTP's.
  static constexpr bool leaves_descriptors = false;

  HttpConnection(HttpThread& home, asio::ip::tcp::socket socket);
  ~HttpConnection() override;

  void begin();
  void finish(Status status) override;

  /// Closes it if it has taken too long for what it is doing; takes the memory of one that has been idle for
  /// a while.
  void check_timeouts(Moment now);
  /// Since when it has been waiting for a request; empty: it has one.
  std::optional<Moment> idle_since() const;
  void close();
  /// It ends after the answer that is under way; at once if there is none.
  void wind_down();

 private:
  using Code = boost::system::error_code;
  enum class Doing { waiting, reading, serving, writing, lingering, ending };

  /// JSON to read or write, or bytes to unpack or pack, that take more than about a millisecond.
  static constexpr std::size_t heavy_bytes = std::size_t{256} << 10;
  static constexpr std::size_t first_read_bytes = 8192;

  /// A handler that keeps the connection alive until it has run.
  template <class Function>
  auto then(Function function) {
    return [self = shared_from_this(), function](Code error, std::size_t = 0) { ((*self).*function)(error); };
  }
  void allow_s(double seconds);
  void release_idle_buffers();
  void refuse_rest();
  void read_header();
  void read_more();
  void on_more(Code error, std::size_t bytes);
  void probe_half_close();
  void parse_header();
  void on_header();
  void send_100_continue();
  void refuse(const Error& error, int status = 0);
  void refuse_header(Code error);
  void limit_body(std::uint64_t bytes);
  void refuse_body();
  bool is_authorised() const;
  void read_known_body(std::uint64_t length);
  void read_chunked_body();
  void on_chunk(Code error);
  void on_body(Code error);
  void make(bool heavy, Status (HttpConnection::*work)(), void (HttpConnection::*next)(Status));
  Status read_request();
  void serve(Status read);
  void answer();
  Status write_reply();
  void answer_inference(Status written);
  void answer_small(const RestReply& said);
  void pack_parts();
  void write(int status, std::string_view type, std::optional<std::size_t> json_bytes);
  void on_written(Code error);
  void end();
  void linger();
  void discard(Code error);

  HttpThread& home_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::buffer_body>> parser_;
  std::uint64_t most_body_bytes_ = 0;
  BodyMemory body_, unpacked_;
  Coding body_coding_ = Coding::identity, reply_coding_ = Coding::identity;
  Route route_{};
  std::optional<std::uint64_t> json_bytes_;
  OutgoingBody out_;
  std::vector<std::span<const std::byte>> parts_;
  std::string head_, packed_, small_, timing_;
  std::vector<asio::const_buffer> pieces_;
  Status outcome_;
  Doing doing_ = Doing::waiting;
  Moment since_, due_;
  Nanoseconds waited_{};           ///< what was read last, in the socket
  Nanoseconds unseen_{};           ///< the request's beginning, the same
  bool buffers_released_ = false;  ///< has given back its memory
  bool in_handshake_ = false;      ///< the handshake is under way, in a thread of its own
  bool reading_ = false;           ///< read_more() is under way
  bool is_packed_ = false;         ///< the reply
  bool keep_alive_ = true;
  bool unread_ = false;  ///< its end has not come: after a refusal nobody knows where the next one begins
  std::shared_ptr<HttpConnection> self_;  ///< while the service has it
};

}  // namespace neph::wire
