#include <algorithm>

#include "core/names.hpp"
#include "net/net.hpp"
#include "os/file.hpp"

namespace neph::net {
namespace {

/// Part of the names of cached files: a new way of drawing weights gets new files.
constexpr int weights_version = 1;

bool is_network(const std::string& name) {
  const auto names = known_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Empty where nothing of a sequence was chosen: files of before keep their names.
std::string sequence_part(const BuildOptions& options) {
  std::string part;
  const auto add = [&part](std::string_view what, std::int64_t size) {
    if (size != 0) part += fmt::format("-{}{}", what, size);
  };
  add("layers", options.layers);
  add("seq", options.seq);
  add("width", options.width);
  return part;
}

Result<std::filesystem::path> cached_network(const std::string& name, const BuildOptions& options,
                                             std::int64_t weights_seed) {
  const auto path = cache_folder() / "models" /
                    fmt::format("{}-classes{}-side{}{}-seed{}-v{}.onnx", name, options.classes, options.side,
                                sequence_part(options), weights_seed, weights_version);
  if (std::filesystem::exists(path)) return path;
  NEPH_TRY(const auto network, build(name, options));
  NEPH_CHECK(make_cache_folder(path.parent_path()));
  NEPH_CHECK(write_onnx(network, static_cast<std::uint64_t>(weights_seed), path));
  return path;
}

}  // namespace

Result<std::filesystem::path> model_file(const std::string& model, const BuildOptions& options,
                                         std::int64_t weights_seed) {
  const std::filesystem::path path(model);
  std::error_code ignored;
  const bool hidden = std::filesystem::is_directory(path, ignored) && is_network(model);
  if (std::filesystem::is_other(path, ignored))
    return fail(ErrorCode::invalid_argument, "{}: a pipe or a device, where a model's file should be", model);
  if (std::filesystem::exists(path, ignored) && !hidden) {  // a folder of a network's name hides nothing
    if (options != BuildOptions{})
      return fail(ErrorCode::invalid_argument,
                  "classes, side, layers, seq and width are for a network given by name, and {} is a file",
                  model);
    return path;
  }
  if (is_network(model)) return cached_network(model, options, weights_seed);
  if (path.has_extension() || path.has_parent_path())
    return fail(ErrorCode::not_found, "no model file {}; neph net NAME --onnx FILE writes one", model);
  auto unknown = unknown_name(ErrorCode::not_found, "network", model, known_names());
  unknown.value().message = fmt::format("no model file {}, and {}", model, unknown.value().message);
  return unknown;
}

}  // namespace neph::net
