// From what was asked for to the form it has.
#include <algorithm>

#include "core/names.hpp"
#include "data/forms.hpp"
#include "data/known_sets.hpp"

namespace neph::data {
namespace {

Result<Set> open_folder(const Request& request) {
  if (is_idx_folder(request.path)) return open_idx(request);
  if (is_cifar_folder(request.path)) return open_cifar_folder(request);
  return open_image_folders(request);
}

Result<Set> open_path(const Request& request) {
  std::error_code error;
  const auto kind = std::filesystem::status(request.path, error).type();
  if (kind == std::filesystem::file_type::directory) return open_folder(request);
  if (request.path.extension() == ".npz") return open_npz(request);
  return open_archive(request);
}

/// What has neither a name nor a path that is there.
tl::unexpected<Error> unknown_set(const std::string& what) {
  std::vector<std::string> names{"synth"};
  for (const auto& set : known_sets()) names.push_back(set.name);
  auto refused = unknown_name(ErrorCode::not_found, "data set", what, names);
  refused.value().add_hint("a folder or file of that name is not there either");
  return refused;
}

Result<Set> open_to(Depth depth, const std::string& what, const Options& options) {
  if (what == "synth")
    return open_synth({.path = {}, .name = what, .classes = {}, .options = options, .depth = depth});
  if (const auto* known = find_known(what)) {
    NEPH_TRY(const auto path, locate(*known));
    return open_path(
        {.path = path, .name = known->title, .classes = known->classes, .options = options, .depth = depth});
  }
  std::error_code error;
  if (what.empty() || !std::filesystem::exists(what, error)) return unknown_set(what);
  return open_path({.path = what, .name = what, .classes = {}, .options = options, .depth = depth});
}

}  // namespace

Result<Location> locate(const std::string& what) {
  if (what == "synth") return Location{};
  const auto* known = find_known(what);
  if (known == nullptr) return Location{.path = what, .folder = {}};
  NEPH_TRY(const auto path, locate(*known));
  auto folder = path.parent_path();
  for (const auto& file : known->files)
    if (const auto parts = std::filesystem::path(file);
        std::distance(parts.begin(), parts.end()) > 1 && path.string().ends_with("/" + file))
      folder = folder.parent_path();
  return Location{.path = path, .folder = folder};
}

Result<Set> open(const std::string& what, const Options& options) {
  return open_to(Depth::whole, what, options);
}

Result<Set> look(const std::string& what, const Options& options) {
  return open_to(Depth::headers, what, options);
}

}  // namespace neph::data
