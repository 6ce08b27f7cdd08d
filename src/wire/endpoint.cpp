#include "wire/endpoint.hpp"

#include <charconv>

#include <fmt/format.h>

#include "core/names.hpp"

namespace neph::wire {

std::string Endpoint::text() const {
  return fmt::format("{}{}://{}", enum_name(protocol), secure ? "s" : "", address());
}

std::string Endpoint::address() const {
  const bool brackets = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::invalid_argument, "'{}': {}; write it as http://HOST:8000 or grpc://HOST:8001",
                text, why);
  };
  const auto end_of_scheme = text.find("://");
  if (end_of_scheme == std::string_view::npos) {
    if ((text.find(':') == std::string_view::npos && text != "localhost") || text.find(":/") != text.npos)
      return wrong("no protocol before ://");
    return parse_endpoint(fmt::format("http://{}", text));
  }
  const auto scheme = text.substr(0, end_of_scheme);
  const bool secure = scheme.ends_with('s');
  const auto protocol = enum_value<Protocol>(scheme.substr(0, scheme.size() - (secure ? 1 : 0)));
  if (!protocol)
    return wrong(unknown_name(ErrorCode::invalid_argument, "protocol", scheme, enum_choices<Protocol>())
                     .value()
                     .text());
  Endpoint endpoint{.protocol = *protocol,
                    .port = static_cast<std::uint16_t>(*protocol == Protocol::http ? 8000 : 8001),
                    .secure = secure};

  auto rest = text.substr(end_of_scheme + 3);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != rest.npos) return wrong("no path is wanted after host and port");
  if (rest.starts_with('[')) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return wrong("no ] behind the address");
    endpoint.host = rest.substr(1, close - 1);
    rest = rest.substr(close + 1);
  } else {
    const auto colon = rest.find(':');
    endpoint.host = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon);
  }
  if (endpoint.host.empty()) return wrong("no host");
  if (endpoint.host.find_first_of("/?#@ \t\r\n") != std::string::npos)
    return wrong("only a host and a port belong there");
  if (rest.empty()) return endpoint;
  const auto digits = rest.substr(1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
  if (rest[0] != ':' || read.ec != std::errc{} || read.ptr != digits.data() + digits.size() ||
      endpoint.port == 0)
    return wrong("the port is no number from 1 to 65535");
  return endpoint;
}

bool is_loopback(const Endpoint& endpoint) {
  return endpoint.host == "localhost" || endpoint.host == "::1" || endpoint.host.starts_with("127.");
}

}  // namespace neph::wire
