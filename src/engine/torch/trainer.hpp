// A Trainer on libtorch: a plan, a loss and an update.
#pragma once

#include "engine/engine.hpp"
#include "engine/torch/device.hpp"

namespace neph::engine::torch_plugin {

/// Errors: those of TrainEngine::prepare. `library` must outlive the trainer.
Result<std::unique_ptr<Trainer>> make_trainer(const Library& library, const net::Program& program,
                                              const TrainOptions& options);

}  // namespace neph::engine::torch_plugin
