// The bytes of one TCP connection, in the clear or through TLS: what Asio and Beast read from and write to.
#pragma once

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include "core/clock.hpp"
#include "wire/tls.hpp"

namespace neph::wire {

using TlsContext = boost::asio::ssl::context;

/// Empty: in the clear.
Result<std::unique_ptr<TlsContext>> tls_context(const TlsServer& options);
Result<std::unique_ptr<TlsContext>> tls_context(const TlsClient& options);

class Stream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using executor_type = Socket::executor_type;
  using Code = boost::system::error_code;

  explicit Stream(Socket socket) : socket_(std::move(socket)) {}
  explicit Stream(boost::asio::io_context& io) : socket_(io) {}  ///< to be connected
  executor_type get_executor() { return socket_.get_executor(); }
  Socket& socket() { return socket_; }
  bool is_secure() const { return tls_ != nullptr; }
  /// From now on the kernel notes when bytes arrive, which costs a system call a read. Where no other program
  /// of the machine wants that, it begins a moment later.
  void note_arrivals();
  bool notes_arrivals() const { return notes_arrivals_; }

  /// The server's side of the handshake.
  template <class Handler>
  void async_accept(TlsContext& context, Handler&& handler) {
    tls_ = std::make_unique<Tls>(socket_, context);
    tls_->async_handshake(Tls::server, std::forward<Handler>(handler));
  }
  /// The client's, with a server whose certificate must be of `host`.
  template <class Handler>
  void async_connect(TlsContext& context, const std::string& host, Handler&& handler) {
    tls_ = std::make_unique<Tls>(socket_, context);
    expect(host);
    tls_->async_handshake(Tls::client, std::forward<Handler>(handler));
  }
  /// Says that nothing more will be written.
  template <class Handler>
  void async_farewell(Handler&& handler) {
    tls_->async_shutdown(std::forward<Handler>(handler));
  }
  /// What was wrong, in words; of a handshake that failed with the reason that the other's certificate gave.
  std::string words_of(Code error) const;
  void close();
  /// An idle connection: the other side has closed it, so that what is sent on it would be lost, or has sent
  /// what is no answer to anything. A farewell with the status 408 counts as closed.
  enum class Idle { quiet, closed, spoke };
  /// Waits for nothing; one system call where it is quiet.
  Idle idle();
  /// Acknowledges now what has come: another side with Nagle's algorithm may wait for that to send more.
  void acknowledge();

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_read_some(buffers, std::forward<Handler>(handler))
         : socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  /// As async_read_some, and afterwards waited() tells of it.
  template <class Handler>
  void async_read_noted(boost::asio::mutable_buffer buffer, Handler&& handler) {
    waited_ = {};
    if (tls_ || !notes_arrivals_) return async_read_some(buffer, std::forward<Handler>(handler));
    // Waits by looking: async_wait would have the kernel told each time what is waited for.
    const auto glance = boost::asio::buffer(buffer, most_glanced_bytes);
    socket_.async_receive(
        glance, Socket::message_peek,
        [this, buffer, handler = std::forward<Handler>(handler)](Code error, std::size_t) mutable {
          const auto bytes = error ? 0 : receive(buffer, error);
          handler(error, bytes);
        });
  }
  /// How long the last of what async_read_noted() gave had been in the kernel before it was read; nothing
  /// where that is not known: through TLS, if arrivals are not noted, or if the clock of day has been set.
  Nanoseconds waited() const { return waited_; }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_write_some(buffers, std::forward<Handler>(handler))
         : socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  using Tls = boost::asio::ssl::stream<Socket&>;
  static constexpr std::size_t most_glanced_bytes = 1024;  ///< copied twice

  void expect(const std::string& host);
  std::size_t receive(boost::asio::mutable_buffer buffer, Code& error);

  Socket socket_;
  bool notes_arrivals_ = false;
  Nanoseconds waited_{};
  Nanoseconds day_ahead_{};  ///< the clock of day, at the last look
  std::unique_ptr<Tls> tls_;
};

}  // namespace neph::wire
