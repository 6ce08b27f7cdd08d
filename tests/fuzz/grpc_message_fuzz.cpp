// Inference requests and replies over gRPC, as any peer may send them: they are read or refused, never
// crashed on, and what our reader takes is what protobuf's own parser reads.
#include <cstdlib>

#include <inference.pb.h>

#include "wire/protobuf/infer_message.hpp"

namespace neph::wire {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;

void require(bool holds) {
  if (!holds) std::abort();
}

void read_request(std::string_view bytes) {
  InferRequest request;
  if (const auto status = read_infer_request(bytes, most_bytes, request); !status)
    return require(!status.error().message.empty());
  std::size_t held = request.memory.size();
  for (const auto& input : request.inputs) held += input.shared ? 0 : input.data.size();
  require(request.memory.size() + bytes.size() <= most_bytes && held <= 2 * most_bytes);
  inference::ModelInferRequest proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;  // of fields not looked at
  require(request.model == proto.model_name() && request.id == proto.id());
  require(request.inputs.size() == static_cast<std::size_t>(proto.inputs_size()));
  for (std::size_t i = 0; i < request.inputs.size(); ++i)
    require(request.inputs[i].name == proto.inputs(static_cast<int>(i)).name());
}

void read_reply(std::string_view bytes) {
  InferReply reply;
  if (const auto status = read_infer_reply(bytes, reply); !status)
    return require(!status.error().message.empty());
  inference::ModelInferResponse proto;
  if (proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    require(reply.model == proto.model_name() &&
            reply.outputs.size() == static_cast<std::size_t>(proto.outputs_size()));
  OutgoingMessage written;
  require(write_infer_reply(reply, false, written).has_value());
}

}  // namespace
}  // namespace neph::wire

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  neph::wire::read_request(bytes);
  neph::wire::read_reply(bytes);
  return 0;
}
