// A compiled or uncompiled OpenVINO model's inputs and outputs as ports.
#pragma once

#include <openvino/core/node_output.hpp>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "engine/engine.hpp"

namespace neph::engine {

/// What the model's file calls an input or output. OpenVINO keeps that as its node's own name; the names of
/// the tensor are also those of tensors that were merged with it.
std::string file_name_of(const ov::Output<const ov::Node>& end);

/// Errors: unsupported (an element type that engine::Element does not have, such as strings).
Result<std::vector<Port>> ports_of(const std::vector<ov::Output<const ov::Node>>& ends);

}  // namespace neph::engine
