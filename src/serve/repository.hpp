// Folders of models. Only for files of this module.
//
// A repository is laid out as Triton's: NAME/VERSION/model.onnx (or .xml, .identity, ... whatever an engine
// reads; also a folder model.savedmodel), VERSION a number above 0. If wanted, NAME/config.pbtxt says of the
// model what Triton is told (triton_config.hpp), and NAME/config.toml has options of neph, which count last.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "serve/options.hpp"

namespace neph::serve {

/// By file of a model (engine::model_files) what tells one content of it from another: device, number, size
/// and when it was changed; of a missing one zeros.
using FileStamps = std::map<std::filesystem::path, std::array<std::int64_t, 5>>;
FileStamps stamps_of(const std::filesystem::path& model);
bool have_changed(const FileStamps& files);

struct FoundVersion {
  std::string number;
  std::filesystem::path file;
  FileStamps stamps{};  ///< before it was loaded
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

/// Clients, terminals and metrics get names as they are: they are UTF-8 without control characters.
bool is_model_name(const std::string& name);

/// `text` for clients: what lies in the folder `root` by its path from there on, other files of this machine
/// by their last name.
std::string without_folders(std::string text, const std::filesystem::path& root);
Error without_folders(Error error, const std::filesystem::path& root);

/// A TensorFlow SavedModel: a folder, and one model.
bool is_saved_model(const std::filesystem::path& path);

}  // namespace neph::serve
