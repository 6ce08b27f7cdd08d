// Takes connections for a server of the gRPC library.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include <grpcpp/grpcpp.h>

#include "core/result.hpp"

namespace neph::wire {

/// The library's own way (1.51) takes no connection any more, for good, once it has found no descriptor free,
/// and leaves none for others in the process. One thread, which only takes.
class Acceptor {
 public:
  using Server = grpc::experimental::ExternalConnectionAcceptor;

  ~Acceptor() { stop(); }
  /// As listen_on.
  Status listen(const std::string& address, std::uint16_t port);
  std::uint16_t port() const;
  void run(std::unique_ptr<Server> server);
  /// Takes none any more: the server must not be given one when it is shutting down.
  void stop();

 private:
  void accept();
  void take(boost::asio::ip::tcp::socket socket);

  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_{io_};
  boost::asio::steady_timer pause_{io_};
  std::unique_ptr<Server> server_;
  std::jthread thread_;
};

}  // namespace neph::wire
