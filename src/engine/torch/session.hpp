// A model for one device and batch, and its requests. See model.hpp.
#pragma once

#include "engine/engine.hpp"
#include "engine/torch/builder.hpp"
#include "engine/torch/device.hpp"

namespace neph::engine::torch_plugin {

/// `simple` must outlive it; `sizes` are the inputs'. Errors: unsupported (operators, a batch that the layers
/// do not take), unavailable (memory).
Result<std::unique_ptr<Session>> make_session(const Library& library, const Place& place,
                                              const Simplified& simple, std::vector<Sizes> sizes,
                                              std::vector<Port> inputs, std::vector<Port> outputs,
                                              const Options& options);

}  // namespace neph::engine::torch_plugin
