// Which frameworks are installed, in which Python environments.
#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "core/values.hpp"
#include "engine/runtimes.hpp"
#include "framework/framework.hpp"
#include "framework/writers.hpp"
#include "launch/launch.hpp"
#include "os/process.hpp"

namespace neph::framework {
namespace {

namespace fs = std::filesystem;

/// The packages of a framework: its own, then Keras' backend; of that any one.
struct Packages {
  std::string_view own;
  std::string_view backend{};                          ///< as Keras calls it
  std::array<std::string_view, 3> backend_packages{};  ///< as pip calls those that have it
  std::string_view to_install;
  std::string_view needs;  ///< what a script imports
};

Packages packages_of(Framework framework) {
  switch (framework) {
    case Framework::automatic:
    case Framework::pytorch:
      return {.own = "torch", .to_install = "torch numpy pillow", .needs = "torch, numpy"};
    case Framework::identity:
      return {.to_install = "nothing but Python 3.11", .needs = "tomllib"};
    case Framework::keras_tensorflow:
      return {.own = "keras",
              .backend = "tensorflow",
              .backend_packages = {"tensorflow", "tensorflow_cpu", "tensorflow_gpu"},
              .to_install = "keras tensorflow pillow",
              .needs = "keras, tensorflow, numpy"};
    case Framework::keras_jax:
      return {.own = "keras",
              .backend = "jax",
              .backend_packages = {"jax"},
              .to_install = "keras jax pillow",
              .needs = "keras, jax, numpy"};
    case Framework::keras_torch:
      break;
  }
  return {.own = "keras",
          .backend = "torch",
          .backend_packages = {"torch"},
          .to_install = "keras torch pillow",
          .needs = "keras, torch, numpy"};
}

/// As pip wrote it down beside the package; empty: it is not there.
std::string version_of(const fs::path& packages, std::string_view name) {
  constexpr std::string_view ending = ".dist-info";
  const auto begin = fmt::format("{}-", name);
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(packages, absent))
    if (const auto file = entry.path().filename().string(); file.starts_with(begin) && file.ends_with(ending))
      return file.substr(begin.size(), file.size() - begin.size() - ending.size());
  return {};
}

/// An environment's Python; of a folder of `pip install --target`, which has none, the one in PATH.
fs::path python_of(const fs::path& environment) {
  for (const char* name : {"bin/python3", "bin/python"})
    if (is_program(environment / name)) return environment / name;
  return program_in_path("python3");
}

struct Place {
  fs::path environment, packages;
};

/// All folders with packages, the nearest to the user's word first.
std::vector<Place> places() {
  std::vector<Place> all;
  std::error_code absent;
  for (const auto& environment : engine::environments_with_python())
    for (const auto& folder : engine::package_folders(environment))
      if (fs::is_directory(folder, absent))
        all.push_back({fs::absolute(environment, absent), fs::absolute(folder, absent)});
  return all;
}

std::optional<Installed> installed_in(const Place& place, Framework framework) {
  const auto wanted = packages_of(framework);
  Installed found{
      .framework = framework, .version = version_of(place.packages, wanted.own), .packages = place.packages};
  if (found.version.empty()) return std::nullopt;
  if (!wanted.backend.empty()) {
    std::string version;
    for (const auto name : wanted.backend_packages)
      if (version.empty() && !name.empty()) version = version_of(place.packages, name);
    if (version.empty()) return std::nullopt;
    found.version += fmt::format(" ({} {})", wanted.backend, version);
  }
  found.python = python_of(place.environment);
  if (found.python.empty()) return std::nullopt;
  if (place.packages == place.environment) found.variables = {{"PYTHONPATH", place.packages.string()}};
  return found;
}

std::string line_to_install(Framework framework) {
  const auto packages = packages_of(framework).to_install;
  const auto asked = engine::asked_environment();
  if (!asked.empty())
    return fmt::format("{} -m pip install {}", shell_quoted(python_of(asked).string()), packages);
  return fmt::format(
      "python3 -m venv frameworks && frameworks/bin/pip install {}, and give --engine-path frameworks",
      packages);
}

/// Imports what the script will, and looks for the device.
std::string trial_of(Framework framework, const std::string& device) {
  auto text = fmt::format("import {}\n", packages_of(framework).needs);
  if (device == "cpu") return text;
  switch (framework) {
    case Framework::identity:
      return "raise SystemExit('steps of known time have no device but cpu')";
    case Framework::automatic:
    case Framework::pytorch:
    case Framework::keras_torch:
      text += fmt::format("torch.zeros(1, device={:?})\n", device);
      break;
    case Framework::keras_tensorflow:
      text +=
          "if not tensorflow.config.list_physical_devices('GPU'): raise SystemExit('TensorFlow finds no "
          "GPU')\n";
      break;
    case Framework::keras_jax:
      text += "jax.devices('cuda')\n";
      break;
  }
  return text;
}

}  // namespace

Result<Installed> find(Framework framework) {
  if (framework == Framework::automatic) {
    auto found = find(Framework::pytorch);
    if (found) return found;
    if (auto other = find(Framework::keras_tensorflow)) return other;
    found.error().message = "neither pytorch nor keras-tensorflow is installed";
    return found;
  }
  if (framework == Framework::identity) {
    const auto python = program_in_path("python3");
    if (python.empty()) return fail(ErrorCode::unsupported, "there is no python3 in PATH");
    return Installed{.framework = framework, .version = "1", .python = python, .packages = python};
  }
  std::vector<std::string> looked_in;
  for (const auto& place : places()) {
    if (auto found = installed_in(place, framework)) return *std::move(found);
    looked_in.push_back(place.packages.string());
  }
  auto error = fail(ErrorCode::unsupported, "{} is not installed", enum_name(framework));
  error.value().add_hint(fmt::format("looked in {}", fmt::join(looked_in, ", ")));
  error.value().add_hint("get it with " + line_to_install(framework));
  return error;
}

Status run_python(const Installed& installed, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"env"};
  for (const auto& [name, value] : installed.variables) command.push_back(fmt::format("{}={}", name, value));
  command.insert(command.end(), {"TF_CPP_MIN_LOG_LEVEL=3", installed.python.string()});
  const auto launcher = launch::here(command);
  NEPH_TRY(const auto child, launcher->start({.arguments = arguments, .files = {}}));
  launch::Child* const waited[]{child.get()};
  while (!child->exit()) launch::Child::wait(waited);
  if (child->exit()->code == 0 && child->exit()->signal == 0) return {};
  return fail(ErrorCode::unavailable, "{}",
              child->stderr_tail().empty() ? child->how_it_ended() : child->stderr_tail());
}

Status try_out(const Installed& installed, const std::string& device) {
  const auto tried = run_python(installed, {"-c", trial_of(installed.framework, device)});
  if (tried) return {};
  return fail(tried.error().code, "{} in {} cannot be used{}: {}", enum_name(installed.framework),
              installed.packages.string(), device == "cpu" ? "" : " on " + device, tried.error().message);
}

}  // namespace neph::framework
