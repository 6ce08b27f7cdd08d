#include "advise/advise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "advise/break_even.hpp"
#include "advise/findings.hpp"
#include "advise/next_run.hpp"
#include "advise/words.hpp"
#include "core/values.hpp"

namespace neph::advise {
namespace {

constexpr std::int64_t least_simulations = 1000, most_simulations = 1'000'000;

Status check(std::span<const Configuration> configurations, std::span<const price::Offer> offers,
             const Request& request) {
  if (configurations.empty())
    return fail(ErrorCode::invalid_argument, "{}: no configuration has a time", request.source);
  if (request.deadline_s && !(*request.deadline_s > 0))
    return fail(ErrorCode::invalid_argument,
                "the deadline is over before a machine is started: give a later one");
  if (request.budget && *request.budget <= 0)
    return fail(ErrorCode::invalid_argument, "a budget of {} {} buys nothing: give one above 0",
                price::decimal_text(*request.budget), request.currency);
  if (request.simulations < least_simulations || request.simulations > most_simulations)
    return fail(ErrorCode::invalid_argument, "{} simulations: give {} to {}", request.simulations,
                least_simulations, most_simulations);
  for (const auto& offer : offers)
    if (hourly(offer, request.is_spot) && offer.currency != request.currency)
      return fail(ErrorCode::invalid_argument, "{} costs {}, and the rest {}: give a rate between them",
                  price::offer_name(offer), offer.currency, request.currency);
  return {};
}

/// Those that have a time; of the others is told why not.
Result<std::vector<Job>> jobs_of(std::span<const Configuration> configurations, const Request& request,
                                 std::vector<LeftOut>& left_out) {
  std::vector<Job> jobs;
  for (const auto& configuration : configurations) {
    if (configuration.refused.empty()) {
      NEPH_TRY(auto job, job_of(configuration, request.assumed));
      jobs.push_back(std::move(job));
      continue;
    }
    auto group = std::ranges::find(left_out, configuration.refused, &LeftOut::reason);
    if (group == left_out.end())
      group = left_out.insert(
          left_out.end(),
          {.what = "configuration", .reason = configuration.refused, .example = configuration.work.name});
    ++group->count;
  }
  if (jobs.empty())
    return fail(ErrorCode::not_found, "{}: every configuration was refused; the first because {}",
                request.source, left_out.front().reason);
  return jobs;
}

/// Configurations that no offer can run, by reason.
void add_unfit(const std::vector<Job>& jobs, const Matches& matches, std::span<const price::Offer> offers,
               std::vector<LeftOut>& left_out) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (matches.misfits[i] == Misfit::none) continue;
    const auto& configuration = *jobs[i].configuration;
    left_out.push_back({.what = "configuration",
                        .reason = why_unfit(configuration.needs, matches.misfits[i], offers),
                        .example = configuration.work.name,
                        .count = 1});
  }
}

std::optional<Amount> amount_where(const std::optional<price::Exact>& amount, const std::string& currency) {
  return amount ? std::optional(amount_of(*amount, currency)) : std::nullopt;
}

AdvisedCandidate told(const Found& found, std::size_t place) {
  const auto& candidate = found.candidates[place];
  const auto& job = found.jobs[candidate.job];
  const auto& currency = found.request.currency;
  auto reason = reason_of(found, place);
  return {.configuration = job.configuration->work.name,
          .cores = job.configuration->needs.cores,
          .gpus = job.configuration->needs.gpus,
          .gpu = job.configuration->needs.gpu,
          .place = job.configuration->place,
          .offer = price::offer_name(*candidate.offer),
          .rule = candidate.rule->name,
          .per_hour = amount_of(candidate.price.per_hour, currency),
          .cost = amount_of(candidate.bill.amount, currency),
          .cost_low = amount_where(candidate.low, currency),
          .cost_high = amount_where(candidate.high, currency),
          .billed_s = seconds(candidate.bill.billed),
          .seconds = job.done(),
          .p_deadline = found.chances.deadline[place],
          .p_cheapest = found.chances.cheapest[place],
          .p_fastest = found.chances.fastest[place],
          .p_better = found.chances.better[place],
          .is_predicted = !candidate.is_measured,
          .is_on_front = candidate.is_on_front,
          .why_not = reason.why_not,
          .why = std::move(reason.why)};
}

std::vector<AdvisedStage> bill_of(const Candidate& candidate, const std::string& currency) {
  std::vector<AdvisedStage> stages;
  for (const auto& line : candidate.bill.lines)
    stages.push_back({.stage = line.is_rounding ? "rounding" : std::string(enum_name(line.stage)),
                      .known = line.known ? std::string(enum_name(*line.known)) : "",
                      .seconds = seconds(line.length),
                      .amount = amount_of(line.amount, currency)});
  return stages;
}

/// The predicted candidates of which the most is expected, one of each offer.
std::vector<ToMeasure> to_measure_of(const Found& found) {
  constexpr double least_chance = 0.05;
  constexpr std::size_t most = 5;
  const auto& [jobs, candidates, matches, choice, chances, request] = found;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (chances.better[i].value_or(0) >= least_chance) places.push_back(i);
  std::ranges::stable_sort(places, std::greater(), [&](std::size_t i) {
    return std::pair(is_by_cost(request) ? chances.saving[i] : *chances.better[i], *chances.better[i]);
  });
  std::vector<ToMeasure> all;
  for (const auto i : places) {
    const auto& job = jobs[candidates[i].job];
    const auto offer = price::offer_name(*candidates[i].offer);
    if (all.size() == most) break;
    if (std::ranges::find(all, offer, &ToMeasure::offer) != all.end()) continue;
    const auto& script = job.configuration->script;
    all.push_back({.configuration = job.configuration->work.name,
                   .offer = offer,
                   .cost = amount_of(candidates[i].bill.amount, request.currency),
                   .p_better = *chances.better[i],
                   .saving = amount_of(price::Exact(chances.saving[i]), request.currency),
                   .measuring = one_more_run(candidates[i], job, request),
                   .command = script.empty() ? ""
                                             : fmt::format("{} --offer {} --results ADDRESS > run.sh", script,
                                                           shell_quoted(offer))});
  }
  return all;
}

std::optional<std::int64_t> as_number(std::optional<std::size_t> place) {
  return place ? std::optional(static_cast<std::int64_t>(*place)) : std::nullopt;
}

Advice told(const Found& found, std::vector<LeftOut> left_out) {
  const auto& request = found.request;
  Advice advice{
      .source = request.source,
      .question = question_of(request),
      .deadline_s = request.deadline_s,
      .budget = amount_where(request.budget, request.currency),
      .recommended = as_number(found.choice.recommended),
      .cheapest = as_number(found.choice.cheapest),
      .fastest = as_number(found.choice.fastest),
      .bill = bill_of(found.recommended(), request.currency),
      .left_out = std::move(left_out),
      .break_evens = break_evens_of(found.jobs, found.candidates, *found.choice.recommended, request),
      .assumptions = assumptions_of(found),
      .simulations = request.simulations,
      .seed = request.seed};
  for (std::size_t i = 0; i < found.candidates.size(); ++i) advice.candidates.push_back(told(found, i));
  if (found.chances.unknown.empty())
    advice.next_runs = next_runs_of(found.jobs, found.candidates, found.choice, found.chances, request);
  advice.to_measure = to_measure_of(found);
  if (found.chances.loss)
    advice.expected_loss = amount_of(price::Exact(*found.chances.loss), request.currency);
  advice.findings = findings_of(found, advice);
  return advice;
}

}  // namespace

Result<Advice> advise(std::span<const Configuration> configurations, std::span<const price::Offer> offers,
                      const Request& request) {
  NEPH_CHECK(check(configurations, offers, request));
  std::vector<LeftOut> left_out;
  NEPH_TRY(const auto jobs, jobs_of(configurations, request, left_out));
  std::vector<Needs> needs;
  for (const auto& job : jobs) needs.push_back(job.configuration->needs);
  NEPH_TRY(const auto matches, match(needs, offers, request.rules, request.is_spot));
  add_unfit(jobs, matches, offers, left_out);
  if (matches.matches.empty())
    return fail(ErrorCode::not_found, "no offer can run any configuration of {}; {}: {}", request.source,
                left_out.front().example, left_out.front().reason);
  left_out.insert(left_out.end(), matches.left_out.begin(), matches.left_out.end());
  NEPH_TRY(const auto candidates, candidates_of(jobs, matches, request));
  const auto choice = choose(candidates, request);
  if (!choice.recommended) return nothing_fits(candidates, jobs, request);
  const auto chances = simulate(jobs, candidates, choice, request);
  return told({jobs, candidates, matches, choice, chances, request}, std::move(left_out));
}

}  // namespace neph::advise
