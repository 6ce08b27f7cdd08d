// Between the caller's memory, in the types of the model's file, and tensors, which are of 32-bit floats,
// 64-bit integers or booleans.
#pragma once

#include "engine/engine.hpp"
#include "engine/torch/ops.hpp"

namespace neph::engine::torch_plugin {

/// The input on the device, in usual_order(): the memory itself where that is possible.
Tensor read_input(const Ops& ops, Element element, const Sizes& sizes, const void* data);

/// Waits for the value, and writes its elements row-major. Errors: Failure.
void write_output(const Ops& ops, const Tensor& value, Element element, void* data);

}  // namespace neph::engine::torch_plugin
