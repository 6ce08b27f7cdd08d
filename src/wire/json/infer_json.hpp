// The JSON part of inference requests and replies over HTTP, read (ADR 9) and written as text.
//
// Sources: Open Inference Protocol, "HTTP/REST"; Triton's extensions for binary tensor data, classification
// and shared memory. Unknown keys are passed over, as both say; a known key with a value of the wrong kind is
// refused.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "wire/message.hpp"

namespace neph::wire {

/// What the JSON says of a tensor's bytes that stand behind it, one entry per input (of a reply: output);
/// empty: its data stood in the JSON, or in shared memory.
using BinarySizes = std::vector<std::optional<std::uint64_t>>;

/// Names, ids and parameters of one message, in all; longer texts are tensors of BYTES.
inline constexpr std::size_t most_text_bytes = std::size_t{1} << 20;
inline constexpr auto unbounded = std::numeric_limits<std::uint64_t>::max();

/// Fills an empty message. Tensors whose data stands in the JSON point into the message's memory. Errors:
/// invalid_argument (not JSON, nested deeper than 32, wrong kinds, numbers that the type does not hold, whole
/// numbers beyond 64 bits, more than most_parameters or most_text_bytes, tensors of more than
/// `max_memory_bytes`).
Status read_json(std::string_view text, InferRequest& request, BinarySizes& sizes,
                 std::uint64_t max_memory_bytes = unbounded);
Status read_json(std::string_view text, InferReply& reply, BinarySizes& sizes);

/// Appends the JSON of a message to `text`. A tensor of which `binary` says so gets its size as a parameter,
/// and its data is for the caller to put behind the JSON, in the order of the tensors. `binary`: one per
/// tensor. Errors: unsupported (FP16 and BF16 have no JSON numbers, and BYTES that are not UTF-8 no JSON
/// text).
Status write_json(const InferRequest& request, const std::vector<bool>& binary, std::string& text);
Status write_json(const InferReply& reply, const std::vector<bool>& binary, std::string& text);

}  // namespace neph::wire
