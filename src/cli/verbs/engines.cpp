#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "engine/engine.hpp"
#include "framework/framework.hpp"
#include "os/plugin.hpp"

namespace neph::cli {
namespace {

Json device_json(const engine::Device& device) {
  Json precisions = Json::array();
  for (const auto precision : device.precisions) precisions.push_back(std::string(enum_name(precision)));
  return {{"name", device.name},
          {"description", device.description},
          {"precisions", precisions},
          {"providers", device.providers}};
}

Json engine_json(const engine::EngineInfo& info, bool trains) {
  Json devices = Json::array();
  for (const auto& device : info.devices) devices.push_back(device_json(device));
  return {{"name", info.name},       {"usable", info.usable},   {"reason", info.reason},
          {"version", info.version}, {"formats", info.formats}, {"devices", devices},
          {"plugin", info.path},     {"runtime", info.runtime}, {"infers", !info.formats.empty()},
          {"trains", trains}};
}

/// An engine that a build may lack, and what brings it.
struct Optional {
  std::string_view name;
  std::string_view brought_by;
};
constexpr std::array optional_engines{
    Optional{"onnxruntime", "./dev build does it where a mirror of Debian has the header of ONNX Runtime"},
    Optional{"torch", "./dev setup train installs PyTorch, whose libtorch this engine opens"}};

/// Those of this program and those that it could have, by name.
std::vector<engine::EngineInfo> all_engines() {
  auto engines = engine::Registry().list();
  if (engines.empty()) return engines;
  for (const auto& each : optional_engines) {
    if (std::ranges::find(engines, each.name, &engine::EngineInfo::name) != engines.end()) continue;
    engines.push_back({.name = std::string(each.name),
                       .reason = own_bundle().empty() ? fmt::format("it was not built; {}", each.brought_by)
                                                      : "this bundle was made without it"});
  }
  std::ranges::sort(engines, {}, &engine::EngineInfo::name);
  return engines;
}

void print_engine(const engine::EngineInfo& info, std::string_view ability) {
  if (!info.usable) {
    print_lines("{}: cannot run here: {}\n", info.name, info.reason);
    return;
  }
  print_lines("{} {}: {}\n", info.name, info.version, ability);
  if (!info.runtime.empty()) print_lines("  found in {}\n", info.runtime);
  for (const auto& device : info.devices) {
    std::vector<std::string_view> precisions;
    for (const auto precision : device.precisions) precisions.push_back(enum_name(precision));
    print_lines("  {}: {} ({}){}{}\n", device.name, device.description, fmt::join(precisions, ", "),
                device.providers.empty() ? "" : "; providers ", fmt::join(device.providers, ", "));
  }
}

/// Frameworks that train, in Python environments. Whether Python can import them is tried by a training.
std::vector<engine::EngineInfo> all_frameworks() {
  using framework::Framework;
  std::vector<engine::EngineInfo> all;
  for (const auto& [which, name] : enum_names(Framework{})) {
    if (which == Framework::automatic || which == Framework::identity) continue;
    engine::EngineInfo info{.name = std::string(name)};
    if (const auto found = framework::find(which)) {
      info.usable = true;
      info.version = found->version;
      info.runtime = found->packages.string();
    } else {
      info.reason = found.error().text();
    }
    all.push_back(std::move(info));
  }
  return all;
}

Status list_engines(bool json) {
  const auto engines = all_engines(), frameworks = all_frameworks();
  if (json) {
    Json array = Json::array();
    for (const auto& info : engines) array.push_back(engine_json(info, false));
    for (const auto& info : frameworks) array.push_back(engine_json(info, info.usable));
    fmt::print("{}\n", dump_json(array, true));
    return {};
  }
  if (engines.empty())
    return fail(ErrorCode::not_found, "no engine found; set NEPH_ENGINES to the folder of neph-engine-*.so");
  for (const auto& info : engines) print_engine(info, fmt::format("infers {}", fmt::join(info.formats, " ")));
  for (const auto& info : frameworks) print_engine(info, "trains");
  return {};
}

}  // namespace

void declare_engines(Command& command) {
  struct Options {
    bool json = false;
    std::string engine_path;
  };
  auto options = std::make_shared<Options>();
  command.flag("json", options->json, "as JSON on stdout");
  command.option("engine-path", options->engine_path, engine::engine_path_help);
  command.action([options] {
    engine::look_also_in(options->engine_path);
    return list_engines(options->json);
  });
}

}  // namespace neph::cli
