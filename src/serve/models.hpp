// The models that a server has: one file, or a folder of them. Only for files of this module.
//
// Of a repository folder (repository.hpp) the newest versions of each model are served, as many as its
// options say.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "serve/deployment.hpp"
#include "serve/repository.hpp"

namespace neph::serve {

/// In the protocol's words the last two are one: what is not there because it was not wanted, and what could
/// not be loaded.
enum class ModelState { loading, ready, unloading, unloaded, failed };
constexpr auto enum_names(ModelState) {
  return std::array{Named{ModelState::loading, "LOADING"}, Named{ModelState::ready, "READY"},
                    Named{ModelState::unloading, "UNLOADING"}, Named{ModelState::unloaded, "UNAVAILABLE"},
                    Named{ModelState::failed, "UNAVAILABLE"}};
}

/// Threads: any. Loading and unloading take turns; requests go on meanwhile.
class Models {
 public:
  /// `options` are those of every model, where its config.toml says nothing else.
  Models(const ModelOptions& options, const Regions& regions, const Clock& clock);

  /// Finds what `path` holds, and loads nothing yet. `name` is a single file's; empty: the file's own.
  /// Errors: not_found, invalid_argument (a folder without models).
  Status find(const std::filesystem::path& path, const std::string& name);
  /// Has each model that joins others loaded and run in a process of its own first, by `command` with the
  /// path of find(), the model's name and the options as JSON behind it (try_model), within `limit`.
  void try_by(std::vector<std::string> command, Seconds limit) {
    trial_ = std::move(command);
    trial_limit_ = limit;
  }
  /// Loads all; one that cannot be loaded keeps none of the others from it. The first error.
  Status load_all();

  /// Loads its newest versions anew, and lets those before go when they have answered what they accepted;
  /// until then both take memory. Where one cannot be loaded, those before stay as they were. Errors:
  /// not_found, and those of loading.
  Status load(const std::string& name) { return load(name, true); }
  /// Returns when everything accepted has been answered. Errors: not_found.
  Status unload(const std::string& name);

  /// Whether none is on its way in or out: one that cannot be loaded keeps nobody from the others.
  bool ready() const;
  Result<bool> model_ready(const std::string& name, const std::string& version) const;
  /// With reasons for clients: without the server's folders.
  std::vector<wire::RepositoryEntry> list(bool only_ready) const;
  /// By model that is not ready: why, in full.
  std::map<std::string, std::string> failures() const;
  /// The same for errors that go to clients.
  Error for_clients(Error error) const { return without_folders(std::move(error), root()); }
  /// With all versions that can be asked for, the oldest first.
  Result<wire::ModelMetadata> metadata(const std::string& name, const std::string& version) const;

  /// Calls `use` with that version of the model, an empty one: the newest; it cannot go meanwhile. Errors:
  /// not_found, unavailable (not ready).
  template <class Use>
  Status with(const std::string& name, const std::string& version, Use&& use) const {
    const std::shared_lock lock(mutex_);
    NEPH_TRY(Deployment * deployment, find_ready(name, version));
    use(*deployment);
    return {};
  }
  /// Calls `use` with each version of each model that is ready.
  template <class Use>
  void each_ready(Use&& use) const {
    const std::shared_lock lock(mutex_);
    for (const auto& [name, entry] : entries_)
      for (const auto& deployment : entry.deployments) use(*deployment);
  }
  /// Calls `use` with each version of one. Errors: as with().
  template <class Use>
  Status each_version(const std::string& name, Use&& use) const {
    const std::shared_lock lock(mutex_);
    NEPH_TRY(const auto* deployments, find_ready(name));
    for (const auto& deployment : *deployments) use(*deployment);
    return {};
  }

  /// Refuses what comes from now on, waits until `until` for what was accepted, and then answers the rest
  /// as unavailable. False: there was such a rest.
  bool stop(Moment until);
  /// Refuses to load and unload from now on, and gives up what is being tried.
  void stop_loading() { stopping_ = true; }

 private:
  using Deployments = std::vector<std::unique_ptr<Deployment>>;  ///< of one model, the newest first
  struct Entry {
    ModelState state = ModelState::loading;
    std::string reason;
    Deployments deployments;
  };

  Result<FoundModel> look(const std::string& name) const;
  Result<FoundModel> look_in_folder(const std::string& name) const;
  Status load(const std::string& name, bool tried);
  Result<FoundModel> begin_load(const std::string& name, bool tried);
  Status try_apart(const std::string& name) const;
  Result<Deployments> load_anew(const std::string& name, FoundModel found);
  Result<engine::Engine*> engine_for(FoundModel& found, const std::filesystem::path& file);
  Result<std::unique_ptr<Deployment>> open(const std::string& name, FoundModel& found,
                                           const FoundVersion& version);
  Result<const Deployments*> find_ready(const std::string& name) const;
  Result<Deployment*> find_ready(const std::string& name, const std::string& version) const;
  /// Their numbers, the oldest first.
  static std::vector<std::string> versions_of(const Deployments& deployments);
  static void let_go(Deployments& leaving);
  void set_state(const std::string& name, ModelState state, std::string reason);
  Status check_staying() const;
  /// From which on clients may see paths.
  std::filesystem::path root() const { return is_repository_ ? path_ : path_.parent_path(); }
  /// With the names that there are; the entries are locked.
  tl::unexpected<Error> no_such(const std::string& name) const;

  const ModelOptions options_;
  const Regions& regions_;
  const Clock& clock_;
  std::filesystem::path path_;
  bool is_repository_ = false;
  std::atomic<bool> stopping_{false};

  std::vector<std::string> trial_;  ///< empty: none
  Seconds trial_limit_;

  std::mutex loads_;    ///< held by a load from its trial on
  std::mutex loading_;  ///< held while models are loaded and unloaded
  engine::Registry engines_;
  mutable std::shared_mutex mutex_;  ///< of the entries
  std::map<std::string, Entry> entries_;
};

}  // namespace neph::serve
