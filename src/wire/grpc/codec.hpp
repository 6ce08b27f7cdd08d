// Inference messages of a client of gRPC: requests to it, replies from it.
#pragma once

#include <cstddef>
#include <string>

#include "wire/message.hpp"

namespace inference {
class ModelInferRequest;
class ModelInferResponse;
}  // namespace inference

namespace neph::wire {

/// Fills an empty message whose tensors point into `from` or, where they came as typed contents, into the
/// message's own memory. Errors: invalid_argument (unknown type, data that does not fit type and shape, raw
/// and typed data mixed).
Status read_message(const inference::ModelInferResponse& from, InferReply& reply);

/// Fills an empty message with all but the tensors' data. It is whole where a raw_field_head() and the bytes
/// follow it for each input that is not in shared memory: fields of a message may stand in any order.
void write_head(const InferRequest& request, inference::ModelInferRequest& to);
/// What stands before so many bytes of raw contents.
std::string raw_field_head(std::size_t bytes);

}  // namespace neph::wire
