#include "advise/turning_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace neph::advise {
namespace {

using Candidates = std::vector<const Candidate*>;

constexpr double shortest_work = 0.001;
constexpr int lengths_per_decade = 24;
constexpr std::int64_t shortest_step_s = 60;    ///< what a second's step changes nobody is told
constexpr std::size_t most_jumps = 1000;        ///< of a bill: further on a step is no thousandth of it
constexpr std::size_t most_prices = 1'000'000;  ///< that are computed in all
constexpr double beside = 1e-9;                 ///< of a jump's length: before it, and behind it

double job_at(const Job& job, double times) {
  const double share = work_share(job);
  return job.job_s * (1 - share + times * share);
}

/// Lengths between which nothing but jumps is looked at.
std::vector<double> lengths() {
  const double decades = std::log10(longest_work / shortest_work);
  const int steps = static_cast<int>(std::lround(lengths_per_decade * decades));
  std::vector<double> all;
  for (int step = 0; step < steps; ++step)
    all.push_back(shortest_work * std::pow(10, static_cast<double>(step) / lengths_per_decade));
  all.push_back(longest_work);
  return all;
}

/// The first length above `from` that is paid with a step more.
std::optional<double> first_jump(const Candidate& candidate, const Job& job, double from, double width) {
  const auto paid = [&](double times) { return candidate.meter.billed_s(job_at(job, times)); };
  double before = from, after = from + width;
  for (; paid(after) <= paid(from); after += width) {  // a minimum may be longer than steps
    if (after > longest_work) return std::nullopt;
    before = after;
    width *= 2;
  }
  constexpr int halvings = 50;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (before + after) / 2;
    (paid(middle) > paid(from) ? after : before) = middle;
  }
  return after;
}

/// Just before and just after a bill goes up by a step: between the other lengths the choice may turn there
/// for a while.
void add_jumps(const Candidate& candidate, const Job& job, double from, std::size_t most,
               std::vector<double>& all) {
  if (candidate.rule->step_s < shortest_step_s || work_share(job) <= 0) return;
  const double width = static_cast<double>(candidate.rule->step_s) / (job.job_s * work_share(job));
  const auto first = first_jump(candidate, job, from, width);
  if (!first) return;
  for (std::size_t i = 0; i < most; ++i) {
    const double jump = *first + static_cast<double>(i) * width;
    if (jump * (1 + beside) >= longest_work) return;
    all.push_back(jump * (1 - beside));
    all.push_back(jump * (1 + beside));
  }
}

}  // namespace

double work_share(const Job& job) {
  double share = 0;
  for (const auto& segment : job.segments)
    if (segment.stage == BillStage::learn || segment.stage == BillStage::verify) share += segment.share;
  return share;
}

double least_cost(const Candidates& some, const std::vector<Job>& jobs, double times) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto* candidate : some)
    least = std::min(least, candidate->cost_at(job_at(jobs[candidate->job], times)));
  return least;
}

double turning_point(const Candidates& first, const Candidates& second, const std::vector<Job>& jobs) {
  const auto pays = [&](double times) {
    return least_cost(second, jobs, times) < least_cost(first, jobs, times);
  };
  const auto last_without = [&](const std::vector<double>& all) {
    return std::find_if_not(all.rbegin(), all.rend(), pays).base() - all.begin();
  };
  auto all = lengths();
  auto from = last_without(all);
  if (from == std::ssize(all)) return std::numeric_limits<double>::infinity();
  all.erase(all.begin(), all.begin() + std::max<std::ptrdiff_t>(0, from - 1));
  const double begin = all.front();
  const auto candidates = first.size() + second.size();
  const auto most = std::min(most_jumps, most_prices / (candidates * candidates));
  for (const auto* side : {&first, &second})
    for (const auto* candidate : *side) add_jumps(*candidate, jobs[candidate->job], begin, most, all);
  std::ranges::sort(all);
  from = last_without(all);
  if (from == 0) return 0;
  double low = all[static_cast<std::size_t>(from) - 1], high = all[static_cast<std::size_t>(from)];
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    (pays(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace neph::advise
