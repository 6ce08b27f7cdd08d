#include "wire/listening.hpp"

#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <fmt/format.h>

namespace neph::wire {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

Status listen_on(const std::string& address, std::uint16_t port, tcp::acceptor& acceptor) {
  boost::system::error_code error;
  const auto known = asio::ip::make_address(address, error);
  if (error)
    return fail(ErrorCode::invalid_argument,
                "'{}' is no address to listen on; 127.0.0.1 is this machine alone, "
                "0.0.0.0 all its networks",
                address);
  const tcp::endpoint endpoint(known, port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return tl::unexpected(system_error(fmt::format("cannot listen on {}:{}", address, port), error.value()));
  return {};
}

}  // namespace neph::wire
