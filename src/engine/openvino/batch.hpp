// A fixed batch for a model that leaves it open or has another one, and whether the machine can hold it.
#pragma once

#include <cstdint>
#include <openvino/core/model.hpp>

#include "core/result.hpp"

namespace neph::engine {

/// Sets the first dimension of every input to `batch`; 0 leaves all as it is. Errors: invalid_argument (below
/// 0, or more than the machine's memory can hold), unsupported (the layers insist on another batch; another
/// dimension is open as well; an output's size depends on the data).
Status set_batch(ov::Model& model, std::int64_t batch);

}  // namespace neph::engine
