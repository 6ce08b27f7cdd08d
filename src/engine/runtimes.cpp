#include "engine/runtimes.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "core/values.hpp"
#include "engine/engine.hpp"
#include "os/plugin.hpp"
#include "os/process.hpp"

namespace neph::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* engine_path = "NEPH_ENGINE_PATH";

/// The folder that has `bin` of the program; of a build, its own.
fs::path around_program() { return (program_folder() / "..").lexically_normal(); }

/// Where tools/wheel has pip lay the program, in any environment.
constexpr const char* place_in_environment = "libexec/nephoscope/bin";

/// The oldest Python that every runtime's newest package takes.
constexpr int oldest_python = 11;

/// It has a Python that pip can install today's runtimes for.
bool has_recent_python(const fs::path& environment) {
  std::error_code absent;
  for (const auto& python : fs::directory_iterator(environment / "lib", absent)) {
    int minor = 0;
    const auto name = python.path().filename().string();
    if (std::sscanf(name.c_str(), "python3.%d", &minor) == 1 && minor >= oldest_python) return true;
  }
  return false;
}

fs::path folder_in(const char* variable) {
  const char* folder = std::getenv(variable);
  return folder != nullptr ? folder : "";
}

bool is_made_by_uv(const fs::path& environment) {
  std::ifstream settings(environment / "pyvenv.cfg");
  for (std::string line; std::getline(settings, line);)
    if (line.starts_with("uv =")) return true;
  return false;
}

/// "pip", in words that reach the environment's own.
std::string pip_of(const fs::path& environment) {
  const char* active = std::getenv("VIRTUAL_ENV");
  std::error_code absent;
  if (active != nullptr && fs::equivalent(active, environment, absent)) return "pip";
  const auto python = environment / "bin/python3";
  return fs::exists(python, absent) ? shell_quoted(python.string()) + " -m pip" : "python3 -m pip";
}

}  // namespace

fs::path asked_environment() { return folder_in(engine_path); }

std::vector<fs::path> python_environments() {
  std::vector<fs::path> environments;
  const auto own = environment_of(program_folder());
  const auto add = [&](const char* variable) {
    std::error_code absent;
    if (auto folder = folder_in(variable); !folder.empty() && !fs::equivalent(folder, own, absent))
      environments.push_back(std::move(folder));
  };
  add(engine_path);
  if (!own.empty()) environments.push_back(own);
  add("VIRTUAL_ENV");
  add("CONDA_PREFIX");
  for (const char* beside : {"python", ".venv"}) environments.push_back(around_program() / beside);
  return environments;
}

std::vector<fs::path> environments_with_python() {
  auto environments = python_environments();
  for (auto folder = program_folder(); folder.has_relative_path(); folder = folder.parent_path())
    for (const char* of_setup : {".venv-train", ".venv-frameworks"})
      environments.push_back(folder / of_setup);
  const auto python = program_in_path("python3");
  if (python.empty()) return environments;
  std::error_code absent;
  for (const auto& file : {python, fs::canonical(python, absent)}) {
    const auto prefix = file.parent_path().parent_path();
    if (prefix.empty() || std::ranges::count(environments, prefix) > 0) continue;
    environments.push_back(prefix);
    if (prefix == "/usr") environments.emplace_back("/usr/local");  // of Debian's Python, what pip installed
  }
  return environments;
}

fs::path environment_of(const fs::path& program_folder) {
  const auto around = program_folder.parent_path().parent_path().parent_path();
  return program_folder == around / place_in_environment ? around : fs::path();
}

std::vector<fs::path> package_folders(const fs::path& environment) {
  std::vector<fs::path> folders;
  std::error_code absent;
  for (const char* lib : {"lib", "lib64", "local/lib"}) {
    if (fs::is_symlink(environment / lib, absent)) continue;  // lib64 of a virtual environment, to lib
    for (const auto& python : fs::directory_iterator(environment / lib, absent))
      if (python.path().filename().string().starts_with("python3"))
        for (const char* name : {"site-packages", "dist-packages"}) folders.push_back(python.path() / name);
  }
  std::sort(folders.begin(), folders.end());
  folders.insert(folders.begin(), environment);
  return folders;
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

std::string version_in(const fs::path& folder, std::string_view runtime) {
  const auto begin = fmt::format("{}-", runtime);
  constexpr std::string_view end = ".dist-info";
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder.parent_path().parent_path(), absent))
    if (const auto name = entry.path().filename().string(); name.starts_with(begin) && name.ends_with(end))
      return name.substr(begin.size(), name.size() - begin.size() - end.size());
  return {};
}

bool is_of_version(const std::string& used, const std::string& package) {
  return package.empty() || used == package || used.starts_with(package + "-") ||
         used.starts_with(package + "+");
}

std::string packages_for(const fs::path& plugin) {
  std::string packages;
  std::getline(std::ifstream(fs::path(plugin).replace_extension(".pip")) >> std::ws, packages);
  return packages;
}

std::string line_to_get(const fs::path& plugin) {
  const auto package = packages_for(plugin);
  if (package.empty()) return {};
  const auto environment = environment_of(program_folder());
  if (!environment.empty() && has_recent_python(environment)) return line_to_install(environment, package);
  return fmt::format(
      "python3 -m pip install --no-deps --ignore-requires-python --only-binary :all: --python-version 3.12 "
      "--target {} {}",
      shell_quoted((around_program() / "python").string()), package);
}

std::string line_to_install(const fs::path& environment, const std::string& packages) {
  const bool several =
      packages.find(' ') != packages.npos;  // then they are all that is needed of a package's own
  std::error_code absent;
  if (fs::exists(environment / "pipx_metadata.json", absent))
    return fmt::format("pipx inject {}nephoscope {}", several ? "--pip-args=--no-deps " : "", packages);
  const bool uv = is_made_by_uv(environment);
  return fmt::format("{} install {}{}", uv ? "uv pip" : pip_of(environment),
                     uv ? fmt::format("--python {} ", shell_quoted(environment.string())) : "",
                     (several ? "--no-deps " : "") + packages);
}

void look_also_in(const std::string& environment) {
  if (environment.empty()) return;
  std::error_code ignored;
  ::setenv(engine_path, fs::absolute(environment, ignored).c_str(), 1);
}

}  // namespace neph::engine
