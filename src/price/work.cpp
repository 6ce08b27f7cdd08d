#include "price/work.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "record/facts.hpp"
#include "record/metrics.hpp"

namespace neph::price {
namespace {

/// Of independent parts: values add, and on each side intervals in quadrature; one without an interval takes
/// it from the sum.
Estimate sum_of(const Estimate& a, const Estimate& b) {
  Estimate sum{.value = a.value + b.value, .n = std::min(a.n, b.n)};
  if (a.low && b.low) sum.low = std::max(0.0, sum.value - std::hypot(a.value - *a.low, b.value - *b.low));
  if (a.high && b.high) sum.high = sum.value + std::hypot(*a.high - a.value, *b.high - b.value);
  return sum;
}

/// The same, so much shorter: of a time that has a part which was told apart.
Estimate less(const Estimate& estimate, double part) {
  Estimate result{.value = std::max(0.0, estimate.value - part), .n = estimate.n};
  if (estimate.low) result.low = std::max(0.0, *estimate.low - part);
  if (estimate.high) result.high = std::max(0.0, *estimate.high - part);
  return result;
}

/// A field of the workload's description; what is not stated has its default.
double field_of(const CellSummary& cell, const char* name, double usual) {
  const auto& spec = cell.cell.spec;
  if (!spec.is_object()) return usual;
  const auto field = spec.find(name);
  return field != spec.end() && field->is_number() ? field->get<double>() : usual;
}

double length_of(const CellSummary& cell, const PhaseKind& kind) {
  const auto* length = find_figure(cell.phases_s, kind.name);
  return length ? length->value : 0;
}

using Stages = std::map<BillStage, Estimate>;

Stages measured_stages(const CellSummary& cell) {
  Stages stages;
  for (const auto& kind : phase_kinds) {
    const auto* length = find_figure(cell.phases_s, kind.name);
    if (!length) continue;
    const auto [place, is_first] = stages.try_emplace(kind.stage, *length);
    if (!is_first) place->second = sum_of(place->second, *length);
  }
  return stages;
}

/// Whether some of the training was measured, and the rest is told from that.
bool is_extrapolated(const CellSummary& cell) {
  if (!find_figure(cell.figures, metric::training_s.name)) return false;
  if (const auto how = get(cell.facts, fact::training_time)) return *how != "measured";
  // Runs that were extrapolated from different numbers of steps share no such fact.
  return field_of(cell, "steps", 0) > 0 ||
         std::ranges::count(cell.warnings, WarningCode::stopped_early, &Warning::code) > 0;
}

/// training_s goes from the first step to the end of the last verifying. Its first steps are of stage start.
void put_whole_training(const CellSummary& cell, Stages& stages) {
  const double epochs = field_of(cell, "epochs", 1);
  const auto& training = *find_figure(cell.figures, metric::training_s.name);
  const auto* of_an_epoch = find_figure(cell.figures, metric::verify_s.name);
  const auto verify = of_an_epoch ? scaled(*of_an_epoch, epochs) : Estimate{.value = 0};
  if (of_an_epoch) stages[BillStage::verify] = verify;
  stages[BillStage::learn] =
      less(training, verify.value + length_of(cell, phase::first_step) + length_of(cell, phase::warmup));
}

Nanoseconds length_at(const Estimate& seconds, Bound bound) {
  const auto end = bound == Bound::low ? seconds.low : bound == Bound::high ? seconds.high : std::nullopt;
  return from_seconds(std::max(0.0, end.value_or(seconds.value)));
}

}  // namespace

const Estimate* find_figure(const std::map<std::string, Estimate>& estimates, std::string_view name) {
  const auto found = estimates.find(std::string(name));
  return found == estimates.end() || !std::isfinite(found->second.value) ? nullptr : &found->second;
}

Result<Work> work_of(const CellSummary& cell) {
  if (cell.runs_ok == 0)
    return fail(ErrorCode::not_found, "{}: no run of it ended well, so nobody knows what it takes",
                cell.cell.label);
  auto stages = measured_stages(cell);
  if (is_extrapolated(cell)) put_whole_training(cell, stages);
  Work work{.name = cell.cell.label};
  for (const auto& [stage, seconds] : stages) work.stages.push_back({.stage = stage, .seconds = seconds});
  return work;
}

std::vector<Stretch> stretches(const Work& work, Bound bound) {
  std::vector<Stretch> all;
  for (const auto& [stage, seconds, known] : work.stages)
    all.push_back({.stage = stage, .length = length_at(seconds, bound), .known = known});
  return all;
}

}  // namespace neph::price
