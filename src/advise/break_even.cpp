#include "advise/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "advise/turning_point.hpp"
#include "advise/words.hpp"
#include "core/units.hpp"

namespace neph::advise {
namespace {

using Candidates = std::vector<Candidate>;

constexpr std::size_t most_steps = 4;  ///< pairs of core counts
constexpr double near_limit = 1.1;     ///< of a job's price without what a boot adds: packed well enough
constexpr std::int64_t most_jobs = 10'000;

/// Of each job its cheapest candidate; nullptr: none, or not measured.
std::vector<const Candidate*> cheapest_of_jobs(const std::vector<Job>& jobs, const Candidates& candidates) {
  std::vector<const Candidate*> cheapest(jobs.size(), nullptr);
  for (const auto& candidate : candidates)
    if (candidate.is_measured && !cheapest[candidate.job]) cheapest[candidate.job] = &candidate;
  return cheapest;
}

const Configuration& of(const std::vector<Job>& jobs, const Candidate& candidate) {
  return *jobs[candidate.job].configuration;
}

bool is_of_one_kind(const Configuration& a, const Configuration& b) {
  return a.family == b.family && a.needs.gpus == b.needs.gpus && a.needs.gpu == b.needs.gpu &&
         a.needs.instance == b.needs.instance && a.needs.provider == b.needs.provider &&
         a.needs.arch == b.needs.arch;
}

bool is_alike_but_for_cores(const Configuration& a, const Configuration& b) {
  return is_of_one_kind(a, b) && a.place == b.place;
}

bool is_alike_but_for_place(const Configuration& a, const Configuration& b) {
  return is_of_one_kind(a, b) && a.needs.cores == b.needs.cores;
}

/// "8 cores: 50 % slower than 16, 40 % cheaper": each number of cores beside the next.
std::vector<std::string> core_sentences(const std::vector<Job>& jobs,
                                        const std::vector<const Candidate*>& cheapest,
                                        const Candidate& recommended) {
  const auto& chosen = of(jobs, recommended);
  std::vector<const Candidate*> row;
  for (const auto* candidate : cheapest)
    if (candidate && of(jobs, *candidate).needs.cores && is_alike_but_for_cores(of(jobs, *candidate), chosen))
      row.push_back(candidate);
  const auto cores = [&](const Candidate* candidate) { return *of(jobs, *candidate).needs.cores; };
  std::ranges::stable_sort(row, {}, cores);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i + 1 < row.size() && sentences.size() < most_steps; ++i) {
    if (cores(row[i]) == cores(row[i + 1])) continue;
    const auto other = fmt::format("{}", cores(row[i + 1]));
    sentences.push_back(
        fmt::format("{}: {}, {}.", counted(static_cast<std::int64_t>(cores(row[i])), "core"),
                    words_for_ratio(row[i]->done_s, row[i + 1]->done_s, "fast", "slow", other),
                    words_for_ratio(row[i]->cost, row[i + 1]->cost, "cheap", "dear")));
  }
  return sentences;
}

/// In a container, beside the same without one.
std::optional<std::string> container_sentence(const std::vector<Job>& jobs,
                                              const std::vector<const Candidate*>& cheapest,
                                              const Candidate& recommended) {
  const auto& chosen = of(jobs, recommended);
  const Candidate *bare = nullptr, *inside = nullptr;
  for (const auto* candidate : cheapest) {
    if (!candidate) continue;
    const auto& other = of(jobs, *candidate);
    if (!is_alike_but_for_place(other, chosen) || other.place.empty()) continue;
    (other.place == "process" ? bare : inside) = candidate;
  }
  if (!bare || !inside) return std::nullopt;
  return fmt::format("In a container: {}, {}.",
                     words_for_ratio(inside->done_s, bare->done_s, "fast", "slow", "without one"),
                     words_for_ratio(inside->cost, bare->cost, "cheap", "dear"));
}

/// "a GPU pays off above 37 minutes of one-core work".
std::optional<std::string> gpu_sentence(const std::vector<Job>& jobs, const Candidates& candidates,
                                        const std::string& family) {
  std::vector<const Candidate*> cpus, gpus;
  const Candidate* reference = nullptr;  // the fewest cores, in whose time the work is told
  for (const auto& candidate : candidates) {
    const auto& configuration = of(jobs, candidate);
    if (!candidate.is_measured || configuration.family != family) continue;
    (configuration.needs.gpus > 0 ? gpus : cpus).push_back(&candidate);
    if (configuration.needs.gpus > 0 || !configuration.needs.cores) continue;
    if (!reference || *configuration.needs.cores < *of(jobs, *reference).needs.cores) reference = &candidate;
  }
  if (gpus.empty() || !reference) return std::nullopt;
  const auto& job = jobs[reference->job];
  const double work_s = job.job_s * work_share(job);
  const auto unit = fmt::format("{}-core work", *of(jobs, *reference).needs.cores);
  const double times = turning_point(cpus, gpus, jobs);
  if (times == 0) return fmt::format("A GPU pays off for any length of this work.");
  if (!std::isfinite(times))
    return fmt::format("A GPU does not pay off for this work, however long: it is {}.",
                       words_for_ratio(least_cost(gpus, jobs, longest_work),
                                       least_cost(cpus, jobs, longest_work), "cheap", "dear"));
  return fmt::format("A GPU pays off above {} of {}; measured were {}.", words_for_time(times * work_s), unit,
                     words_for_time(work_s));
}

std::string way_of_counting(const price::Rule& rule) {
  if (rule.step_s < 60) return "Boot and installation are paid too";
  const auto step = rule.step_s == 3600 ? std::string("hour")
                    : rule.step_s == 60 ? "minute"
                                        : words_for_time(static_cast<double>(rule.step_s));
  return fmt::format("{} by the {}{}", rule.title, rule.align == price::Align::clock ? "clock " : "", step);
}

/// "by the clock hour pack at least 5 trainings per boot".
std::optional<std::string> packing_sentence(const std::vector<Job>& jobs, const Candidate& candidate,
                                            const Request& request) {
  const auto& job = jobs[candidate.job];
  const auto each = [&](std::int64_t n) {
    return candidate.cost_at(static_cast<double>(n) * job.job_s) / static_cast<double>(n);
  };
  const double limit = each(most_jobs);
  if (limit <= 0 || each(1) <= near_limit * limit) return std::nullopt;
  std::int64_t n = 2;
  while (n < most_jobs && each(n) > near_limit * limit) ++n;
  if (n == most_jobs) return std::nullopt;
  return fmt::format("{}: pack at least {} {}s per boot, {} each instead of {}.",
                     way_of_counting(*candidate.rule), n, request.noun,
                     words_for_job(price::Exact(each(n)), request),
                     words_for_job(price::Exact(each(1)), request));
}

}  // namespace

std::vector<std::string> break_evens_of(const std::vector<Job>& jobs, const Candidates& candidates,
                                        std::size_t recommended, const Request& request) {
  const auto cheapest = cheapest_of_jobs(jobs, candidates);
  const auto& chosen = candidates[recommended];
  std::vector<std::string> sentences;
  if (auto sentence = gpu_sentence(jobs, candidates, of(jobs, chosen).family)) sentences.push_back(*sentence);
  for (auto& sentence : core_sentences(jobs, cheapest, chosen)) sentences.push_back(std::move(sentence));
  if (auto sentence = container_sentence(jobs, cheapest, chosen)) sentences.push_back(*sentence);
  if (auto sentence = packing_sentence(jobs, chosen, request)) sentences.push_back(*sentence);
  return sentences;
}

}  // namespace neph::advise
