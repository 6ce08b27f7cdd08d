// What is looked at in each gRPC reply of an inference that is not decoded.
#pragma once

#include <string>

#include <grpcpp/support/byte_buffer.h>

#include "core/result.hpp"

namespace neph::wire {

/// That outputs are there and that their bytes fit their shapes. Replies of one model usually differ in
/// their ids and raw contents alone: what stands around these, with their sizes, is compared with that of the
/// last right reply, and the message is read only where it differs.
class ReplyGlance {
 public:
  /// Errors: corrupt (no ModelInferResponse, no outputs), those of read_message.
  Status check(const grpc::ByteBuffer& reply);

 private:
  std::string right_, around_;  ///< of the last right reply; of this one
};

}  // namespace neph::wire
