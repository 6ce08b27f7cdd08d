// What an ONNX file says about tensors: stored ones, and the types of values.
#pragma once

#include "net/onnx_proto.hpp"
#include "net/operator.hpp"

namespace neph::net {

/// Shape, type and, of small constants, the numbers. The data itself is not kept. Errors: corrupt (negative
/// dimensions, data that is not as long as the shape needs).
Result<Tensor> stored_tensor(const onnx::TensorProto& proto);

/// Dimensions that the file calls by a name ("batch") and that are settled here.
using Symbols = std::map<std::string, std::int64_t>;

/// The stated shape with open dimensions unknown; nothing where none is stated. Errors: corrupt.
Result<MaybeShape> stated_shape(const onnx::TypeProto& type, const Symbols& symbols);
int stated_type(const onnx::TypeProto& type);

/// Part of a file beside the model.
struct ExternalPlace {
  std::filesystem::path file;
  std::uintmax_t offset = 0;
  std::uintmax_t length = 0;  ///< 0: the model does not tell
};
/// Where the tensor's data lies outside of the model, in a file under `folder`. Errors: not_found, corrupt
/// (too short, or a path that leads out of the folder).
Result<ExternalPlace> external_place(const onnx::TensorProto& proto, const std::filesystem::path& folder);

/// Checks that place, if the tensor's data lies outside of the model at all.
Status check_external_data(const onnx::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace neph::net
