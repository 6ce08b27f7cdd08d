#include "serve/models.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/text.hpp"
#include "launch/launch.hpp"
#include "os/memory.hpp"
#include "serve/repository.hpp"
#include "serve/serve.hpp"

namespace neph::serve {
namespace {

namespace fs = std::filesystem;

/// A path's last name, also of "folder/".
std::string own_name(const fs::path& path) {
  return (path.has_filename() ? path : path.parent_path()).stem().string();
}

/// "onnxruntime_onnx"; of a file whose name says nothing "onnxruntime".
std::string platform_of(const engine::Engine& engine, const fs::path& file) {
  const auto ending = is_saved_model(file) ? ".savedmodel" : file.extension().string();
  return ending.empty() ? engine.name() : engine.name() + "_" + ending.substr(1);
}

/// Names of models in a message.
constexpr std::size_t most_told = 20;

constexpr const char* changed = "its files have changed since it was loaded; load it again";

/// While a model is tried: how often to see whether the server stops.
constexpr auto look_interval = std::chrono::milliseconds(50);

}  // namespace

Models::Models(const ModelOptions& options, const Regions& regions, const Clock& clock)
    : options_(options), regions_(regions), clock_(clock) {}

Status Models::find(const fs::path& path, const std::string& name) {
  std::error_code error;
  if (!fs::exists(path, error)) return fail(ErrorCode::not_found, "no model and no folder {}", path.string());
  path_ = path;
  is_repository_ = is_folder(path) && !is_saved_model(path);
  const std::scoped_lock lock(mutex_);
  if (!is_repository_ && options_.versions != 1)
    return fail(ErrorCode::invalid_argument,
                "--versions {} needs a folder of models, laid out as NAME/VERSION/model.onnx; {} is one file",
                options_.versions, path.string());
  if (is_repository_ && !options_.shape.empty())
    return fail(ErrorCode::invalid_argument,
                "--shape is of one model, and {0} is a folder of them; write it into {0}/NAME/config.toml: "
                "shape = \"{1}\"",
                path.string(), options_.shape);
  if (!is_repository_) {
    const auto own = name.empty() ? own_name(path) : name;
    if (!is_model_name(own))
      return fail(ErrorCode::invalid_argument,
                  "'{}' cannot name a model: it is not UTF-8, or has control characters; name it with --name",
                  printable(own));
    entries_[own];
    return {};
  }
  bool any = false;
  for (const auto& folder : sorted_entries(path)) {
    if (!stands_for_model(folder)) continue;
    const auto own = folder.filename().string();
    auto& entry = entries_[printable(own)];  // also without a version: loading it gives the reason
    if (is_model_name(own))
      any = any || !newest_versions(folder, 1).empty();
    else
      entry = {.state = ModelState::failed,
               .reason = "the folder's name is not UTF-8, or has control characters; rename it"};
  }
  if (any) return {};
  entries_.clear();
  return fail(ErrorCode::invalid_argument,
              "{} holds no model; a repository is laid out as NAME/VERSION/model.onnx, VERSION a number",
              path.string());
}

Status Models::load_all() {
  std::vector<std::string> names;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [name, entry] : entries_)
      if (entry.state == ModelState::loading) names.push_back(name);
  }
  // One process tries all of them; only where that ends by a signal, or hangs, each has one of its own.
  const bool each_tried = names.size() > 1 && !trial_.empty() && !try_apart("");
  Status first;
  for (const auto& name : names)
    if (auto status = load(name, each_tried); !status && first) first = std::move(status);
  return first;
}

// ---- Where a model lies

Result<FoundModel> Models::look(const std::string& name) const {
  if (is_repository_) return look_in_folder(name);
  {
    const std::shared_lock lock(mutex_);
    if (!entries_.contains(name)) return no_such(name);
  }
  FoundModel found{.options = options_};
  found.versions.push_back({.number = "1", .file = path_});
  return found;
}

Result<FoundModel> Models::look_in_folder(const std::string& name) const {
  const bool plain =
      is_model_name(name) && !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
  const auto folder = path_ / name;
  if (std::error_code ignored; plain && fs::is_symlink(folder, ignored) && !fs::exists(folder, ignored))
    return fail(ErrorCode::not_found, "{} is a link that leads to nothing", folder.string());
  if (!plain || !is_folder(folder)) {
    const std::shared_lock lock(mutex_);
    return no_such(name);
  }
  return find_in_repository(folder, options_);
}

tl::unexpected<Error> Models::no_such(const std::string& name) const {
  std::string names;
  std::size_t told = 0;
  for (const auto& [known, entry] : entries_) {
    if (++told > most_told) break;
    names += (names.empty() ? "" : ", ") + known;
  }
  return fail(ErrorCode::not_found, "no model '{}'; this server has: {}{}", name, names,
              told > most_told ? ", ..." : "");
}

// ---- Loading and unloading

/// As the server's options name it; else the first of those that the model's configuration wants and that can
/// be had here, which is noted where it is not the first.
Result<engine::Engine*> Models::engine_for(FoundModel& found, const fs::path& file) {
  const auto& asked = found.options.runtime.engine;
  if (!asked.empty()) return engines_.open(asked);
  if (found.engines.empty()) return engines_.open_for(file);
  auto opened = engines_.open(found.engines.front());
  for (std::size_t i = 1; !opened && i < found.engines.size(); ++i) {
    auto other = engines_.open(found.engines[i]);
    if (!other) continue;
    found.notes.push_back(fmt::format("{} runs it: {}", found.engines[i], opened.error().text()));
    found.engines = {(*other)->name()};  // of its other versions it is not noted again
    return other;
  }
  return opened;
}

Result<std::unique_ptr<Deployment>> Models::open(const std::string& name, FoundModel& found,
                                                 const FoundVersion& version) {
  NEPH_TRY(auto* engine, engine_for(found, version.file));
  auto options = found.options;
  options.runtime.engine = engine->name();
  NEPH_TRY(auto model, engine->load(version.file, engine::Weights::owned));
  const auto notes = model->notes();
  NEPH_TRY(auto deployment, Deployment::open(std::move(model), {name, version.number}, options,
                                             platform_of(*engine, version.file), regions_, clock_));
  deployment->set_files(version.stamps, root());
  if (deployment->files_changed())
    return fail(ErrorCode::unavailable, "the files of model '{}' changed while they were read; load it again",
                name);
  for (const auto& note : found.notes) deployment->add_note("config.pbtxt: " + note);
  for (const auto& note : notes) deployment->add_note(note);
  return deployment;
}

Status Models::load(const std::string& name, bool tried) {
  const std::scoped_lock one_load(loads_);
  auto found = begin_load(name, tried);
  const std::scoped_lock one_at_a_time(loading_);
  auto loaded = found ? load_anew(name, std::move(*found)) : tl::unexpected(std::move(found).error());
  if (!loaded) {
    give_back_free_memory();  // other versions may have been compiled before one failed
    const std::scoped_lock lock(mutex_);
    const auto known = entries_.find(name);
    if (known != entries_.end() && known->second.deployments.empty())
      known->second = {.state = ModelState::failed, .reason = loaded.error().text()};
    return tl::unexpected(std::move(loaded).error());
  }
  {
    const std::unique_lock lock(mutex_);
    auto& entry = entries_[name];
    std::swap(entry.deployments, *loaded);
    entry.state = ModelState::ready;
    entry.reason.clear();
  }
  let_go(*loaded);
  return {};
}

/// When they have answered what they accepted.
void Models::let_go(Deployments& leaving) {
  if (leaving.empty()) return;
  leaving.clear();
  give_back_free_memory();
}

Result<FoundModel> Models::begin_load(const std::string& name, bool tried) {
  NEPH_CHECK(check_staying());
  NEPH_TRY(auto found, look(name));
  {
    const std::scoped_lock lock(mutex_);
    auto& entry = entries_[name];
    if (entry.deployments.empty()) entry = {.state = ModelState::loading};
  }
  for (auto& version : found.versions) version.stamps = stamps_of(version.file);
  if (tried && !trial_.empty()) NEPH_CHECK(try_apart(name));
  return found;
}

Status Models::try_apart(const std::string& name) const {
  auto words = trial_;
  words.insert(words.end(), {path_.string(), name, dump_json(to_json(options_))});
  NEPH_TRY(const auto child, launch::here(std::move(words))->start({}));
  std::string last_line;
  child->on_line = [&](std::string_view line) { last_line = line; };
  const SteadyClock clock;
  const auto until = clock.now() + from_seconds(trial_limit_.value);
  for (launch::Child* const only = child.get(); !child->exit();) {
    NEPH_CHECK(check_staying());
    if (clock.now() >= until)
      return fail(ErrorCode::timeout,
                  "its engine did not load and run it within {} s when it was tried (--load-limit)",
                  trial_limit_.value);
    launch::Child::wait({&only, 1}, std::min(until, clock.now() + look_interval));
  }
  const auto [code, signal] = std::pair(child->exit()->code, child->exit()->signal);
  if (code == 0 && signal == 0) return {};
  if (const auto reason = parse_json(last_line, ""); signal == 0 && reason && reason->is_string())
    return fail(static_cast<ErrorCode>(code - exit_code(ErrorCode{})), "{}", reason->get<std::string>());
  return fail(ErrorCode::unsupported, "its engine {} when it was tried", child->how_it_ended());
}

Result<Models::Deployments> Models::load_anew(const std::string& name, FoundModel found) {
  NEPH_CHECK(check_staying());
  Deployments loaded;
  for (const auto& version : found.versions) {
    NEPH_TRY(auto deployment, open(name, found, version));
    loaded.push_back(std::move(deployment));
  }
  return loaded;
}

Status Models::unload(const std::string& name) {
  const std::scoped_lock one_at_a_time(loading_);
  NEPH_CHECK(check_staying());
  Deployments leaving;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) return no_such(name);
    found->second.state = ModelState::unloading;
    leaving.swap(found->second.deployments);
  }
  let_go(leaving);
  set_state(name, ModelState::unloaded, "unloaded");
  return {};
}

/// What waits for its turn to be loaded must not hold up a server that ends.
Status Models::check_staying() const {
  if (stopping_) return fail(ErrorCode::unavailable, "the server is stopping");
  return {};
}

void Models::set_state(const std::string& name, ModelState state, std::string reason) {
  const std::scoped_lock lock(mutex_);
  auto& entry = entries_[name];
  entry.state = state;
  entry.reason = std::move(reason);
}

bool Models::stop(Moment until) {
  stopping_ = true;
  each_ready([](Deployment& deployment) { deployment.close(); });
  bool all = true;
  each_ready([&](Deployment& deployment) {
    if (deployment.drain(until)) return;
    all = false;
    deployment.abort();
  });
  // An execution cannot be cut short, and holds its requests.
  each_ready([](Deployment& deployment) { deployment.drain(Moment::max()); });
  return all;
}

// ---- What there is

bool Models::ready() const {
  const std::shared_lock lock(mutex_);
  return std::all_of(entries_.begin(), entries_.end(), [](const auto& entry) {
    const auto state = entry.second.state;
    return state != ModelState::loading && state != ModelState::unloading;
  });
}

Result<bool> Models::model_ready(const std::string& name, const std::string& version) const {
  const std::shared_lock lock(mutex_);
  if (!entries_.contains(name)) return no_such(name);
  return find_ready(name, version).has_value();
}

Result<const Models::Deployments*> Models::find_ready(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return no_such(name);
  const auto& [state, reason, deployments] = found->second;
  if (!deployments.empty()) return &deployments;
  return fail(ErrorCode::unavailable, "model '{}' is not ready: {}{}{}", name, enum_name(state),
              reason.empty() ? "" : ", ", without_folders(reason, root()));
}

Result<Deployment*> Models::find_ready(const std::string& name, const std::string& version) const {
  NEPH_TRY(const auto* deployments, find_ready(name));
  if (version.empty()) return deployments->front().get();
  for (const auto& deployment : *deployments)
    if (deployment->name().version == version) return deployment.get();
  return fail(ErrorCode::not_found, "model '{}' has no version '{}'; it is served in version {}", name,
              version, fmt::join(versions_of(*deployments), ", "));
}

Result<wire::ModelMetadata> Models::metadata(const std::string& name, const std::string& version) const {
  const std::shared_lock lock(mutex_);
  NEPH_TRY(const auto* deployments, find_ready(name));
  NEPH_TRY(const auto* deployment, find_ready(name, version));
  auto about = deployment->metadata();
  about.versions = versions_of(*deployments);
  return about;
}

std::vector<std::string> Models::versions_of(const Deployments& deployments) {
  std::vector<std::string> all;
  for (const auto& deployment : deployments) all.insert(all.begin(), deployment->name().version);
  return all;
}

std::vector<wire::RepositoryEntry> Models::list(bool only_ready) const {
  const std::shared_lock lock(mutex_);
  std::vector<wire::RepositoryEntry> all;
  for (const auto& [name, entry] : entries_) {
    const auto state = std::string(enum_name(entry.state));
    for (auto each = entry.deployments.rbegin(); each != entry.deployments.rend(); ++each)
      all.push_back({.name = name,
                     .version = (*each)->name().version,
                     .state = state,
                     .reason = (*each)->files_changed() ? changed : entry.reason});
    if (entry.deployments.empty() && !only_ready)
      all.push_back({.name = name, .state = state, .reason = without_folders(entry.reason, root())});
  }
  return all;
}

std::map<std::string, std::string> Models::failures() const {
  const std::shared_lock lock(mutex_);
  std::map<std::string, std::string> all;
  for (const auto& [name, entry] : entries_)
    if (entry.state != ModelState::ready) all[name] = entry.reason;
  return all;
}

Status try_model(const fs::path& path, const std::string& name, const ModelOptions& options) {
  const SteadyClock clock;
  const Regions regions(false, 0);
  Models models(options, regions, clock);
  NEPH_CHECK(models.find(path, name));
  std::vector<std::string> names{name};
  if (name.empty()) {
    names.clear();
    for (const auto& entry : models.list(false)) names.push_back(entry.name);
  }
  Status tried;
  for (const auto& each : names) {
    tried = models.load(each);
    if (!tried) continue;
    models.each_ready([](const Deployment& deployment) { deployment.try_smallest(); });
    if (names.size() > 1) (void)models.unload(each);  // their memory is not had all at once
  }
  return name.empty() ? Status() : tried;
}

}  // namespace neph::serve
