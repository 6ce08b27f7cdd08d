#include "workload/infer/request_parts.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace neph::workload {
namespace {

Nanoseconds time_told(const wire::StageTimes& server) {
  return server.socket + server.decode + server.queue + server.batch + server.infer + server.encode;
}

/// What the server does not tell of. Not below nothing: it tells in microseconds.
Nanoseconds outside_server(const InferTimes& t) {
  const auto told = time_told(t.server);
  return std::max(Nanoseconds(0), t.done - t.issued - told);
}

/// A server on the same machine may begin, and even end, before the client's call to send returns: it has
/// taken the client's core. That time is the server's.
Nanoseconds send_time(const InferTimes& t) { return std::min(t.send, outside_server(t)); }

Nanoseconds transport_time(const InferTimes& t) { return outside_server(t) - send_time(t); }

constexpr std::string_view transport = "transport";
constexpr std::string_view server_socket = "server_socket";  // over HTTP in the clear only
constexpr std::array all_parts = {
    RequestPart{"send", send_time},
    RequestPart{transport, transport_time},
    RequestPart{server_socket, [](const InferTimes& t) { return t.server.socket; }},
    RequestPart{"server_decode", [](const InferTimes& t) { return t.server.decode; }},
    RequestPart{"server_queue", [](const InferTimes& t) { return t.server.queue; }},
    RequestPart{"server_batch", [](const InferTimes& t) { return t.server.batch; }},
    RequestPart{"server_infer", [](const InferTimes& t) { return t.server.infer; }},
    RequestPart{"server_encode", [](const InferTimes& t) { return t.server.encode; }},
    RequestPart{"receive", [](const InferTimes& t) { return t.receive; }}};

}  // namespace

std::vector<RequestPart> known_parts(std::span<const InferTimes> requests, bool served) {
  if (!served) return {};
  const auto any = [&](auto time_of) {
    return std::any_of(requests.begin(), requests.end(),
                       [&](const InferTimes& times) { return time_of(times).count() > 0; });
  };
  const bool told = any([](const InferTimes& times) { return time_told(times.server); });
  const auto known = [&](const RequestPart& part) {
    if (part.name == transport) return true;
    return part.name.starts_with("server_") && part.name != server_socket ? told : any(part.of);
  };
  std::vector<RequestPart> parts;
  std::copy_if(all_parts.begin(), all_parts.end(), std::back_inserter(parts), known);
  return parts;
}

}  // namespace neph::workload
