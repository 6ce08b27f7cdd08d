#include "wire/grpc/acceptor.hpp"

#include <algorithm>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <fcntl.h>

#include "os/descriptors.hpp"
#include "os/thread.hpp"
#include "wire/listening.hpp"

namespace neph::wire {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Code = boost::system::error_code;

constexpr auto full_pause = std::chrono::milliseconds(100);  // after an accept that found no descriptor free
constexpr rlim_t most_left_to_others = 64;

/// The system gives the lowest descriptor that is free: a high one says that those below are taken.
bool is_left_to_others(int descriptor) {
  const auto most = most_descriptors();
  return static_cast<rlim_t>(descriptor) >= most - std::min(most_left_to_others, most / 4);
}

}  // namespace

Status Acceptor::listen(const std::string& address, std::uint16_t port) {
  return listen_on(address, port, acceptor_);
}

std::uint16_t Acceptor::port() const {
  Code ignored;
  return acceptor_.local_endpoint(ignored).port();
}

void Acceptor::run(std::unique_ptr<Server> server) {
  server_ = std::move(server);
  accept();
  thread_ = start_thread("grpc-accept", [this](const std::stop_token&) { io_.run(); });
}

void Acceptor::accept() {
  acceptor_.async_accept([this](Code error, tcp::socket socket) {
    if (!error) {
      take(std::move(socket));
      return accept();
    }
    pause_.expires_after(full_pause);
    pause_.async_wait([this](Code) { accept(); });
  });
}

/// One too many is closed, so that HTTP and the server's own files keep what they need.
void Acceptor::take(tcp::socket socket) {
  if (is_left_to_others(socket.native_handle())) return;
  Code error;
  socket.set_option(tcp::no_delay(true), error);
  socket.native_non_blocking(true, error);
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  if (error) return;
  Server::NewConnectionParameters taken;
  taken.fd = socket.release(error);
  if (!error) server_->HandleNewConnection(&taken);
}

void Acceptor::stop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
  Code ignored;
  acceptor_.close(ignored);
}

}  // namespace neph::wire
