// The time of each layer by OpenVINO's own counters, with the names that the layers have in the model's file.
#pragma once

#include <openvino/core/model.hpp>
#include <openvino/runtime/compiled_model.hpp>
#include <vector>

#include "engine/engine.hpp"

namespace neph::engine {

/// Before a model is compiled: its operations carry their names along, as transformations give those that
/// they make names of their own ("Multiply_7670" for a convolution with its batch norm).
void keep_names(ov::Model& model);

/// Of a model that was compiled with ov::enable_profiling, after inferences. Names of one that stands for
/// several of the file's layers have commas between. The CPU's counters are averages over all inferences, in
/// whole microseconds, rounded down in each; a GPU's are those of the last. Throws ov::Exception.
std::vector<LayerTime> layer_times(ov::CompiledModel& compiled);

}  // namespace neph::engine
