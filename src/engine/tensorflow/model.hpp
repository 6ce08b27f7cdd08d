// Inference by TensorFlow: SavedModels and frozen graphs as they are, on CPUs.
//
// What it does not do: shapes that the file fixes cannot be changed; text; times of layers; XLA, for which
// there is no option (TF_XLA_FLAGS in the environment reaches TensorFlow).
//
// Threads: as engine.hpp says. A session is one of TensorFlow's, whose threads all of its streams share.
// Ownership: each session of a SavedModel has variables of its own.
// Cost: load() reads the graph's file; compile() reads the variables. If outputs have open shapes although
// those of the inputs are known, compile() runs the model once or twice. Inputs aligned to 64 bytes are used
// in place; outputs are copied once, but for open ones.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "engine/tensorflow/library.hpp"

namespace neph::engine::tensorflow_plugin {

/// "CPU", in any case. Errors: not_found.
Result<Device> find_device(const std::string& name);

/// A folder with saved_model.pb, that file, or a frozen graph. Errors: not_found, unavailable (permission),
/// corrupt, unsupported (no signature serving_default, operators, types of inputs and outputs).
Result<std::unique_ptr<Model>> load_model(const Library& library, const std::filesystem::path& path);

}  // namespace neph::engine::tensorflow_plugin
