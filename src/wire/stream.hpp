// The bytes of one TCP connection, in the clear or through TLS: what Asio and Beast read from and write to.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

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

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_read_some(buffers, std::forward<Handler>(handler))
         : socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_write_some(buffers, std::forward<Handler>(handler))
         : socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  using Tls = boost::asio::ssl::stream<Socket&>;
  void expect(const std::string& host);

  Socket socket_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace neph::wire
