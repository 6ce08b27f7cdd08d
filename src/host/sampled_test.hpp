// For tests of telemetry's sources: a recorded tree, sampled by hand.
#pragma once

#include <map>

#include <gmock/gmock.h>

#include "host/sampler.hpp"
#include "os/recorded_tree.hpp"

namespace neph::host {

// A tree in which process 100 lives, sampled by hand.
class Sampled : public testing::Test {
 protected:
  void SetUp() override {
    stat(100, {});
    thread(100, "neph", 0);
  }

  struct Ticks {
    int user = 0, system = 0, waited_user = 0, waited_system = 0, minor = 0, major = 0;
  };
  void stat(int pid, const Ticks& t) {
    tree_.write(fmt::format("proc/{}/stat", pid),
                fmt::format("{} (neph) S 1 1 1 0 -1 4194304 {} 0 {} 0 {} {} {} {} 20 0 3 0 777 1 1\n", pid,
                            t.minor, t.major, t.user, t.system, t.waited_user, t.waited_system));
  }
  void thread(int tid, std::string_view name, std::int64_t run_ms, std::int64_t wait_ms = 0, int pid = 100) {
    const auto folder = fmt::format("proc/{}/task/{}/", pid, tid);
    tree_.write(folder + "comm", fmt::format("{}\n", name));
    tree_.write(folder + "schedstat", fmt::format("{}000000 {}000000 5\n", run_ms, wait_ms));
    tree_.write(fmt::format("proc/{}/schedstat", pid), "1 0 1\n");
  }
  void thread_ends(int tid, int pid = 100) {
    const auto folder = fmt::format("proc/{}/task/{}", pid, tid);
    tree_.write(folder + "/schedstat", "");  // who holds it open reads nothing more
    std::filesystem::remove_all(tree_.root() / folder);
  }

  void start() {
    sampler_.emplace(TelemetryOptions{.pid = 100, .root = tree_.root(), .nvml_library = "", .cost_limit = 0},
                     clock_, clock_.now());
    sampler_->step(true);
  }
  void step(int after_ms) {
    clock_.advance(std::chrono::milliseconds(after_ms));
    sampler_->step(true);
  }
  void finish() {
    for (auto& series : sampler_->take()) series_[series.target + "." + series.name] = series;
  }
  const Series& series(const std::string& name) { return series_.at(name); }
  const std::vector<double>& values(const std::string& name) { return series_.at(name).values; }

  RecordedTree tree_;
  ManualClock clock_;
  std::optional<Sampler> sampler_;
  std::map<std::string, Series> series_;
};

}  // namespace neph::host
