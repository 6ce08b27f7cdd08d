// Inference messages of gRPC to and from the neutral ones.
#pragma once

#include <cstddef>

#include "wire/message.hpp"

namespace inference {
class ModelInferRequest;
class ModelInferResponse;
}  // namespace inference

namespace neph::wire {

/// Fills an empty message whose tensors point into `from` or, where they came as typed contents, into the
/// message's own memory. Errors: invalid_argument (unknown type, data that does not fit type and shape, raw
/// and typed data mixed).
Status read_message(const inference::ModelInferRequest& from, InferRequest& request);
Status read_message(const inference::ModelInferResponse& from, InferReply& reply);

/// Fills an empty message; tensors are copied into it, as raw contents.
void write_message(const InferRequest& request, inference::ModelInferRequest& to);
void write_message(const InferReply& reply, inference::ModelInferResponse& to);

/// Of its tensors, which are nearly all of a large one.
std::size_t raw_bytes(const inference::ModelInferResponse& message);

}  // namespace neph::wire
