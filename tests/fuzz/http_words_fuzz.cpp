// The words of HTTP around a body, from either side: request lines as any client sends them; reply heads,
// bodies in chunks, stage times and pages of figures as any server does; addresses as a user types them.
// Nothing may crash; what is accepted must make sense.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "wire/endpoint.hpp"
#include "wire/http/chunks.hpp"
#include "wire/http/reply_head.hpp"
#include "wire/http/rest_route.hpp"
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

/// The same, in whatever pieces it comes.
void read_chunks(std::string_view text) {
  constexpr std::uint64_t most = 1000;
  Chunks whole(most), single(most);
  std::string data, same;
  auto rest = text, bytes = text;
  const auto taken = whole.take(rest, &data);
  Status one;
  while (one && !bytes.empty() && !single.done()) {
    auto byte = bytes.substr(0, 1);
    one = single.take(byte, &same);
    bytes.remove_prefix(1 - byte.size());
  }
  require(bool(taken) == bool(one) && whole.done() == single.done());
  require(rest == bytes && data == same && data.size() <= most);
  if (!taken) require(!whole.done() && taken.error().message == one.error().message);
}

/// What is put into chunks comes out of them, and what follows is left.
void put_in_chunks(std::string_view text) {
  std::string chunked, data;
  for (auto rest = text; !rest.empty();) {
    const auto size = std::min<std::size_t>(rest.size(), 1 + (rest.front() & 31));
    chunked += fmt::format("{:x}\r\n{}\r\n", size, rest.substr(0, size));
    rest.remove_prefix(size);
  }
  chunked += "0\r\n\r\nHTTP";
  Chunks chunks(text.size());
  std::string_view bytes = chunked;
  require(chunks.take(bytes, &data) && chunks.done() && data == text && bytes == "HTTP");
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
  neph::wire::read_chunks(text);
  neph::wire::put_in_chunks(text);
  neph::wire::parse_timing(text);
  neph::wire::read_endpoint(text);
  neph::workload::metric(text, "process_resident_memory_bytes");
  neph::workload::metric(text, "nv_inference_count", "model=\"a\"");
  return 0;
}
