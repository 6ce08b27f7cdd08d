#include "advise/next_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "advise/words.hpp"
#include "core/random.hpp"
#include "stats/stats.hpp"

namespace neph::advise {
namespace {

constexpr double least_chance = 0.005;  ///< of a rival
constexpr std::size_t most_rivals = 8;
constexpr std::size_t outer = 100, inner = 2000;  ///< draws of what a run tells, and of what is then known
constexpr double least_gain = 0.005;

struct Rival {
  std::size_t place = 0;
  double first = 0, second = 0;  ///< what is compared: cost before time, or time before cost
};

/// Whether the choice is by cost, or by time.
struct Question {
  const std::vector<Job>& jobs;
  const std::vector<Candidate>& candidates;
  Limits limits;
  bool is_by_cost;

  /// Of a candidate whose job takes so long; nothing beats what does not keep to the limits less well.
  Rival at(std::size_t place, double job_s) const {
    const auto& candidate = candidates[place];
    const double cost = candidate.cost_at(job_s), done_s = jobs[candidate.job].fixed_s + job_s;
    constexpr auto never = std::numeric_limits<double>::infinity();
    if (!limits.hold(done_s, cost)) return {place, never, never};
    return is_by_cost ? Rival{place, cost, done_s} : Rival{place, done_s, cost};
  }
};

bool is_before(const Rival& a, const Rival& b) {
  return std::pair(a.first, a.second) < std::pair(b.first, b.second);
}

std::vector<std::size_t> rivals_of(const std::vector<std::optional<double>>& chances) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < chances.size(); ++i)
    if (chances[i].value_or(0) >= least_chance) places.push_back(i);
  std::ranges::stable_sort(places, [&](auto a, auto b) { return *chances[a] > *chances[b]; });
  places.resize(std::min(places.size(), most_rivals));
  return places;
}

/// Of each draw the best of those whose job is another.
std::vector<Rival> best_of_others(const Question& question, const std::vector<std::size_t>& rivals,
                                  std::size_t job, const Request& request) {
  constexpr auto never = std::numeric_limits<double>::infinity();
  std::vector<Rival> best(inner, Rival{std::numeric_limits<std::size_t>::max(), never, never});
  for (const auto place : rivals) {
    const auto other = question.candidates[place].job;
    if (other == job) continue;
    const auto& its = question.jobs[other];
    const auto draws = draws_of(other, its, request);
    for (std::size_t i = 0; i < inner; ++i) {
      const auto rival = question.at(place, its.job_s * std::exp(its.sigma * draws[i % draws.size()]));
      if (is_before(rival, best[i])) best[i] = rival;
    }
  }
  return best;
}

/// How much narrower the interval is with one run more.
double narrowing(std::int64_t repeats) {
  return repeats < 2 ? std::sqrt(0.5) : stats::narrowing_by_one_more(repeats);
}

/// What the largest share will be, on average over what the run may tell that makes the interval so much
/// narrower; with 1: what it is now.
double expected_share(const Question& question, const std::vector<std::size_t>& rivals, std::size_t job_place,
                      double narrower, const Request& request) {
  const auto& job = question.jobs[job_place];
  const auto others = best_of_others(question, rivals, job_place, request);
  const auto draws = draws_of(job_place, job, request);
  const double after = job.sigma * narrower;
  const double moves = std::sqrt(std::max(0.0, job.sigma * job.sigma - after * after));
  Random random(static_cast<std::uint64_t>(request.seed) + 77 * (job_place + 1));
  double sum = 0;
  const auto tellings = moves > 0 ? outer : 1;
  for (std::size_t o = 0; o < tellings; ++o) {
    const double moved = moves * random.normal();
    std::vector<std::size_t> counts(question.candidates.size(), 0);
    for (std::size_t i = 0; i < inner; ++i) {
      auto best = others[i];
      const double job_s = job.job_s * std::exp(moved + after * draws[i % draws.size()]);
      for (const auto place : rivals)
        if (question.candidates[place].job == job_place)
          if (const auto own = question.at(place, job_s); is_before(own, best)) best = own;
      if (best.place < counts.size()) ++counts[best.place];
    }
    sum += static_cast<double>(*std::ranges::max_element(counts)) / inner;
  }
  return sum / static_cast<double>(tellings);
}

}  // namespace

std::vector<NextRun> next_runs_of(const std::vector<Job>& jobs, const std::vector<Candidate>& candidates,
                                  const Choice& choice, const Chances& chances, const Request& request) {
  const auto& shares = is_by_cost(request) ? chances.cheapest : chances.fastest;
  const auto rivals = rivals_of(shares);
  if (rivals.size() < 2) return {};
  const Question question{jobs, candidates, limits_of(request), is_by_cost(request)};
  const double now = shares[*choice.recommended].value_or(0);
  std::set<std::size_t> looked_at;
  std::vector<NextRun> runs;
  for (const auto place : rivals) {
    const auto job = candidates[place].job;
    if (!looked_at.insert(job).second || jobs[job].sigma == 0) continue;
    const auto first = std::ranges::find(candidates, job, &Candidate::job);  // its cheapest
    const double narrower = narrowing(jobs[job].configuration->repeats);
    const double gain = expected_share(question, rivals, job, narrower, request) -
                        expected_share(question, rivals, job, 1, request);
    if (gain < least_gain) continue;
    runs.push_back({.configuration = jobs[job].configuration->work.name,
                    .offer = price::offer_name(*first->offer),
                    .cost = one_more_run(*first, jobs[job], request),
                    .p_now = now,
                    .p_expected = std::min(1.0, now + gain)});
  }
  std::ranges::stable_sort(runs, [](const auto& a, const auto& b) { return a.p_expected > b.p_expected; });
  return runs;
}

}  // namespace neph::advise
