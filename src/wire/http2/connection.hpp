// One connection of gRPC: HTTP/2 by nghttp2, calls with their messages, and what each may take.
//
// Memory that a client can have before its request is with the service: the header fields that matter (at
// most 16 KiB a call), the message that it announced, up to the limit, and what that is unpacked and decoded
// to, up to the same limit. A token is looked at before any of the message is kept.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "wire/grpc_listener.hpp"
#include "wire/http2/call.hpp"
#include "wire/stream.hpp"
#include "wire/tcp_listener.hpp"

namespace neph::wire {

using GrpcThread = ConnectionThread<GrpcConnection, GrpcOptions>;

/// All its functions are called on its thread, but for GrpcTurn::finish(). It lives as long as something is
/// under way for it.
class GrpcConnection final : public std::enable_shared_from_this<GrpcConnection> {
 public:
  /// A connection too many is not taken, so that HTTP and the server's own files have what they need.
  static constexpr bool leaves_descriptors = true;

  GrpcConnection(GrpcThread& home, boost::asio::ip::tcp::socket socket);
  ~GrpcConnection();
  GrpcConnection(const GrpcConnection&) = delete;
  GrpcConnection& operator=(const GrpcConnection&) = delete;

  void begin();
  void check_timeouts(Moment now);
  /// Since when it has had no call; empty: it has one.
  std::optional<Moment> idle_since() const;
  void close();
  /// Takes no new call and no new message; it ends behind the answers that are under way.
  void wind_down();

  GrpcThread& home() { return home_; }
  /// The service has finished with a turn.
  void answer(GrpcTurn& turn);

 private:
  using Code = boost::system::error_code;
  struct Callbacks;

  static constexpr std::size_t read_bytes = 16 << 10;

  bool start_session();
  void read();
  void on_read(Code error, std::size_t bytes);
  void flush();
  void collect();
  void on_written(Code error);
  void put(const std::uint8_t* bytes, std::size_t size);
  void linger();

  void begin_call(std::int32_t stream);
  void on_header(GrpcCall& call, std::string_view name, std::string_view value);
  void on_headers_end(GrpcCall& call);
  bool is_authorised(const GrpcCall& call) const;
  void on_data(GrpcCall& call, std::string_view data);
  bool take_data(GrpcCall& call, std::string_view& data);
  void begin_message(GrpcCall& call, std::string_view data);
  void on_message(GrpcCall& call);
  void on_end(GrpcCall& call);
  void forget(std::int32_t stream);
  void take_messages(GrpcCall& call, std::string_view& data);
  void take_waiting(GrpcCall& call);
  void drop_waiting(GrpcCall& call);
  std::uint64_t most_bytes_of(const GrpcCall& call) const;
  Status unpack_message(GrpcTurn& turn);

  void serve(GrpcTurn& turn);
  template <class Work, class Then>
  void serve_in(boost::asio::thread_pool& pool, GrpcTurn& turn, Work work, Then then);
  Status read_request(GrpcTurn& turn);
  void serve_inference(GrpcTurn& turn, Status read);
  Result<std::string> answer_message(GrpcTurn& turn);
  void finish_message(GrpcTurn& turn, Result<std::string> message);
  void watch();
  void look_at_watched();
  void make_ready(GrpcTurn& turn);
  void send(GrpcCall& call);
  void end(GrpcCall& call, GrpcStatus status, std::string message);
  void end_if_over(GrpcCall& call);
  void respond(GrpcCall& call, int http_status);
  static nghttp2_data_source_read_callback data_callback();
  ssize_t next_bytes(GrpcCall& call, std::size_t most, std::uint32_t& flags);
  void put_data(GrpcCall& call, const std::uint8_t* head, std::size_t bytes);
  Nanoseconds allowed(std::uint64_t bytes) const;

  std::unique_ptr<GrpcTurn> take_turn(GrpcCall& call);
  void give_back(std::unique_ptr<GrpcTurn> turn);

  GrpcThread& home_;
  Stream stream_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::vector<char> in_;
  std::map<std::int32_t, std::shared_ptr<GrpcCall>> calls_;
  std::size_t unfinished_turns_ = 0;  ///< also of calls that their client has given up
  std::vector<std::unique_ptr<GrpcTurn>> spare_turns_;

  /// A write that is under way, or is being put together: what nghttp2 made, in `control`, and data of turns.
  struct Outgoing {
    struct Piece {
      const std::byte* data;  ///< null: `size` bytes of `control`, behind those before
      std::size_t size;
    };
    std::string control;
    std::vector<Piece> pieces;
    std::vector<boost::asio::const_buffer> buffers;
    std::size_t bytes = 0;
    std::vector<std::unique_ptr<GrpcTurn>> turns;  ///< that end with it
    std::vector<std::shared_ptr<GrpcCall>> calls;  ///< whose turns go on behind it
  } out_;

  bool in_handshake_ = false, reading_ = false, receiving_ = false, writing_ = false;
  bool lingering_ = false, closed_ = false;
  bool watching_ = false;  ///< the timer runs
  boost::asio::steady_timer watch_timer_;
  Moment idle_since_, spare_since_{}, write_due_ = Moment::max();
};

}  // namespace neph::wire
