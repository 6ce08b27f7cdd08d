#include "advise/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "advise/words.hpp"
#include "core/random.hpp"
#include "record/money_words.hpp"
#include "stats/stats.hpp"

namespace neph::advise {
namespace {

constexpr double near = 2;  ///< times the cost of the choice: what is dearer is no rival, interval or not
constexpr double alike = 1e-12;  ///< costs that differ by so little of themselves are equal
constexpr auto nobody = std::numeric_limits<std::size_t>::max();

/// The best so far of each draw.
struct Leader {
  double first = std::numeric_limits<double>::infinity(), second = std::numeric_limits<double>::infinity();
  std::size_t candidate = nobody;

  void meet(double one, double other, std::size_t who) {
    const bool is_equal = std::abs(one - first) <= alike * first;
    if (is_equal ? other >= second : one > first) return;
    first = one;
    second = other;
    candidate = who;
  }
};

/// Of each measured candidate the share of draws that it leads.
void tell(const std::vector<Leader>& leaders, const std::vector<Candidate>& candidates,
          std::vector<std::optional<double>>& shares) {
  std::vector<double> counts(candidates.size(), 0);
  for (const auto& leader : leaders)
    if (leader.candidate != nobody) counts[leader.candidate] += 1;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].is_measured) shares[i] = counts[i] / static_cast<double>(leaders.size());
}

/// Whoever might be better than the best must have an interval, or no share of draws says anything. Why none
/// does; empty: all have one.
std::string why_unknown(const std::vector<Job>& jobs, const std::vector<Candidate>& candidates,
                        std::size_t best, double Candidate::*compared, const Request& request) {
  for (const auto& candidate : candidates) {
    const auto& job = jobs[candidate.job];
    const bool is_rival = candidate.*compared <= near * candidates[best].*compared;
    if (!candidate.is_measured || !is_rival || job.has_interval()) continue;
    const auto cost = one_more_run(candidate, job, request);
    return fmt::format("{} has no interval{}; one more run of it costs {}", job.configuration->work.name,
                       job.configuration->repeats == 1 ? ", after one run" : "",
                       money_words(std::stod(cost.amount), cost.currency));
  }
  return {};
}

/// Of each draw how many times as long what is assumed is: of all candidates the same.
std::vector<double> draws_of_assumed(const Request& request) {
  auto state = ~static_cast<std::uint64_t>(request.seed);
  Random random(split_mix(state));
  std::vector<double> times(static_cast<std::size_t>(request.simulations));
  for (auto& each : times) each = std::exp(std::log(price::assumed_spread) / z95 * random.normal());
  return times;
}

std::optional<double> share_in_time(const Job& job, const std::vector<double>& draws,
                                    const std::vector<double>& times, double deadline_s) {
  if (!job.has_interval()) return std::nullopt;
  const double sigma = job.sigma * job.spread_of_one_run();
  std::size_t in_time = 0;
  for (std::size_t i = 0; i < draws.size(); ++i)
    if (job.done_s({job.job_s * std::exp(sigma * draws[i]), times[i]}) <= deadline_s) ++in_time;
  return static_cast<double>(in_time) / static_cast<double>(draws.size());
}

/// Candidates by their jobs.
std::vector<std::vector<std::size_t>> by_job(const std::vector<Job>& jobs,
                                             const std::vector<Candidate>& candidates) {
  std::vector<std::vector<std::size_t>> places(jobs.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) places[candidates[i].job].push_back(i);
  return places;
}

/// What the chosen one costs more than the best of each draw, where both keep to the limits; of a choice for
/// speed there is no such sum. Of one draw `most` at most: of two runs so much is possible that the mean
/// would be of the wildest draw alone.
std::optional<double> loss_of(const std::vector<Leader>& cheapest, const std::vector<double>& chosen,
                              double most) {
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < cheapest.size(); ++i) {
    if (cheapest[i].candidate == nobody) continue;
    sum += std::clamp(chosen[i] - cheapest[i].first, 0.0, most);
    ++counted;
  }
  return counted == 0 ? std::nullopt : std::optional(sum / static_cast<double>(counted));
}

/// All measured candidates, draw by draw.
struct Race {
  const std::vector<double>& times;  ///< as long as assumed, of each draw
  const Choice& choice;
  std::vector<Leader> cheapest{times.size(), Leader{}}, fastest = cheapest;
  std::vector<double> chosen = std::vector<double>(times.size(), 0);  ///< what the recommended one costs
  std::vector<double> chosen_done = chosen;                           ///< and when it is done

  void run(const Job& job, const std::vector<std::size_t>& places, const std::vector<Candidate>& candidates,
           const std::vector<double>& draws, const Limits& limits) {
    for (std::size_t draw = 0; draw < draws.size(); ++draw) {
      const double job_s = job.job_s * std::exp(job.sigma * draws[draw]);
      const double done_s = job.done_s({job_s, times[draw]});
      for (const auto place : places) {
        const double cost = candidates[place].cost_at(job_s, times[draw]);
        if (place == choice.recommended) chosen[draw] = cost, chosen_done[draw] = done_s;
        if (!limits.hold(done_s, cost)) continue;
        cheapest[draw].meet(cost, done_s, place);
        fastest[draw].meet(done_s, cost, place);
      }
    }
  }
};

/// A predicted candidate beside the recommended one, draw by draw; nothing, where the interval of either is
/// not known.
void compare_predicted(std::size_t place, const Candidate& candidate, const Job& job, const Race& race,
                       const Request& request, bool is_known, Chances& chances) {
  if (!job.has_interval() || !is_known) return;
  const auto draws = draws_of(candidate.job, job, request);
  const auto limits = limits_of(request);
  std::size_t better = 0;
  for (std::size_t draw = 0; draw < draws.size(); ++draw) {
    const double job_s = job.job_s * std::exp(job.sigma * draws[draw]);
    const double done_s = job.done_s({job_s, race.times[draw]});
    const double cost = candidate.cost_at(job_s, race.times[draw]);
    const bool is_better = is_by_cost(request) ? cost < race.chosen[draw] : done_s < race.chosen_done[draw];
    if (!is_better || !limits.hold(done_s, cost)) continue;
    ++better;
    chances.saving[place] += std::max(0.0, race.chosen[draw] - cost);
  }
  chances.better[place] = static_cast<double>(better) / static_cast<double>(draws.size());
  chances.saving[place] /= static_cast<double>(draws.size());
}

}  // namespace

double student(Random& random, double degrees) {
  double x = 0, square = 0;
  do {
    x = 2 * random.uniform() - 1;
    const double y = 2 * random.uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  return x * std::sqrt(degrees * (std::pow(square, -2 / degrees) - 1) / square);
}

std::vector<double> draws_of(std::size_t place, const Job& job, const Request& request) {
  auto state = static_cast<std::uint64_t>(request.seed);
  const auto first = split_mix(state);
  state = first ^ (static_cast<std::uint64_t>(place) + 1);
  Random random(split_mix(state));
  std::vector<double> draws(static_cast<std::size_t>(request.simulations));
  const auto repeats = job.configuration->repeats;
  if (repeats < 2) {
    for (auto& z : draws) z = random.normal();
    return draws;
  }
  const double scale = z95 / stats::student_errors(repeats);
  for (auto& z : draws)
    z = std::clamp(scale * student(random, static_cast<double>(repeats - 1)), -farthest, farthest);
  return draws;
}

Chances simulate(const std::vector<Job>& jobs, const std::vector<Candidate>& candidates, const Choice& choice,
                 const Request& request) {
  Chances chances;
  chances.deadline.resize(candidates.size());
  chances.cheapest.resize(candidates.size());
  chances.fastest.resize(candidates.size());
  chances.better.resize(candidates.size());
  chances.saving.resize(candidates.size(), 0);
  const auto times = draws_of_assumed(request);
  Race race{times, choice};
  const auto places = by_job(jobs, candidates);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (places[j].empty()) continue;
    const auto draws = draws_of(j, jobs[j], request);
    if (request.deadline_s)
      for (const auto place : places[j])
        chances.deadline[place] = share_in_time(jobs[j], draws, times, *request.deadline_s);
    if (jobs[j].is_measured()) race.run(jobs[j], places[j], candidates, draws, limits_of(request));
  }
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (!candidates[i].is_measured)
      compare_predicted(i, candidates[i], jobs[candidates[i].job], race, request,
                        jobs[candidates[*choice.recommended].job].has_interval(), chances);
  const auto no_cheapest = why_unknown(jobs, candidates, *choice.cheapest, &Candidate::cost, request);
  const auto no_fastest = why_unknown(jobs, candidates, *choice.fastest, &Candidate::done_s, request);
  chances.unknown = is_by_cost(request) ? no_cheapest : no_fastest;
  if (no_cheapest.empty()) tell(race.cheapest, candidates, chances.cheapest);
  if (no_fastest.empty()) tell(race.fastest, candidates, chances.fastest);
  if (is_by_cost(request) && no_cheapest.empty())
    chances.loss = loss_of(race.cheapest, race.chosen, candidates[*choice.recommended].cost);
  return chances;
}

}  // namespace neph::advise
