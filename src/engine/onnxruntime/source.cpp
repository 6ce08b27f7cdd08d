#include "engine/onnxruntime/source.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace neph::engine::onnxruntime_plugin {

std::shared_ptr<const FilesBeside> files_beside(const std::filesystem::path& model, Weights weights) {
  namespace fs = std::filesystem;
  auto files = std::make_shared<FilesBeside>();
  std::error_code missing;
  const auto given = fs::canonical(fs::absolute(model).parent_path(), missing);
  const auto real =
      fs::canonical(model, missing).parent_path();  // of a link, as caches of downloads have them
  const auto lies_in = [](const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
  };
  for (const auto& name : external_data(model)) {
    const auto file = fs::canonical(given.string() + "/" + name, missing);
    if (!missing && (lies_in(file, given) || lies_in(file, real))) files->try_emplace(name, file, weights);
  }
  return files;
}

Ort::Session read_source(const Ort::Env& env, const Source& source, Ort::SessionOptions& options) {
  const bool is_file = source.bytes.empty();
  // The files beside it are given by their bytes: ONNX Runtime would map them, and of a model that is bytes a
  // folder for them, for which it has an option, is not known to all that reads weights (1.24 and 1.32).
  std::vector<std::string> names;
  std::vector<char*> memory;
  std::vector<std::size_t> sizes;
  for (const auto& [name, file] : *source.beside) {
    names.push_back(name);
    memory.push_back(const_cast<char*>(file.bytes().data()));  // it is read only
    sizes.push_back(file.bytes().size());
  }
  if (!is_file)
    for (const auto& name : external_data(source.file))
      if (!source.beside->contains(name))
        throw std::runtime_error("its weights, " + name + ", do not lie beside it");
  if (!names.empty() && (!is_file || source.weights == Weights::owned))
    options.AddExternalInitializersFromFilesInMemory(names, memory, sizes);
  if (is_file) return Ort::Session(env, source.file.c_str(), options);
  return Ort::Session(env, source.bytes.data(), source.bytes.size(), options);
}

}  // namespace neph::engine::onnxruntime_plugin
