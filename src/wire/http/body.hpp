// Bodies of POST /v2/models/NAME[/versions/V]/infer: JSON, then the bytes of binary tensors one after the
// other. The header Inference-Header-Content-Length says where the JSON ends (Triton's binary tensor data
// extension); without it all is JSON; 0 of it makes the whole body the one input's data ("raw binary
// request").
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json/infer_json.hpp"
#include "wire/message.hpp"

namespace neph::wire {

/// Fills an empty message; binary tensors point into `body`. Errors: invalid_argument (what read_json
/// refuses; a JSON part or binary sizes that do not fit the body; data that does not fit its type and shape).
/// `max_bytes` is of the body and the tensors that its JSON holds, together.
Status read_body(std::span<const std::byte> body, std::optional<std::uint64_t> json_bytes,
                 InferRequest& request, std::uint64_t max_bytes = unbounded);
Status read_body(std::span<const std::byte> body, std::optional<std::uint64_t> json_bytes, InferReply& reply);

/// A body to be written: the JSON and views of the tensors that follow it. Used again, it allocates nothing
/// new.
struct OutgoingBody {
  std::string json;
  std::vector<bool> binary;  ///< per tensor: behind the JSON
  std::vector<std::span<const std::byte>> data;
  bool has_binary() const { return !data.empty(); }
  std::size_t bytes() const;
};

/// Whether the request wants an output as bytes behind the JSON.
bool wants_binary(const InferRequest& request, std::string_view output);

/// Inputs as the request says: binary, or as JSON numbers. Errors: unsupported, as write_json.
Status write_body(const InferRequest& request, OutgoingBody& body);
/// Outputs as the request wants them: binary, or as JSON numbers.
Status write_body(const InferReply& reply, const InferRequest& request, OutgoingBody& body);

}  // namespace neph::wire
