#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/ranges.h>

#include "core/names.hpp"
#include "engine/engine.hpp"
#include "engine/runtimes.hpp"
#include "os/plugin.hpp"

namespace neph::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "neph-engine-";
constexpr std::string_view suffix = ".so";
constexpr std::string_view usual = "openvino";  ///< where several read a file: on CPUs mostly the fastest

/// "openvino" of "neph-engine-openvino.so"; empty if the file is no plugin.
std::string engine_name(const fs::path& file) {
  const auto name = file.filename().string();
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return {};
  return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
}

}  // namespace

struct Registry::Plugin {
  std::string name;
  fs::path path;
  std::unique_ptr<Engine> engine;  ///< empty until it is first asked for

  std::vector<fs::path> folders() const { return runtime_folders(name, python_environments()); }

  Result<Engine*> open() {
    if (engine) return engine.get();
    auto loaded = load_plugin<Engine>(fmt::format("engine '{}'", name), path, NEPH_ENGINE_SYMBOL, folders());
    if (!loaded) return tl::unexpected(with_advice(std::move(loaded.error()), folders()));
    NEPH_CHECK(check_asked((*loaded)->version()));
    engine = std::move(*loaded);
    return engine.get();
  }

  /// What --engine-path has is what the user wants to measure: another version in its place is none.
  Status check_asked(const std::string& used) const {
    const auto asked = asked_environment();
    if (asked.empty()) return {};
    for (const auto& folder : runtime_folders(name, {asked}))
      if (const auto version = version_in(folder, name); !is_of_version(used, version))
        return fail(ErrorCode::unsupported,
                    "engine '{}' needs {}, and --engine-path {} has {} {}; install what it needs there, or "
                    "leave --engine-path out",
                    name, packages_for(path), asked.string(), name, version);
    return {};
  }

  /// Where its runtime was looked for, and how to get it.
  Error with_advice(Error error, const std::vector<fs::path>& looked_in) const {
    const auto line = line_to_get(path);
    if (line.empty()) return error;
    std::vector<std::string> folders;
    for (const auto& folder : looked_in) {
      const auto version = version_in(folder, name);
      folders.push_back(folder.string() + (version.empty() ? "" : fmt::format(" ({} {})", name, version)));
    }
    error.add_hint(folders.empty()
                       ? "there is no such package in $VIRTUAL_ENV, beside the program or in --engine-path"
                       : fmt::format("looked in {}", fmt::join(folders, ", ")));
    error.add_hint("get it with " + line);
    return error;
  }
};

std::vector<fs::path> Registry::default_folders() {
  if (const char* folder = std::getenv("NEPH_ENGINES"); folder != nullptr && *folder != '\0') return {folder};
  const auto program = program_folder();
  return {program / "engines", program / "../lib/neph"};
}

Registry::Registry(const std::vector<fs::path>& folders) {
  for (const auto& folder : folders) {
    folders_.push_back(folder.string());
    std::error_code absent;
    for (const auto& file : fs::directory_iterator(folder, absent)) {
      const auto name = engine_name(file.path());
      const bool known =
          std::any_of(plugins_.begin(), plugins_.end(), [&](auto& p) { return p->name == name; });
      if (name.empty() || known) continue;
      plugins_.push_back(
          std::make_unique<Plugin>(Plugin{name, fs::absolute(file.path()).lexically_normal(), {}}));
    }
  }
  std::ranges::sort(plugins_, {}, [](const auto& plugin) { return plugin->name; });
}

Registry::~Registry() = default;
Registry::Registry(Registry&&) noexcept = default;
Registry& Registry::operator=(Registry&&) noexcept = default;

Result<Registry::Plugin*> Registry::find(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& plugin : plugins_) {
    if (plugin->name == name) return plugin.get();
    names.push_back(plugin->name);
  }
  if (names.empty())
    return fail(
        ErrorCode::not_found,
        "engine '{}' not found: there is no neph-engine-*.so in {}; set NEPH_ENGINES to the folder of the "
        "plugins",
        name, fmt::join(folders_, ", "));
  return unknown_name(ErrorCode::not_found, "engine", name, names);
}

Result<Engine*> Registry::open(const std::string& name) {
  NEPH_TRY(auto* const plugin, find(name));
  return plugin->open();
}

Result<Engine*> Registry::open_for(const std::filesystem::path& model) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(model, ignored);
  const auto ending = folder ? std::string("saved_model.pb") : model.extension().string();
  std::vector<Plugin*> in_turn;
  for (const auto& plugin : plugins_) in_turn.push_back(plugin.get());
  std::ranges::stable_partition(in_turn, [](const auto* plugin) { return plugin->name == usual; });
  std::vector<std::string> known;
  for (auto* const plugin : in_turn) {
    const auto engine = plugin->open();
    if (!engine) continue;
    for (const auto& format : (*engine)->formats()) {
      if (format == ending) return *engine;
      known.push_back(format);
    }
  }
  return fail(ErrorCode::unsupported, "{}: no engine here reads '{}' files; there are engines for {}",
              model.string(), ending, known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

std::vector<EngineInfo> Registry::list() {
  std::vector<EngineInfo> infos;
  for (const auto& plugin : plugins_) {
    EngineInfo info{.name = plugin->name, .path = plugin->path.string()};
    const auto engine = plugin->open();
    info.runtime = loaded_from(plugin->folders()).string();
    if (!engine) {
      info.reason = engine.error().text();
    } else {
      info.formats = (*engine)->formats();
      info.version = (*engine)->version();
      auto devices = (*engine)->devices();
      if (devices) info.devices = std::move(*devices);
      info.usable = !info.devices.empty();
      if (!info.usable) info.reason = devices ? "it finds no device to run on" : devices.error().text();
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace neph::engine
