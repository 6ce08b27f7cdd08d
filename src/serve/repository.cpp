#include "serve/repository.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <sys/stat.h>

#include "core/json.hpp"
#include "core/text.hpp"
#include "core/toml.hpp"
#include "os/file.hpp"
#include "serve/triton_config.hpp"

namespace neph::serve {
namespace {

namespace fs = std::filesystem;

/// A version folder's number; 0 for other names.
std::int64_t version_of(const fs::path& path) {
  const auto name = path.filename().string();
  const bool digits = !name.empty() && name.size() < 18 && name.find_first_not_of("0123456789") == name.npos;
  return digits && is_folder(path) ? std::stoll(name) : 0;
}

/// The file "model.*" of a version, or folder "model.savedmodel": an OpenVINO .bin beside it holds its
/// weights.
fs::path model_in(const fs::path& version) {
  for (const auto& path : sorted_entries(version))
    if (path.stem() == "model" && path.extension() != ".bin") return path;
  return {};
}

FileStamps::mapped_type stamp_of(const fs::path& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return {};
  return {static_cast<std::int64_t>(about.st_dev), static_cast<std::int64_t>(about.st_ino), about.st_size,
          about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// One to a line.
Result<std::vector<std::string>> read_labels(const fs::path& file) {
  NEPH_TRY(const auto text, read_regular_file(file));
  std::vector<std::string> labels;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    labels.emplace_back(trimmed(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return labels;
}

Status read_all_labels(const fs::path& folder, const TritonConfig& config, Declared& declared) {
  for (std::size_t i = 0; i < config.label_files.size(); ++i) {
    if (config.label_files[i].empty()) continue;
    NEPH_TRY(declared.outputs[i].labels, read_labels(folder / config.label_files[i]));
  }
  return {};
}

/// That it wants, the newest first.
Result<std::vector<fs::path>> wanted_versions(const fs::path& folder, const TritonConfig& config,
                                              std::int64_t latest) {
  using Policy = TritonConfig::Versions;
  if (config.policy == Policy::latest) return newest_versions(folder, static_cast<std::size_t>(latest));
  auto all = newest_versions(folder, std::numeric_limits<std::size_t>::max());
  if (config.policy == Policy::all) return all;
  const auto is_wanted = [&](const fs::path& path) {
    return std::find(config.versions.begin(), config.versions.end(), version_of(path)) !=
           config.versions.end();
  };
  for (const auto version : config.versions)
    if (std::none_of(all.begin(), all.end(), [&](auto& path) { return version_of(path) == version; }))
      return fail(ErrorCode::not_found, "{} has no version {}, which its version_policy wants",
                  folder.string(), version);
  std::erase_if(all, [&](const fs::path& path) { return !is_wanted(path); });
  return all;
}

Result<FoundVersion> file_of(const fs::path& version, const std::string& wanted) {
  FoundVersion found{.number = version.filename().string(),
                     .file = wanted.empty() ? model_in(version) : version / wanted};
  if (found.file.empty())
    return fail(ErrorCode::not_found, "{} has no file model.onnx, model.xml, ...", version.string());
  if (!is_there(found.file))
    return fail(ErrorCode::not_found, "{}, by default_model_filename, is not there", found.file.string());
  if (std::error_code ignored; fs::is_other(found.file, ignored))
    return fail(ErrorCode::invalid_argument, "{}: a pipe or a device, where a file should be",
                found.file.string());
  return found;
}

Status read_toml(const fs::path& file, ModelOptions& options) {
  NEPH_TRY(const auto text, read_regular_file(file));
  NEPH_TRY(const auto json, parse_toml(text, file.string()));
  if (const auto status = from_json(json, options, ""); !status)
    return fail_in(file.string(), status.error());
  return {};
}

Result<TritonConfig> read_configs(const fs::path& folder, ModelOptions& options) {
  TritonConfig config;
  if (const auto file = folder / "config.pbtxt"; is_there(file)) {
    NEPH_TRY(const auto text, read_regular_file(file));
    const auto name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    NEPH_TRY(config, read_triton_config(text, file.string(), name, options));
    NEPH_CHECK(read_all_labels(folder, config, options.declared));
  }
  if (const auto file = folder / "config.toml"; is_there(file)) NEPH_CHECK(read_toml(file, options));
  return config;
}

}  // namespace

FileStamps stamps_of(const fs::path& model) {
  FileStamps stamps{{model, stamp_of(model)}};  // first: it says which others there are
  for (const auto& file : engine::model_files(model)) stamps.try_emplace(file, stamp_of(file));
  return stamps;
}

bool have_changed(const FileStamps& files) {
  return std::any_of(files.begin(), files.end(),
                     [](auto& file) { return stamp_of(file.first) != file.second; });
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_model_name(const std::string& name) { return printable(name) == name; }

std::string without_folders(std::string text, const fs::path& root) {
  constexpr std::string_view ends = " \t\n\r'\"`:,;()[]<>|=";
  std::error_code ignored;
  for (const auto& folder : {fs::absolute(root, ignored), fs::weakly_canonical(root, ignored), root}) {
    auto name = folder.string();
    if (!name.ends_with('/')) name += '/';
    if (name == "/" || name == "./") continue;
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at))
      if (at == 0 || ends.find(text[at - 1]) != ends.npos)
        text.erase(at, name.size());
      else
        at += name.size();
  }
  for (auto at = text.find('/'); at != text.npos; at = text.find('/', at + 1)) {
    if (at > 0 && ends.find(text[at - 1]) == ends.npos) continue;
    const auto path = std::string_view(text).substr(at, text.find_first_of(ends, at) - at);
    const auto first = path.substr(0, path.find('/', 1));
    if (first.size() > 1 && fs::exists(first, ignored))
      text.erase(at, std::max<std::size_t>(1, path.rfind('/') + 1));
  }
  return printable(text);
}

Error without_folders(Error error, const fs::path& root) {
  error.message = without_folders(std::move(error.message), root);
  error.hint = without_folders(std::move(error.hint), root);
  return error;
}

bool is_saved_model(const fs::path& path) { return is_there(path / "saved_model.pb"); }

bool stands_for_model(const fs::path& path) {
  std::error_code ignored;
  const bool nowhere = fs::is_symlink(path, ignored) && !is_there(path);
  return !path.filename().string().starts_with('.') && (nowhere || is_folder(path));
}

std::vector<fs::path> newest_versions(const fs::path& folder, std::size_t most) {
  std::vector<fs::path> found;
  for (auto& path : sorted_entries(folder))
    if (version_of(path) > 0) found.push_back(std::move(path));
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return version_of(a) > version_of(b); });
  if (found.size() > most) found.resize(most);
  return found;
}

Result<FoundModel> find_in_repository(const fs::path& folder, const ModelOptions& options) {
  FoundModel found{.options = options};
  NEPH_TRY(auto config, read_configs(folder, found.options));
  NEPH_TRY(const auto versions, wanted_versions(folder, config, found.options.versions));
  for (const auto& version : versions) {
    NEPH_TRY(auto file, file_of(version, config.model_file));
    found.versions.push_back(std::move(file));
  }
  found.engines = std::move(config.engines);
  found.notes = std::move(config.notes);
  if (!found.versions.empty()) return found;
  if (sorted_entries(folder).empty()) return fail(ErrorCode::not_found, "{} is empty", folder.string());
  return fail(ErrorCode::not_found, "{} has no version folder (1, 2, ...)", folder.string());
}

}  // namespace neph::serve
