// Which files make up a model.
#include <system_error>

#include "core/protobuf.hpp"
#include "core/text.hpp"
#include "engine/engine.hpp"
#include "os/file.hpp"

namespace neph::engine {

namespace fs = std::filesystem;

/// Found by the encoding of {key: "location", value: ...} (StringStringEntryProto), wherever it stands: what
/// only looks like it names a file that no tensor refers to.
std::set<std::string> external_data(const fs::path& model) {
  constexpr std::string_view key = "\x0a\x08location";
  std::set<std::string> places;
  const auto bytes = read_regular_file(model);
  for (auto at = bytes ? bytes->find(key) : std::string::npos; at != std::string::npos;
       at = bytes->find(key, at)) {
    auto rest = std::string_view(*bytes).substr(at += key.size());
    if (const auto value = protobuf::take_field(rest); value && value->number == 2)
      places.emplace(value->content.substr(0, 4096));  // no path is longer
  }
  return places;
}

std::vector<fs::path> model_files(const fs::path& path) {
  std::error_code ignored;
  std::vector<fs::path> files{path};
  for (fs::recursive_directory_iterator each(path, ignored), end; each != end; each.increment(ignored))
    files.push_back(each->path());
  const auto ending = path.extension().string();
  if (same_words(ending, ".xml")) files.push_back(fs::path(path).replace_extension(".bin"));
  if (same_words(ending, ".onnx"))
    for (const auto& place : external_data(path)) files.push_back(path.parent_path() / place);
  return files;
}

}  // namespace neph::engine
