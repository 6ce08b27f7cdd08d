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

/// So many numbers that lie as Student's t of these degrees does, in any order; 0 degrees: as the normal.
/// They are the medians of equal parts of many more draws, so that their means are known better than those of
/// draws.
std::vector<double> evenly_drawn(double degrees, std::size_t count, Random& random) {
  constexpr std::size_t part = 9;
  std::vector<double> draws(part * count);
  for (auto& z : draws) z = degrees > 0 ? student(random, degrees) : random.normal();
  std::ranges::sort(draws);
  std::vector<double> medians(count);
  for (std::size_t i = 0; i < count; ++i) medians[i] = draws[part * i + part / 2];
  shuffle(medians, random);
  return medians;
}

/// Where the mean of the logarithm lies, and what is a unit of the draws around it.
struct Known {
  double moved, unit;
};

/// Of a mean of n runs the next one is off by Student's t of n - 1 degrees, and what is then known is
/// Student's t of n. Where it is not told how many runs there were, by the normal model, as of one with this
/// interval.
struct Model {
  double before = 0, after = 0;  ///< degrees of freedom
  double unit;

  explicit Model(const Job& job) : unit(job.sigma) {
    const auto repeats = job.configuration->repeats;
    if (repeats < 2) return;
    after = static_cast<double>(repeats);
    before = after - 1;
    unit *= z95 / stats::student_errors(repeats);
  }

  Known told(double z) const {
    if (after == 0) return {unit * std::sqrt(0.5) * z, unit * std::sqrt(0.5)};
    return {unit * z / std::sqrt(after + 1), unit * std::sqrt((before + z * z) / (after + 1))};
  }
};

/// A job among the others, whose best of each draw is known.
struct Contest {
  const Question& question;
  const std::vector<std::size_t>& rivals;
  std::size_t job_place;
  std::vector<Rival> others;

  /// The largest share of draws.
  double share(const Known& known, const std::vector<double>& draws) const {
    const auto& job = question.jobs[job_place];
    const double most = farthest * job.sigma;
    std::vector<std::size_t> counts(question.candidates.size(), 0);
    for (std::size_t i = 0; i < inner; ++i) {
      auto best = others[i];
      const double off = std::clamp(known.moved + known.unit * draws[i], -most, most);
      for (const auto place : rivals)
        if (question.candidates[place].job == job_place)
          if (const auto own = question.at(place, job.job_s * std::exp(off)); is_before(own, best))
            best = own;
      if (best.place < counts.size()) ++counts[best.place];
    }
    return static_cast<double>(*std::ranges::max_element(counts)) / inner;
  }
};

/// By how much the largest share will grow, on average over what the run may tell.
double gain_of(const Contest& contest, const Request& request) {
  const Model model(contest.question.jobs[contest.job_place]);
  Random random(static_cast<std::uint64_t>(request.seed) + 77 * (contest.job_place + 1));
  const double now = contest.share({0, model.unit}, evenly_drawn(model.before, inner, random));
  const auto draws = evenly_drawn(model.after, inner, random);
  double sum = 0;
  for (const double z : evenly_drawn(model.before, outer, random)) sum += contest.share(model.told(z), draws);
  return sum / outer - now;
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
    const double gain =
        gain_of({question, rivals, job, best_of_others(question, rivals, job, request)}, request);
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
