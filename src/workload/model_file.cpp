#include "workload/model_file.hpp"

#include <algorithm>

#include "core/file.hpp"
#include "core/names.hpp"
#include "net/net.hpp"

namespace neph::workload {
namespace {

/// Part of the names of cached files: a new way of drawing weights gets new files.
constexpr int weights_version = 1;

bool is_network(const std::string& name) {
  const auto names = net::known_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<std::filesystem::path> cached_network(const InferSpec& spec) {
  const net::BuildOptions options{.classes = spec.classes, .side = spec.side};
  const auto path = cache_folder() / "models" /
                    fmt::format("{}-classes{}-side{}-seed{}-v{}.onnx", spec.model, spec.classes, spec.side,
                                spec.weights_seed, weights_version);
  if (std::filesystem::exists(path)) return path;
  NEPH_TRY(const auto network, net::build(spec.model, options));
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return tl::unexpected(system_error("cannot make " + path.parent_path().string(), error.value()));
  NEPH_CHECK(net::write_onnx(network, static_cast<std::uint64_t>(spec.weights_seed), path));
  return path;
}

}  // namespace

Result<std::filesystem::path> model_file(const InferSpec& spec) {
  const std::filesystem::path path(spec.model);
  std::error_code ignored;
  const bool hidden = std::filesystem::is_directory(path, ignored) && is_network(spec.model);
  if (std::filesystem::exists(path, ignored) && !hidden) {  // a folder of a network's name hides nothing
    if (spec.classes != 0 || spec.side != 0)
      return fail(ErrorCode::invalid_argument,
                  "classes and side are for a network given by name, and {} is a file", spec.model);
    return path;
  }
  if (is_network(spec.model)) return cached_network(spec);
  if (path.has_extension() || path.has_parent_path())
    return fail(ErrorCode::not_found, "no model file {}; neph net NAME --onnx FILE writes one", spec.model);
  return fail(ErrorCode::not_found, "no model file {0}, and {1}", spec.model,
              unknown_name("network", spec.model, net::known_names()));
}

}  // namespace neph::workload
