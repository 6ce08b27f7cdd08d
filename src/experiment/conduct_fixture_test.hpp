// What the tests of conduct() share: a store, an observer that remembers, workers that are shell scripts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <stdlib.h>

#include "core/json.hpp"
#include "experiment/experiment.hpp"
#include "store/store.hpp"

namespace neph::experiment {

inline constexpr const char* good_result =
    R"(echo '{"event":"result","figures":[{"name":"images_per_s","unit":"1/s","estimate":{"value":5,"n":1}}]}')";

/// Goes away with the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "neph-experiment-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

class Watcher : public Observer {
 public:
  void run_started(const Slot& slot, const Cell&, const Eta&) override { started.push_back(slot); }
  void began(const Began& began) override { machines.push_back(began.machine); }
  void phase_ended(const Phase& phase) override { phases.push_back(phase.name); }
  void progress(const Progress& progress) override {
    last_progress = progress;
    if (on_progress) on_progress();
  }
  void note(const Note& note) override { notes.push_back(note.text); }
  void finishing() override { ++finishes; }
  void worker_said(std::string_view line) override {
    said_bytes += line.size();
    said = line;
  }
  void run_ended(const neph::Run& run, const Cell&) override { ended.push_back(run); }

  std::vector<Slot> started;
  std::vector<Json> machines;
  std::vector<std::string> phases;
  std::vector<std::string> notes;
  int finishes = 0;
  Progress last_progress;
  std::string said;
  std::size_t said_bytes = 0;
  std::vector<neph::Run> ended;
  std::function<void()> on_progress;
};

class Conduct : public testing::Test {
 protected:
  Experiment begun(Experiment experiment = {.workload = "infer", .spec = {{"batch", 1}}}) {
    return *begin(experiment, store);
  }
  Result<Outcome> conduct_with(const Experiment& experiment) {
    return conduct(experiment, store, launch, watcher, interrupt, SteadyClock());
  }
  void worker_is(std::vector<std::string> program) { launcher = launch::here(std::move(program)); }
  void worker_is(const std::string& script) { worker_is(std::vector<std::string>{"sh", "-c", script}); }
  /// The one run of a worker that is this script.
  neph::Run run_of(const std::string& script) {
    worker_is(script);
    const auto outcome = conduct_with(begun());
    EXPECT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(watcher.ended.size(), 1u);
    return watcher.ended.empty() ? neph::Run{} : watcher.ended.back();
  }

  ScratchFolder folder;
  store::Store store = *store::Store::open(folder / "neph.db", store::Access::write);
  std::unique_ptr<launch::Launcher> launcher;
  Launch launch{.launcher = [this](const Cell&) -> launch::Launcher& { return *launcher; },
                .timeout_s = 20,
                .grace_s = 0.2};
  Watcher watcher;
  Interrupt interrupt;
};

}  // namespace neph::experiment
