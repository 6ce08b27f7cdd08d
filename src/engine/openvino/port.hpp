// A compiled or uncompiled OpenVINO model's inputs and outputs as ports.
#pragma once

#include <openvino/core/node_output.hpp>
#include <vector>

#include "core/result.hpp"
#include "engine/engine.hpp"

namespace neph::engine {

/// Errors: unsupported (an element type that engine::Element does not have, such as strings).
Result<std::vector<Port>> ports_of(const std::vector<ov::Output<const ov::Node>>& ends);

}  // namespace neph::engine
