#include "host/sampler.hpp"

#include <algorithm>
#include <utility>

namespace neph::host {
namespace {

constexpr Nanoseconds longest_spacing = std::chrono::seconds(1);  // however much a reading costs

}  // namespace

Sampler::Sampler(const TelemetryOptions& options, const Clock& clock, Moment origin)
    : clock_(&clock),
      cost_limit_(options.cost_limit),
      recorder_(origin, from_seconds(0.5 / options.rate_hz)),
      records_(options.root),
      tree_(records_, options.pid, options.descendants) {
  const Subject subject{.records = records_,
                        .pid = options.pid,
                        .tree = tree_,
                        .nvml_library = options.nvml_library,
                        .process = options.process,
                        .control_group_alone = options.control_group_alone};
  for (auto& source : open_sources(subject, recorder_, options.machine))
    entries_.push_back({.source = std::move(source)});
}

void Sampler::step(bool all) {
  tree_.refresh();
  for (auto& entry : entries_)
    if (all || clock_->now() >= entry.due) read(entry);
}

void Sampler::read(Entry& entry) {
  const auto now = clock_->now();
  const auto before = thread_cpu_time();
  entry.source->sample(now);
  const auto cost = thread_cpu_time() - before;
  // The first reading grows buffers and starts drivers; a single dear one was disturbed.
  entry.cost = entry.readings < 2 ? Nanoseconds{} : entry.readings == 2 ? cost : std::min(entry.cost, cost);
  ++entry.readings;
  auto wait = entry.source->spacing();
  if (cost_limit_ > 0)
    wait = std::max(wait, std::min(from_seconds(seconds(entry.cost) / cost_limit_), longest_spacing));
  entry.due = now + wait;
}

}  // namespace neph::host
