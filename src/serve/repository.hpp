// Folders of models. Only for files of this module.
//
// A repository is laid out as Triton's: NAME/VERSION/model.onnx (or .xml, .identity, ... whatever an engine
// reads; also a folder model.savedmodel), VERSION a number above 0. If wanted, NAME/config.pbtxt says of the
// model what Triton is told (triton_config.hpp), and NAME/config.toml has options of neph, which count last.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "serve/options.hpp"

namespace neph::serve {

struct FoundVersion {
  std::string number;
  std::filesystem::path file;
};

/// A model that is not loaded yet.
struct FoundModel {
  std::vector<FoundVersion> versions;  ///< to be served, the newest first
  ModelOptions options;
  std::vector<std::string> engines;  ///< that its configuration wants, the first that can be had; empty: any
  std::vector<std::string> notes;    ///< what of its configuration has no effect
};

/// What the model's folder holds. Errors: not_found (no version, no file), and those of the configurations.
Result<FoundModel> find_in_repository(const std::filesystem::path& folder, const ModelOptions& options);

/// At most so many version folders, the newest first.
std::vector<std::filesystem::path> newest_versions(const std::filesystem::path& folder, std::size_t most);

/// Whether it is meant for a model: a folder, or a link that leads to nothing. Not ".git".
bool stands_for_model(const std::filesystem::path& path);

/// False also for a name that no file can have: clients choose names.
bool is_folder(const std::filesystem::path& path);
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

/// A TensorFlow SavedModel: a folder, and one model.
bool is_saved_model(const std::filesystem::path& path);

}  // namespace neph::serve
