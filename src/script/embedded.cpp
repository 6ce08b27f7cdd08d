#include "script/embedded.hpp"

#include <stdexcept>

#include <fmt/format.h>

// One file after the other, each behind a line "#### FILE"; the locks are files by themselves.
extern const char neph_script_parts[], neph_script_parts_end[];
extern const char neph_script_releases[], neph_script_releases_end[];
extern const char neph_script_lock[], neph_script_lock_end[];
extern const char neph_script_frameworks_lock[], neph_script_frameworks_lock_end[];

namespace neph::script {

std::string_view part(std::string_view name) {
  static const auto parts = embedded_files({neph_script_parts, neph_script_parts_end});
  const auto found = parts.find(name);
  if (found == parts.end()) throw std::logic_error(fmt::format("there is no part {}.sh", name));
  return found->second;
}

const EmbeddedFiles& embedded_releases() {
  static const auto releases = embedded_files({neph_script_releases, neph_script_releases_end});
  return releases;
}

std::vector<std::string> packages_of_engine(std::string_view engine) {
  std::vector<std::string> packages;
  const auto take = [&](std::string_view lock, std::string_view wanted) {
    each_line(lock, [&](std::string_view line) {
      if (!line.starts_with('#') && line.starts_with(wanted)) packages.emplace_back(line);
    });
  };
  if (engine == "openvino") take({neph_script_lock, neph_script_lock_end}, "openvino==");
  const auto frameworks = [&](std::initializer_list<std::string_view> wanted) {
    for (const auto package : wanted)
      take({neph_script_frameworks_lock, neph_script_frameworks_lock_end}, package);
  };
  if (engine == "torch" || engine == "pytorch") frameworks({"numpy==", "pillow==", "torch=="});
  if (engine == "keras-tensorflow") frameworks({"keras==", "numpy==", "pillow==", "tensorflow-cpu=="});
  if (engine == "keras-jax") frameworks({"jax==", "keras==", "numpy==", "pillow=="});
  if (engine == "keras-torch") frameworks({"keras==", "numpy==", "pillow==", "torch=="});
  return packages;
}

}  // namespace neph::script
