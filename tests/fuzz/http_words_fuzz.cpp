// The words of HTTP around a body, from either side: request lines as any client sends them; reply heads,
// stage times and pages of figures as any server does; addresses as a user types them. Nothing may crash;
// what is accepted must make sense.
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/endpoint.hpp"
#include "wire/http_reply_head.hpp"
#include "wire/rest_route.hpp"
#include "wire/timing.hpp"
#include "workload/remote_telemetry.hpp"

namespace neph::wire {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_route(std::string_view text) {
  const auto space = text.find(' ');
  if (space == text.npos) return;
  const auto route = parse_route(text.substr(0, space), text.substr(space + 1));
  if (!route) return require(!route.error().message.empty());
  // "/v2/models/stats" alone asks for the statistics of all.
  const auto back = parse_route("POST", "/v2/models/" + path_segment(route->name) + "/infer");
  require(route->name.empty() || (back && back->name == route->name));
}

void read_reply_head(std::string_view text) {
  const auto head = parse_reply_head(text);
  if (!head) return require(!head.error().message.empty());
  require(head->status >= 100 && head->status <= 999);
  parse_timing(head->timing);
  require(!error_of_reply(head->status, text).message.empty());
}

void read_endpoint(std::string_view text) {
  const auto endpoint = parse_endpoint(text);
  if (!endpoint) return require(!endpoint.error().message.empty());
  require(!endpoint->host.empty() && endpoint->port > 0);
  const auto again = parse_endpoint(endpoint->text());
  require(again && again->host == endpoint->host && again->port == endpoint->port);
}

}  // namespace
}  // namespace neph::wire

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  neph::wire::read_route(text);
  neph::wire::read_reply_head(text);
  neph::wire::parse_timing(text);
  neph::wire::read_endpoint(text);
  neph::workload::metric(text, "process_resident_memory_bytes");
  neph::workload::metric(text, "nv_inference_count", "model=\"a\"");
  return 0;
}
