// The numbers of tensors in ONNX files: read from wherever the file has them, and put in their place. Shapes
// and types alone are onnx_tensor.hpp's.
#pragma once

#include <filesystem>
#include <span>

#include "net/onnx_proto.hpp"
#include "net/program.hpp"

namespace neph::net {

/// `folder`: where external data lies; null: there is none. Errors: corrupt, not_found, unsupported.
Result<StoredTensor> elements_of(const onnx::TensorProto& proto, const std::filesystem::path* folder);

/// Puts numbers in the place of the tensor's, rounded to its type. Errors: invalid_argument (another number
/// of elements, or no floats).
Status replace_elements(onnx::TensorProto& proto, std::span<const float> elements);

/// Brings data that lies in another file into the message. Errors: corrupt, not_found.
Status bring_in(onnx::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace neph::net
