#include "price/hire.hpp"

#include <algorithm>

namespace neph::price {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

/// The stages of the job that come into the bill: those that nobody gave otherwise.
bool is_used(const Hire& hire, const StageTime& time) {
  return std::ranges::find(hire.around.given, time.stage, &Stretch::stage) == hire.around.given.end();
}

Result<Exact> amount_at(const Rule& rule, const Price& price, const Hire& hire, Bound bound) {
  NEPH_TRY(const auto starts, starts_of(rule, hire, bound));
  NEPH_TRY(const auto result, bill(rule, price, starts));
  return result.amount;
}

/// What is only assumed behind the last mark ends where the next start begins.
void end_within(Nanoseconds time, std::vector<Stretch>& stages) {
  auto over = -time;
  for (const auto& each : stages) over += each.length;
  for (auto each = stages.rbegin(); each != stages.rend() && over > Nanoseconds{}; ++each) {
    if (each->known != Known::assumed) continue;
    const auto cut = std::min(over, each->length);
    each->length -= cut;
    over -= cut;
  }
}

Result<std::vector<Stretch>> stages_of(const Rule& rule, const Sources& sources, std::int64_t jobs) {
  const bool is_measured = !sources.job.empty() || !sources.marks.empty();
  const auto once = with_idle_of(rule, stages_of_start(sources));
  return jobs_on_one_start(is_measured ? with_absent(once) : once, jobs);
}

}  // namespace

Result<std::vector<Start>> starts_of(const Rule& rule, const Hire& hire, Bound bound) {
  auto sources = hire.around;
  sources.job = stretches(hire.work, bound);
  const double times = bound == Bound::low ? 1 / assumed_spread : bound == Bound::high ? assumed_spread : 1;
  for (auto& assumed : sources.assumed) assumed.length = from_seconds(times * seconds(assumed.length));
  NEPH_TRY(const auto all, stages_of(rule, sources, hire.jobs));
  std::vector<Start> starts;
  for (const auto& begin : hire.begins) starts.push_back({.begin = begin, .stretches = all});
  for (std::size_t i = 1; i < starts.size() && bound == Bound::high; ++i)  // what is assumed may be shorter
    end_within(hire.begins[i] - hire.begins[i - 1], starts[i - 1].stretches);
  for (std::size_t i = 1; i < hire.marked.size(); ++i) {
    sources.marks = hire.marked[i].stages;
    NEPH_TRY(auto its, stages_of(rule, sources, hire.jobs));
    starts.push_back({.begin = hire.begins.front() + (hire.marked[i].at - hire.marked[0].at),
                      .stretches = std::move(its)});
    end_within(hire.marked[i].at - hire.marked[i - 1].at, starts[starts.size() - 2].stretches);
  }
  return starts;
}

Result<Priced> priced(const Rule& rule, const Price& price, const Hire& hire) {
  NEPH_TRY(const auto starts, starts_of(rule, hire, Bound::value));
  Priced result;
  NEPH_TRY(result.bill, bill(rule, price, starts));
  bool has_interval = false;
  for (const auto& time : hire.work.stages) {
    if (!rule.billed.pays(time.stage) || !is_used(hire, time)) continue;
    const bool is_sure = time.seconds.low && time.seconds.high;
    has_interval |= is_sure;
    if (!is_sure && time.known == Known::measured) result.without_interval.push_back(time.stage);
  }
  if (!has_interval) return result;
  NEPH_TRY(result.low, amount_at(rule, price, hire, Bound::low));
  NEPH_TRY(result.high, amount_at(rule, price, hire, Bound::high));
  return result;
}

Result<std::vector<Minutes>> sweep_hour(const Rule& rule, const Price& price, const Hire& hire,
                                        Instant moment) {
  NEPH_TRY(const auto hour, period_begin(moment, hours(1), rule.time_zone));
  std::vector<Minutes> sweep;
  for (int minute = 0; minute < 60; ++minute) {
    auto moved = hire;
    moved.begins = {hour + minutes(minute)};
    NEPH_TRY(auto total, amount_at(rule, price, moved, Bound::value));
    if (sweep.empty() || sweep.back().total != total)
      sweep.push_back({.first = minute, .last = minute, .total = std::move(total)});
    sweep.back().last = minute;
  }
  return sweep;
}

std::string sweep_text(const std::vector<Minutes>& sweep, const std::string& currency) {
  const auto [least, most] = std::ranges::minmax_element(sweep, {}, &Minutes::total);
  if (least->total == most->total)
    return fmt::format("The minute of the start makes no difference: {} {}.\n", decimal_text(least->total),
                       currency);
  std::string text;
  for (const auto& part : sweep) {
    text += fmt::format("{} :{:02}", text.empty() ? "Start from" : ", from", part.first);
    text += fmt::format(" to :{:02}: {} {}", part.last, decimal_text(part.total), currency);
  }
  return text + fmt::format(".\nStart at :{:02}, not at :{:02}: {} instead of {} {}.\n", least->first,
                            most->first, decimal_text(least->total), decimal_text(most->total), currency);
}

}  // namespace neph::price
