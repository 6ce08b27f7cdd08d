// The bytes of an ONNX file as its protobuf message, for those who read a graph and those who read its
// numbers.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "net/onnx_proto.hpp"

namespace neph::net {

constexpr std::size_t kMostModelBytes = 0x7fffffff;  // of a protobuf message

/// Errors: corrupt (empty, cut short, no model), unsupported (a newer file format, a model of another
/// format).
Result<onnx::ModelProto> parse_model(std::string_view bytes, std::string_view source);

/// Version of ONNX's own operators.
std::int64_t opset_of(const onnx::ModelProto& model);

/// The error of a model called `source`, in one line that a terminal shows as it is: names come from the
/// file.
[[nodiscard]] tl::unexpected<Error> fail_in_model(std::string_view source, const Error& error);

/// An operator of ONNX's own, and of no other domain.
bool is_own(const onnx::NodeProto& proto);

}  // namespace neph::net
