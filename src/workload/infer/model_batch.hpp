// The batch that a model's file has, and whether it may be made another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/engine.hpp"
#include "record/event.hpp"
#include "workload/infer/spec.hpp"

namespace neph::workload {

/// The file of spec.model, with the sizes of a network that is given by name, in the form that the engine
/// runs; `events` hear of what takes long. Errors: those of net::model_file() and
/// framework::file_for_engine().
Result<std::filesystem::path> file_of_model(const InferSpec& spec, EventSink& events);

engine::Options engine_options(const InferSpec& spec);

/// The first dimension of the model's inputs, where the file fixes one.
std::optional<std::int64_t> fixed_batch(const engine::Model& model);

/// What not every engine has a choice of: the provider, and how its threads wait and where. Errors: the
/// engine's.
Status check_runtime(engine::Model& model, const InferSpec& spec);

/// Whether the run's batch may stand in the place of the file's. In this process a fixed one is made another
/// where rows get the same answers together and apart, and `events` hear of it; a server changes no model.
/// Errors: invalid_argument (they do not, or it is a server), and the engine's.
Status check_batch(engine::Model& model, const InferSpec& spec, EventSink& events);

}  // namespace neph::workload
