// Bodies of inference requests over HTTP, as any client may send them. Nothing may crash; of what is accepted
// every tensor must fit its shape, and it must come back from its own bytes.
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/http/body.hpp"
#include "wire/http/gzip.hpp"

namespace neph::wire {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string joined(const OutgoingBody& body) {
  std::string text = body.json;
  for (const auto& part : body.data) text.append(reinterpret_cast<const char*>(part.data()), part.size());
  return text;
}

void read_as_request(std::span<const std::byte> body, std::optional<std::uint64_t> json_bytes) {
  InferRequest request;
  if (const auto status = read_body(body, json_bytes, request); !status)
    return require(!status.error().message.empty());
  if (request.raw) return;
  for (const auto& input : request.inputs) require(check_tensor(input).has_value());
  OutgoingBody out;
  if (!write_body(request, out)) return;  // text that is not UTF-8
  const auto text = joined(out);
  InferRequest again;
  require(read_body(std::as_bytes(std::span(text)), out.json.size(), again).has_value());
  require(again.inputs.size() == request.inputs.size() && again.outputs.size() == request.outputs.size());
}

}  // namespace
}  // namespace neph::wire

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace neph::wire;
  if (size < 2) return 0;
  const auto body = std::as_bytes(std::span(data, size)).subspan(2);
  const std::uint64_t json_bytes = data[0] + 256U * (data[1] & 0x7FU);
  read_as_request(body, data[1] < 0x80 ? std::nullopt : std::optional(json_bytes));
  BodyMemory unpacked;
  std::vector<std::byte> packed(body.begin(), body.end());
  if (const auto status = unpack(packed, 1 << 16, unpacked); !status)
    require(!status.error().message.empty());
  InferReply reply;
  if (const auto status = read_body(body, json_bytes, reply); !status)
    require(!status.error().message.empty());
  return 0;
}
