// How each form of a data set is told and opened. Only for files of this module.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/data.hpp"

namespace neph::data {

/// How far a set is read: a plan needs only what headers tell.
enum class Depth { headers, whole };

struct Request {
  std::filesystem::path path;
  std::string name;                  ///< of the set
  std::vector<std::string> classes;  ///< their names, where the set is known by name
  const Options& options;
  Depth depth = Depth::whole;
};

bool is_idx_folder(const std::filesystem::path& folder);
Result<Set> open_idx(const Request& request);

bool is_cifar_folder(const std::filesystem::path& folder);
Result<Set> open_cifar_folder(const Request& request);

/// A .tar or .tar.gz.
Result<Set> open_archive(const Request& request);

Result<Set> open_npz(const Request& request);

Result<Set> open_image_folders(const Request& request);

Result<Set> open_synth(const Request& request);

}  // namespace neph::data
