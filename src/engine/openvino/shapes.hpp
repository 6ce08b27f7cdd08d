// The shapes that are asked for, in a model that leaves them open or has others, and whether the machine can
// hold it.
#pragma once

#include <openvino/core/model.hpp>

#include "core/result.hpp"
#include "engine/engine.hpp"

namespace neph::engine {

/// Gives the inputs the shapes that options.shapes and options.batch say; batch 0 leaves open ones open.
/// Errors: those of input_shapes(); unsupported (the layers do not take them; an output's size depends on the
/// data, or its first dimension is not the batch, where a batch is asked for).
Status set_shapes(ov::Model& model, const Options& options);

}  // namespace neph::engine
