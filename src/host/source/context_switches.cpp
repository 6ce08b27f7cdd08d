// How often the tree's threads gave their processor away, and how often it was taken from them. The kernel
// keeps this per thread only, in a long file: it is read once a second.
#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class ContextSwitches final : public Source {
 public:
  ContextSwitches(const Subject& subject, Recorder& recorder)
      : tree_(&subject.tree),
        voluntary_(recorder.rate(subject.process, telemetry::context_switches_voluntary)),
        involuntary_(recorder.rate(subject.process, telemetry::context_switches_involuntary)) {}

  void sample(Moment now) override {
    for (const auto& member : tree_->members())
      for (const int tid : member.tids)
        read_thread(member.folder / "task" / fmt::format("{}", tid) / "status", tid);
    started_ = true;
    if (last_.empty()) {
      voluntary_.unavailable("no /proc/<pid>/task/<tid>/status tells");
      involuntary_.unavailable("no /proc/<pid>/task/<tid>/status tells");
      return;
    }
    voluntary_.count(now, sum_.voluntary);
    involuntary_.count(now, sum_.involuntary);
  }

  Nanoseconds spacing() const override { return std::chrono::milliseconds(900); }

 private:
  struct Counts {
    double voluntary = 0;
    double involuntary = 0;
  };

  void read_thread(const std::filesystem::path& file, int tid) {
    CounterFile status(file, 4096);
    const auto text = status.read();
    const auto voluntary = number_after(text.value_or(""), "voluntary_ctxt_switches");
    const auto involuntary = number_after(text.value_or(""), "nonvoluntary_ctxt_switches");
    if (!voluntary || !involuntary) return;  // it has ended: what it counted stays in the sum
    const Counts now{static_cast<double>(*voluntary), static_cast<double>(*involuntary)};
    auto& before = last_[tid];
    if (started_) {
      sum_.voluntary += std::max(0.0, now.voluntary - before.voluntary);
      sum_.involuntary += std::max(0.0, now.involuntary - before.involuntary);
    }
    before = now;
  }

  ProcessTree* tree_;
  Rate voluntary_, involuntary_;
  std::map<int, Counts> last_;
  Counts sum_;
  bool started_ = false;
};

}  // namespace

SourcePtr context_switches(const Subject& subject, Recorder& recorder) {
  return std::make_unique<ContextSwitches>(subject, recorder);
}

}  // namespace neph::host
