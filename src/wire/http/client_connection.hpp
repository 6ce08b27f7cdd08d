// One connection of an HTTP client, and the call that is on it.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "wire/client.hpp"
#include "wire/http/body.hpp"
#include "wire/http/body_glance.hpp"
#include "wire/http/chunks.hpp"
#include "wire/http/reply_head.hpp"
#include "wire/stream.hpp"

namespace neph::wire {

/// Head, JSON and tensors of a request, ready for the socket.
struct HttpOutgoing final : Outgoing {
  bool is_inference = false;
  std::string head;
  OutgoingBody body;
  std::vector<boost::asio::const_buffer> pieces;
};

/// A connection and the call that is on it, if any.
class HttpClientConnection {
 public:
  /// What it asks of the client that it belongs to.
  class Home {
   public:
    virtual const std::vector<boost::asio::ip::tcp::endpoint>& addresses() const = 0;
    virtual Moment now() const = 0;
    virtual TlsContext* tls() const = 0;  ///< null: in the clear
    virtual const std::string& server_name() const = 0;
    /// The connection is free if it is quiet, else once it says settled().
    virtual void ended(HttpClientConnection& connection, Call& call) = 0;
    virtual void settled(HttpClientConnection& connection) = 0;

   protected:
    ~Home() = default;
  };

  HttpClientConnection(Home& home, boost::asio::io_context& io) : home_(home), stream_(io) {}
  void carry(Call& call);
  void close();
  Call* call() const { return call_; }
  /// Closes an idle connection that the server has closed, or on which it sent a reply to nothing: each byte
  /// from then on could belong to another request than it seems.
  void look();
  void acknowledge() { stream_.acknowledge(); }
  std::int64_t stray_replies() const { return stray_replies_; }
  /// Nothing of an earlier call is under way: a write that was cut off, for one, would write into the next.
  bool quiet() const { return pending_ == 0; }

 private:
  /// A handler of this call alone; of a call that has ended meanwhile nothing is done but to settle.
  template <class Function>
  auto then(Function function) {
    ++pending_;
    return [this, turn = turn_, function](Stream::Code error, auto&&... more) {
      --pending_;
      if (turn == turn_ && call_ != nullptr) function(error, more...);
      settle();
    };
  }
  void start();
  void connect();
  void greet();
  void begin();
  void write();
  void read();
  void on_read(Stream::Code error, std::size_t bytes);
  bool ends_body(Stream::Code error) const;
  void take(std::size_t bytes);
  void begin_body();
  void take_body(std::string_view piece);
  void finish();
  bool is_inference() const { return static_cast<const HttpOutgoing&>(*call_->request).is_inference; }
  void fail_with(Stream::Code error);
  void refuse(Error error);
  bool is_late() const;
  void settle();
  void shut();
  void end(Status outcome);

  Home& home_;
  Stream stream_;
  Call* call_ = nullptr;
  std::array<char, 64 << 10> buffer_;
  std::vector<boost::asio::const_buffer> pieces_;  ///< of the request
  std::string head_, body_;  ///< the body of a reply that is kept, or that tells an error
  HttpReplyHead reply_;
  bool has_head_ = false;
  bool is_sent_ = false;    ///< the request went out, as far as the connection took it
  bool unsettled_ = false;  ///< waits until it is quiet, to be free
  int pending_ = 0;         ///< handlers to come
  std::int64_t stray_replies_ = 0;
  std::uint64_t left_ = 0;  ///< bytes of the body to come, or that may come before the connection's end
  Chunks chunks_{0};
  BodyGlance glance_;  ///< at a body that is not kept
  std::string right_;  ///< of the last right one: see BodyGlance::check
  /// Counts calls, so that what a closed one left behind is not taken for this one's.
  std::uint64_t turn_ = 0;
};

}  // namespace neph::wire
