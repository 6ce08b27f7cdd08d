#include "engine/onnxruntime/source.hpp"

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/onnxruntime/onnx_file.hpp"

namespace neph::engine::onnxruntime_plugin {

Ort::Session read_source(const Ort::Env& env, const Source& source, Ort::SessionOptions& options) {
  if (source.bytes.empty()) return Ort::Session(env, source.file.c_str(), options);
  // The files beside it are told by their bytes: a folder for them, which ONNX Runtime has an option for, is
  // not asked by all that reads weights (1.24 and 1.32).
  std::vector<std::unique_ptr<Mapping>> mappings;
  std::vector<std::string> names;
  std::vector<char*> memory;
  std::vector<std::size_t> sizes;
  for (const auto& name : files_beside(source.bytes)) {
    const auto& mapping = mappings.emplace_back(
        std::make_unique<Mapping>(std::filesystem::path(source.file).parent_path() / name));
    names.push_back(name);
    memory.push_back(const_cast<char*>(mapping->bytes().data()));  // it is read only
    sizes.push_back(mapping->bytes().size());
  }
  if (!names.empty()) options.AddExternalInitializersFromFilesInMemory(names, memory, sizes);
  return Ort::Session(env, source.bytes.data(), source.bytes.size(), options);
}

}  // namespace neph::engine::onnxruntime_plugin
