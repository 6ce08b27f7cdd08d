// The order of a picture's dimensions.
#pragma once

#include <memory>
#include <openvino/core/model.hpp>

namespace neph::engine {

/// The model with a transposition before every input that takes pictures channels last, so that they are
/// given channels first. True if there was one. OpenVINO often merges the transposition with the first
/// layer's own reordering.
bool put_channels_first(std::shared_ptr<ov::Model>& model);

}  // namespace neph::engine
