// Inference requests and replies over gRPC, as any peer may send them: what protobuf accepts must be read or
// refused, never crashed on, and what is read must come back from its own message.
#include <cstdlib>

#include <inference.pb.h>

#include "wire/grpc/codec.hpp"

namespace neph::wire {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Proto, class Message>
void read_as(const unsigned char* data, std::size_t size) {
  Proto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return;
  Message message;
  if (const auto status = read_message(proto, message); !status)
    return require(!status.error().message.empty());
  Proto written;
  write_message(message, written);
  Message again;
  require(read_message(written, again).has_value());
}

}  // namespace
}  // namespace neph::wire

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace neph::wire;
  read_as<inference::ModelInferRequest, InferRequest>(data, size);
  read_as<inference::ModelInferResponse, InferReply>(data, size);
  return 0;
}
