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

Result<std::filesystem::path> cached_network(const std::string& name, const BuildOptions& options,
                                             std::int64_t weights_seed) {
  const auto path = cache_folder() / "models" /
                    fmt::format("{}-classes{}-side{}-seed{}-v{}.onnx", name, options.classes, options.side,
                                weights_seed, weights_version);
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
  if (std::filesystem::exists(path, ignored) && !hidden) {  // a folder of a network's name hides nothing
    if (options.classes != 0 || options.side != 0)
      return fail(ErrorCode::invalid_argument,
                  "classes and side are for a network given by name, and {} is a file", model);
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
