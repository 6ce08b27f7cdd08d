#include <algorithm>

#include "experiment/experiment.hpp"

namespace neph::experiment {

Eta::Eta(const std::vector<Slot>& pending, const Clock& clock) : clock_(clock) {
  for (const auto& slot : pending) ++pending_[slot.cell];
}

void Eta::learn(std::int64_t cell, double wall_s) {
  for (auto* seen : {&seen_[cell], &all_}) {
    seen->sum_s += wall_s;
    ++seen->runs;
  }
}

void Eta::started(const Slot& slot) {
  --pending_[slot.cell];
  current_[slot.position] = {slot.cell, clock_.now()};
}

void Eta::ended(const Slot& slot) {
  learn(slot.cell, seconds(clock_.now() - current_[slot.position].begin));
  current_.erase(slot.position);
}

std::int64_t Eta::runs_left() const {
  auto runs = std::ssize(current_);
  for (const auto& [cell, count] : pending_) runs += count;
  return runs;
}

std::optional<double> Eta::expected_s(std::int64_t cell) const {
  const auto found = seen_.find(cell);
  const auto& seen = found != seen_.end() ? found->second : all_;
  if (seen.runs == 0) return std::nullopt;
  return seen.sum_s / static_cast<double>(seen.runs);
}

std::optional<double> Eta::left_s() const {
  double left = 0;
  for (const auto& [position, run] : current_) {
    const auto whole = expected_s(run.cell);
    if (!whole) return std::nullopt;
    left += std::max(0.0, *whole - seconds(clock_.now() - run.begin));
  }
  for (const auto& [cell, count] : pending_) {
    if (count == 0) continue;
    const auto each = expected_s(cell);
    if (!each) return std::nullopt;
    left += *each * static_cast<double>(count);
  }
  return left / static_cast<double>(std::max<std::size_t>(1, current_.size()));
}

}  // namespace neph::experiment
