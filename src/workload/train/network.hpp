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
  const net::Program* known() const { return program ? &*program : nullptr; }
};

/// Errors: those of net::model_file and net::read_program.
Result<TrainedNetwork> open_network(const TrainSpec& spec, const engine::TrainEngine& engine);

/// Engines write their devices in capitals, frameworks in small letters, and people as they like.
std::string in_capitals(std::string device);
std::string in_small_letters(std::string device);

/// Errors: not_found, where the engine has no such device here, or not so many.
Status check_device(const TrainSpec& spec, engine::TrainEngine& engine);

/// Of several processes each makes one, of its part of every batch. `cores`: of this process; 0: all.
/// Errors: those of TrainEngine::prepare.
Result<std::unique_ptr<engine::Trainer>> make_trainer(const TrainSpec& spec, const TrainedNetwork& network,
                                                      engine::TrainEngine& engine,
                                                      engine::Exchange* exchange = nullptr,
                                                      std::int64_t cores = 0);

/// Whether the training is by ctc: `program`'s output is a sequence, [steps, batch, classes] or [batch,
/// steps, classes], and nothing else was chosen.
bool is_by_ctc(const TrainSpec& spec, const net::Program* program);

/// What data::open is asked for. The shape and the classes are the network's, as far as its file tells:
/// `trainer`, null where there is none, knows them all. `program`: null of a model of the engine's own.
data::Options data_options(const TrainSpec& spec, const net::Program* program,
                           const engine::Trainer* trainer);

}  // namespace neph::workload
