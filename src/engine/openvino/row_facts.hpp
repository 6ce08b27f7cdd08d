// What OpenVINO's graph of a model says of the rows of a batch. It is asked for what a trial with random
// numbers may miss: a condition that no drawn number fulfils, a mean with a small weight.
#pragma once

#include <openvino/core/model.hpp>

#include "engine/engine.hpp"

namespace neph::engine {

/// Cost: two copies of the graph (not of its weights) with other shapes. No errors: what it cannot find out,
/// it does not say.
RowFacts row_facts_of(const ov::Model& model);

}  // namespace neph::engine
