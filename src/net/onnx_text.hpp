// For tests: libonnx, and ONNX models from its text form.
#pragma once

#include <string>

// libonnx's headers need the definitions of ours before them.
// clang-format off
#include "net/onnx_proto.hpp"
#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/shape_inference/implementation.h>
// clang-format on

namespace neph::net {

/// The model of one graph in text; inputs whose names begin with "w" become stored tensors, full of zeros.
/// `inputs`: "float[1,3,8,8] x, float[4,3,3,3] w"; `nodes`: "y = Conv(x, w)"; `output`: name of the result.
inline onnx::ModelProto model_from_text(const std::string& inputs, const std::string& nodes,
                                        const std::string& output = "y", int opset = 13) {
  onnx::ModelProto model;
  const auto text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]> test (" + inputs +
                    ") => (float " + output + ") { " + nodes + " }";
  const auto status = onnx::OnnxParser(text.c_str()).Parse(model);
  if (!status.IsOK()) throw std::runtime_error(status.ErrorMessage() + " in " + text);
  auto& graph = *model.mutable_graph();
  for (auto& result : *graph.mutable_output())  // the text form knows no type without a shape
    result.mutable_type()->mutable_tensor_type()->clear_shape();
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> kept;
  for (const auto& input : graph.input()) {
    if (!input.name().starts_with("w")) {
      *kept.Add() = input;
      continue;
    }
    auto& tensor = *graph.add_initializer();
    tensor.set_name(input.name());
    tensor.set_data_type(input.type().tensor_type().elem_type());
    std::size_t count = 1;
    for (const auto& dimension : input.type().tensor_type().shape().dim()) {
      tensor.add_dims(dimension.dim_value());
      count *= static_cast<std::size_t>(dimension.dim_value());
    }
    const bool bytes =
        tensor.data_type() == onnx::TensorProto::INT8 || tensor.data_type() == onnx::TensorProto::UINT8;
    tensor.set_raw_data(std::string(count * (bytes ? 1 : 4), '\0'));
  }
  graph.mutable_input()->Swap(&kept);
  return model;
}

}  // namespace neph::net
