// Machines for a rate that never ends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include <fmt/format.h>

#include "advise/findings.hpp"
#include "advise/words.hpp"
#include "core/units.hpp"

namespace neph::advise {
namespace {

constexpr double most_machines = 1e6;
constexpr std::size_t most_turns = 100'000;  ///< rates at which one more machine is needed

struct Fleet {
  const Capacity* capacity = nullptr;
  const price::Offer* offer = nullptr;
  const price::Rule* rule = nullptr;
  double each_per_s = 0, each_cost = 0;  ///< what one machine sustains, and costs an hour
  std::int64_t machines = 0;
  price::Exact per_hour, cost;

  double cost_at(double rate) const { return each_cost * std::ceil(rate / each_per_s * (1 - 1e-12)); }
};

Status check(std::span<const Capacity> capacities, std::span<const price::Offer> offers,
             const RateRequest& request) {
  if (capacities.empty())
    return fail(ErrorCode::invalid_argument, "{}: no configuration has a rate", request.source);
  if (!(request.rate_per_s > 0) || !std::isfinite(request.rate_per_s))
    return fail(ErrorCode::invalid_argument, "a rate of {} per second asks for nothing: give one above 0",
                request.rate_per_s);
  for (const auto& offer : offers)
    if (hourly(offer, request.is_spot) && offer.currency != request.currency)
      return fail(ErrorCode::invalid_argument, "{} costs {}, and the rest {}: give a rate between them",
                  price::offer_name(offer), offer.currency, request.currency);
  return {};
}

std::string name_of(const Fleet& fleet) {
  return fmt::format("{}{} on {}", fleet.machines > 1 ? fmt::format("{} × ", fleet.machines) : "",
                     fleet.capacity->configuration.work.name, price::offer_name(*fleet.offer));
}

/// Those that keep to the objective; of the others is told why not.
std::vector<const Capacity*> fit_ones(std::span<const Capacity> capacities, std::vector<LeftOut>& left_out) {
  std::vector<const Capacity*> fit;
  for (const auto& capacity : capacities) {
    const auto& name = capacity.configuration.work.name;
    auto reason = !capacity.configuration.refused.empty()          ? capacity.configuration.refused
                  : !capacity.unfit.empty()                        ? capacity.unfit
                  : !std::isfinite(capacity.sustained_per_s.value) ? "no sustained rate was measured"
                  : capacity.sustained_per_s.value <= 0            ? "it sustains nothing"
                                                                   : "";
    if (reason.empty())
      fit.push_back(&capacity);
    else
      left_out.push_back({.what = "configuration", .reason = std::move(reason), .example = name, .count = 1});
  }
  return fit;
}

Result<std::vector<Fleet>> fleets_of(const std::vector<const Capacity*>& fit, const Matches& matches,
                                     const RateRequest& request) {
  std::vector<Fleet> fleets;
  for (const auto& match : matches.matches) {
    const auto& capacity = *fit[match.configuration];
    const double machines = std::ceil(request.rate_per_s / capacity.sustained_per_s.value * (1 - 1e-12));
    if (machines > most_machines)
      return fail(ErrorCode::invalid_argument,
                  "{} per second would take more than a million machines ({} each)",
                  format_number(request.rate_per_s), format_number(capacity.sustained_per_s.value));
    Fleet fleet{.capacity = &capacity,
                .offer = match.offer,
                .rule = &matches.rules[match.rule],
                .each_per_s = capacity.sustained_per_s.value,
                .machines = static_cast<std::int64_t>(machines),
                .per_hour = *hourly(*match.offer, request.is_spot)};
    fleet.each_cost = price::approximate(fleet.per_hour);
    fleet.cost = fleet.per_hour * fleet.machines;
    fleets.push_back(std::move(fleet));
  }
  std::ranges::stable_sort(fleets, [](const Fleet& a, const Fleet& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.machines < b.machines;
  });
  return fleets;
}

/// How probable it is that so many machines sustain the rate: log-normal, as the interval has it.
std::optional<double> chance(const Fleet& fleet, double rate) {
  const auto& each = fleet.capacity->sustained_per_s;
  if (!each.low || !each.high || !(*each.low > 0) || *each.high <= *each.low) return std::nullopt;
  const double sigma = std::log(*each.high / *each.low) / (2 * z95);
  const double z = std::log(each.value * static_cast<double>(fleet.machines) / rate) / sigma;
  return std::erfc(-z / std::sqrt(2)) / 2;
}

/// Only what no other beats in both, rate and price, of one machine.
std::vector<const Fleet*> worth_having(const std::vector<Fleet>& fleets) {
  std::vector<const Fleet*> by_price;
  for (const auto& fleet : fleets) by_price.push_back(&fleet);
  std::ranges::stable_sort(by_price, [](const Fleet* a, const Fleet* b) {
    return a->each_cost != b->each_cost ? a->each_cost < b->each_cost : a->each_per_s > b->each_per_s;
  });
  std::vector<const Fleet*> kept;
  for (const auto* fleet : by_price)
    if (kept.empty() || fleet->each_per_s > kept.back()->each_per_s) kept.push_back(fleet);
  return kept;
}

/// Of equal ones the dearer machine, of which fewer are needed.
const Fleet* cheapest_at(const std::vector<const Fleet*>& by_price, double rate) {
  constexpr double alike = 1e-9;
  const auto* best = by_price.back();
  for (const auto* fleet : by_price | std::views::reverse)
    if (fleet->cost_at(rate) < best->cost_at(rate) * (1 - alike)) best = fleet;
  return best;
}

/// Rates up to `most` above which one of them needs a machine more.
std::vector<double> turns(const std::vector<const Fleet*>& fleets, double most) {
  std::vector<double> rates{most};
  for (const auto* fleet : fleets)
    for (double rate = fleet->each_per_s; rate < most && rates.size() < most_turns; rate += fleet->each_per_s)
      rates.push_back(rate);
  std::ranges::sort(rates);
  return rates;
}

std::string per_s(double rate) { return format_number(rate) + "/s"; }

/// Below which rate another is cheaper, and until which the CPU is.
std::vector<std::string> break_evens(const std::vector<Fleet>& fleets, const RateRequest& request) {
  const auto& chosen = fleets.front();
  const auto kept = worth_having(fleets);
  double others_until = 0, cpu_until = 0;
  const Fleet *other = nullptr, *cpu = nullptr;
  bool has_won = false;
  for (const double rate : turns(kept, request.rate_per_s)) {
    const auto* winner = cheapest_at(kept, rate);
    if (winner->each_cost >= chosen.each_cost) has_won = true;
    if (!has_won) others_until = rate, other = winner;
    if (winner->offer->gpus == 0 && chosen.offer->gpus > 0) cpu_until = rate, cpu = winner;
  }
  std::vector<std::string> sentences;
  const auto one_of = [](const Fleet& fleet) {
    return fmt::format("{} on {}", fleet.capacity->configuration.work.name, price::offer_name(*fleet.offer));
  };
  if (other)
    sentences.push_back(
        fmt::format("Below {} a smaller machine is cheaper: {}.", per_s(others_until), one_of(*other)));
  if (cpu && cpu != other)
    sentences.push_back(
        fmt::format("A machine without a GPU wins up to {}: {}.", per_s(cpu_until), one_of(*cpu)));
  if (sentences.empty()) sentences.push_back("No smaller machine is cheaper at any lower rate.");
  return sentences;
}

price::Exact per_million(const Fleet& fleet, double rate) {
  return fleet.cost * price::Exact(1'000'000) / (price::Exact(rate) * price::Exact(3600));
}

AdvisedCandidate told(const Fleet& fleet, const Fleet& chosen, const RateRequest& request) {
  const auto& configuration = fleet.capacity->configuration;
  const bool is_chosen = &fleet == &chosen;
  AdvisedCandidate candidate{.configuration = configuration.work.name,
                             .cores = configuration.needs.cores,
                             .gpus = configuration.needs.gpus,
                             .gpu = configuration.needs.gpu,
                             .place = configuration.place};
  candidate.offer = price::offer_name(*fleet.offer);
  candidate.rule = fleet.rule->name;
  candidate.per_hour = amount_of(fleet.per_hour, request.currency);
  candidate.cost = amount_of(fleet.cost, request.currency);
  candidate.billed_s = 3600;
  candidate.machines = fleet.machines;
  candidate.sustained_per_s = fleet.capacity->sustained_per_s;
  candidate.per_million = amount_of(per_million(fleet, request.rate_per_s), request.currency);
  candidate.p_rate = chance(fleet, request.rate_per_s);
  candidate.is_predicted = configuration.is_predicted;
  candidate.is_on_front = is_chosen;
  candidate.why_not = is_chosen                    ? WhyNot::recommended
                      : configuration.is_predicted ? WhyNot::predicted
                                                   : WhyNot::dominated;
  if (!is_chosen)
    candidate.why =
        configuration.is_predicted
            ? "predicted only: measure it first"
            : fmt::format("{} an hour dearer than {}",
                          words_for_amount(fleet.cost - chosen.cost, request.currency), name_of(chosen));
  return candidate;
}

std::vector<std::string> findings_of(const Fleet& chosen, const RateRequest& request) {
  const auto objective = request.objective.empty() ? "" : " with " + request.objective;
  std::vector<std::string> sentences{fmt::format(
      "As far as these runs tell, the cheapest for {}{} is {}: {} an hour, {} a million {}s.",
      per_s(request.rate_per_s), objective, name_of(chosen), words_for_amount(chosen.cost, request.currency),
      words_for_amount(per_million(chosen, request.rate_per_s), request.currency), request.item)};
  if (const auto share = chance(chosen, request.rate_per_s))
    sentences.push_back(fmt::format("The probability that {} the rate is {}.",
                                    chosen.machines == 1 ? "it sustains" : "they sustain",
                                    words_for_chance(*share, 10'000)));
  else
    sentences.push_back("How sure that is cannot be said: the rate has no interval.");
  const double used = request.rate_per_s / (chosen.each_per_s * static_cast<double>(chosen.machines));
  sentences.push_back(fmt::format("The rate is {} of what {} sustain{}.", format_percent(used, 2),
                                  chosen.machines == 1 ? "it" : "they", chosen.machines == 1 ? "s" : ""));
  return sentences;
}

std::vector<std::string> assumptions_of(const std::vector<Fleet>& fleets, const RateRequest& request) {
  std::vector<std::string> said{
      "Several machines are taken to sustain several times as much: requests are spread evenly, "
      "at no cost.",
      "Machines run all the time: steps and minimums of the bill do not matter."};
  std::vector<const price::Offer*> offers;
  std::vector<const price::Rule*> rules;
  std::vector<std::string> machines;
  for (const auto& fleet : fleets) {
    offers.push_back(fleet.offer);
    rules.push_back(fleet.rule);
    const auto& machine = fleet.capacity->configuration.machine;
    if (!machine.empty() && std::ranges::find(machines, machine) == machines.end())
      machines.push_back(machine);
  }
  if (std::ranges::any_of(fleets, [](const Fleet& each) { return each.capacity->is_closed_loop; }))
    said.push_back(
        "Some rates are of clients that wait for each answer: near them requests queue without bound. --p99 "
        "asks for rates that were offered (neph load --find-max-rate, --rate).");
  for (const auto& machine : machines)
    said.push_back(
        fmt::format("Rates are taken to be as on {}, wherever as many cores are rented.", machine));
  std::ranges::move(assumptions_about_offers(offers, rules, request.is_spot), std::back_inserter(said));
  return said;
}

/// Configurations that no offer can run, then offers that are no candidates.
void add_left_out(const std::vector<Needs>& needs, const std::vector<const Capacity*>& fit,
                  const Matches& matches, std::span<const price::Offer> offers,
                  std::vector<LeftOut>& left_out) {
  for (std::size_t i = 0; i < fit.size(); ++i)
    if (matches.misfits[i] != Misfit::none)
      left_out.push_back({.what = "configuration",
                          .reason = why_unfit(needs[i], matches.misfits[i], offers),
                          .example = fit[i]->configuration.work.name,
                          .count = 1});
  left_out.insert(left_out.end(), matches.left_out.begin(), matches.left_out.end());
}

bool is_measured(const Fleet& fleet) { return !fleet.capacity->configuration.is_predicted; }

void tell(const std::vector<Fleet>& fleets, std::size_t chosen, const RateRequest& request, Advice& advice) {
  for (const auto& fleet : fleets) advice.candidates.push_back(told(fleet, fleets[chosen], request));
  advice.recommended = advice.cheapest = static_cast<std::int64_t>(chosen);
  std::vector<Fleet> measured;
  std::ranges::copy_if(fleets, std::back_inserter(measured), is_measured);
  advice.break_evens = break_evens(measured, request);
  advice.findings = findings_of(fleets[chosen], request);
  advice.assumptions = assumptions_of(fleets, request);
}

}  // namespace

Result<Advice> advise_rate(std::span<const Capacity> capacities, std::span<const price::Offer> offers,
                           const RateRequest& request) {
  NEPH_CHECK(check(capacities, offers, request));
  Advice advice{.source = request.source,
                .question = fmt::format("the cheapest for {}", per_s(request.rate_per_s)),
                .rate_per_s = request.rate_per_s};
  const auto fit = fit_ones(capacities, advice.left_out);
  std::vector<Needs> needs;
  for (const auto* capacity : fit) needs.push_back(capacity->configuration.needs);
  NEPH_TRY(const auto matches, match(needs, offers, request.rules, request.is_spot));
  if (!fit.empty()) add_left_out(needs, fit, matches, offers, advice.left_out);
  NEPH_TRY(const auto fleets, fleets_of(fit, matches, request));
  const auto chosen = std::ranges::find_if(fleets, is_measured);
  if (chosen == fleets.end()) {
    if (advice.left_out.empty())
      return fail(ErrorCode::not_found, "all rates of {} are only predicted; measure one", request.source);
    return fail(ErrorCode::not_found, "no measured configuration of {} will do; {}: {}", request.source,
                advice.left_out.front().example, advice.left_out.front().reason);
  }
  tell(fleets, static_cast<std::size_t>(chosen - fleets.begin()), request, advice);
  return advice;
}

}  // namespace neph::advise
