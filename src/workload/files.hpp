// The files that a run reads, for whoever starts it elsewhere.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "launch/launch.hpp"
#include "workload/connection.hpp"

namespace neph::workload {

/// The model file, named by the field "model", and what belongs to it: files beside it whose names begin with
/// its own (weights of an .xml lie in a .bin, large ones of an .onnx in files that it names).
inline launch::Files files_of_model(const std::filesystem::path& file) {
  launch::Files files{{.field = "model", .path = file, .obviates = {"classes", "side"}}};
  const auto stem = file.stem().string() + ".";
  std::error_code ignored;
  const auto folder = std::filesystem::absolute(file).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().filename() != file.filename() && entry.is_regular_file(ignored) &&
        entry.path().filename().string().starts_with(stem))
      files.push_back({.field = {}, .path = entry.path()});
  std::ranges::sort(files.begin() + 1, files.end(), {}, &launch::File::path);
  return files;
}

/// Of their contents, those that may hold a network or its weights, one after the other, as 16 hexadecimal
/// digits: two runs with the same one had the same model. Empty: one of them cannot be read. Cost: 1 s for 1
/// GB.
std::string content_hash(const launch::Files& files);

/// Those that a server demands of who asks it, each named by its own field.
inline launch::Files files_of_credentials(const Credentials& credentials) {
  launch::Files files;
  describe(
      [&](std::string_view name, const std::string& path, std::string_view) {
        if (!path.empty()) files.push_back({.field = std::string(name), .path = path});
      },
      credentials);
  return files;
}

}  // namespace neph::workload
