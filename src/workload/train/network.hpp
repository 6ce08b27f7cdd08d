// The network that a run trains: read from its file, and made a trainer by the engine.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "data/data.hpp"
#include "engine/engine.hpp"
#include "net/net.hpp"
#include "workload/train/checkpoint.hpp"
#include "workload/train/spec.hpp"

namespace neph::workload {

struct TrainedNetwork {
  std::filesystem::path file;
  std::optional<net::Program> program;  ///< empty: a model of the engine's own, which alone reads it

  /// Of the tensors that it stores, for checkpoints.
  Shapes shapes() const;
  /// Whether its output is a sequence of classes: [steps, batch, classes] or [batch, steps, classes].
  bool is_sequence() const;
};

/// Errors: those of net::model_file and net::read_program.
Result<TrainedNetwork> open_network(const TrainSpec& spec, const engine::TrainEngine& engine);

/// Engines write their devices in capitals, and people do not.
std::string in_capitals(std::string device);

/// Errors: not_found, where the engine has no such device here, or not so many.
Status check_device(const TrainSpec& spec, engine::TrainEngine& engine);

/// Of several processes each makes one, of its part of every batch. `cores`: of this process; 0: all.
/// Errors: those of TrainEngine::prepare.
Result<std::unique_ptr<engine::Trainer>> make_trainer(const TrainSpec& spec, const TrainedNetwork& network,
                                                      engine::TrainEngine& engine,
                                                      engine::Exchange* exchange = nullptr,
                                                      std::int64_t cores = 0);

/// What data::open is asked for. The shape and the classes are the network's, as far as its file tells:
/// `trainer` knows them all.
data::Options data_options(const TrainSpec& spec, const TrainedNetwork& network,
                           const engine::Trainer* trainer);

}  // namespace neph::workload
