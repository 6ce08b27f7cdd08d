// A package with its weights in memory, for fixed or open shapes, and its requests. See model.hpp.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "engine/torch/compiled.hpp"

namespace neph::engine::torch_plugin {

/// `inputs` have the shapes that are wanted. Errors: those of Runner; unsupported (a package that fails at
/// its first run, a batch that is not the outputs').
Result<std::unique_ptr<Session>> make_session(const Library& library, const Place& place,
                                              const Package& package,
                                              std::shared_ptr<CompiledLibrary> compiled,
                                              std::vector<Port> inputs, const Options& options);

}  // namespace neph::engine::torch_plugin
