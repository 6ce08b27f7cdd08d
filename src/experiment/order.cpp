// In which order runs are made, how long they will take, and which stored experiment they continue.
#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/random.hpp"
#include "core/values.hpp"
#include "experiment/experiment.hpp"
#include "record/cells.hpp"
#include "store/store.hpp"

namespace neph::experiment {
namespace {

/// Where its runs are made, which its command says since there is more than one place. No column of the
/// store's: stores of this schema are read by a neph that knows of none.
std::string place_of(const Experiment& experiment) {
  const auto words = shell_words(experiment.command);
  const auto option = std::ranges::find(words, "--on");
  return option == words.end() || option + 1 == words.end() ? "here" : *(option + 1);
}

/// What makes two experiments the same, as text: keys sorted, because their order means nothing. The order
/// of factors and of their values stays, because it numbers the cells that stored runs refer to.
std::string canonical(const Experiment& experiment) {
  const Json whole = {{"workload", experiment.workload},
                      {"spec", experiment.spec},
                      {"factors", to_json(experiment.factors)},
                      {"idle", to_json(experiment.idle)},
                      {"on", place_of(experiment)}};
  const nlohmann::json sorted = whole;
  return sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::vector<Slot> order(const Experiment& experiment, std::int64_t cells) {
  Random random(experiment.seed);
  std::vector<std::int64_t> block(static_cast<std::size_t>(cells));
  std::vector<Slot> slots;
  for (std::int64_t repeat = 0; repeat < experiment.repeat; ++repeat) {
    std::iota(block.begin(), block.end(), 0);
    shuffle(block, random);
    for (const auto cell : block)
      slots.push_back({.cell = cell, .repeat = repeat, .position = static_cast<std::int64_t>(slots.size())});
  }
  return slots;
}

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

Result<Experiment> begin(const Experiment& experiment, store::Store& store) {
  NEPH_TRY(const auto cells, expand(experiment));
  auto begun = experiment;
  NEPH_TRY(begun.id, store.create_experiment(experiment, cells));
  return begun;
}

Result<std::optional<Experiment>> find_resumable(const store::Store& store, const Experiment& experiment,
                                                 std::optional<std::uint64_t> seed) {
  NEPH_TRY(auto stored, store.experiments());
  const auto wanted = canonical(experiment);
  const auto found = std::find_if(stored.rbegin(), stored.rend(), [&](const Experiment& other) {
    return (!seed || other.seed == *seed) && canonical(other) == wanted;
  });
  if (found == stored.rend()) return std::nullopt;
  found->repeat = experiment.repeat;
  return std::move(*found);
}

}  // namespace neph::experiment
