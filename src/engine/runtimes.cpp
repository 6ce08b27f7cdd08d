#include "engine/runtimes.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "engine/engine.hpp"
#include "os/plugin.hpp"

namespace neph::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* engine_path = "NEPH_ENGINE_PATH";

/// The folder that has `bin` of the program; of a build, its own.
fs::path around_program() { return (program_folder() / "..").lexically_normal(); }

/// Where packages lie in an environment: python3.11's, python3.12's, and the folder itself.
std::vector<fs::path> package_folders(const fs::path& environment) {
  std::vector<fs::path> folders;
  std::error_code absent;
  for (const auto& python : fs::directory_iterator(environment / "lib", absent))
    if (python.path().filename().string().starts_with("python3"))
      folders.push_back(python.path() / "site-packages");
  std::sort(folders.begin(), folders.end());
  folders.insert(folders.begin(), environment);
  return folders;
}

}  // namespace

std::vector<fs::path> python_environments() {
  std::vector<fs::path> environments;
  for (const char* variable : {engine_path, "VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0')
      environments.emplace_back(folder);
  for (const char* beside : {"python", ".venv"}) environments.push_back(around_program() / beside);
  return environments;
}

std::vector<fs::path> runtime_folders(std::string_view runtime, const std::vector<fs::path>& environments) {
  std::vector<fs::path> folders;
  std::error_code absent;
  const auto add = [&](const fs::path& folder) {
    if (fs::is_directory(folder, absent)) folders.push_back(fs::absolute(folder, absent));
  };
  for (const auto& environment : environments) {
    for (const auto& packages : package_folders(environment))
      for (const char* libraries : {"libs", "lib", "capi"}) add(packages / runtime / libraries);
    add(environment);
  }
  return folders;
}

std::vector<fs::path> nvidia_folders(const std::vector<fs::path>& environments) {
  std::vector<fs::path> folders;
  std::error_code absent;
  const auto add = [&](const fs::path& folder) {
    if (fs::is_directory(folder, absent)) folders.push_back(fs::absolute(folder, absent));
  };
  for (const auto& environment : environments) {
    for (const auto& packages : package_folders(environment)) {
      for (const auto& part : fs::directory_iterator(packages / "nvidia", absent)) add(part.path() / "lib");
      add(packages / "tensorrt_libs");
    }
    add(environment);
  }
  return folders;
}

std::string line_to_get(const fs::path& plugin) {
  std::string package;
  std::getline(std::ifstream(fs::path(plugin).replace_extension(".pip")) >> std::ws, package);
  if (package.empty()) return {};
  return fmt::format(
      "python3 -m pip install --no-deps --ignore-requires-python --only-binary :all: --python-version 3.12 "
      "--target '{}' {}",
      (around_program() / "python").string(), package);
}

void look_also_in(const std::string& environment) {
  if (environment.empty()) return;
  std::error_code ignored;
  ::setenv(engine_path, fs::absolute(environment, ignored).c_str(), 1);
}

}  // namespace neph::engine
