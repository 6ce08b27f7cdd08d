// What an advice rests on.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "advise/findings.hpp"
#include "advise/words.hpp"

namespace neph::advise {
namespace {

/// Times that are used for another machine than theirs.
void add_machines(const Found& found, std::vector<std::string>& said) {
  std::set<std::pair<std::string, bool>> machines;  // with whether only their CPU will do
  bool is_untold = false, has_no_arch = false, is_by_law = false;
  for (const auto& candidate : found.candidates) {
    const auto& configuration = *found.jobs[candidate.job].configuration;
    if (!configuration.needs.instance.empty()) continue;
    if (configuration.is_by_law) {
      is_by_law = true;
      continue;
    }
    has_no_arch |= configuration.needs.arch.empty();
    if (configuration.machine.empty())
      is_untold = true;
    else
      machines.emplace(configuration.machine, !configuration.needs.hardware.empty());
  }
  for (const auto& [machine, is_of_cpu] : machines)
    said.push_back(fmt::format("Times are taken to be as on {}, wherever as many cores{} are rented.",
                               machine, is_of_cpu ? " of the same or an unknown CPU" : ""));
  if (is_by_law)
    said.push_back(
        "Predicted times follow data sheets (peak, bandwidth) and what machines of public tables differed by "
        "beyond them; another engine build, driver or architecture is in no interval.");
  if (is_untold)
    said.push_back(
        "Times are taken to be the same on every machine with as many cores and the same GPUs: the table "
        "does not name the machines.");
  if (has_no_arch)
    said.push_back(
        "Measured times are taken to be of x86_64, and used on no other machine: their architecture is not "
        "named.");
  if (!machines.empty() || is_untold)
    said.push_back("A vCPU counts as a core; at most providers it is one of a core's two hardware threads.");
}

void add_stages(const Found& found, std::vector<std::string>& said) {
  std::string stages;
  for (const auto& stretch : found.recommended().bill.lines) {
    if (stretch.known != price::Known::assumed) continue;
    stages += fmt::format("{}{} {}", stages.empty() ? "" : ", ", enum_name(stretch.stage),
                          words_for_time(seconds(stretch.length)));
  }
  if (!stages.empty())
    said.push_back(
        fmt::format("Assumed, not measured: {}; {} (95 %), which is in intervals and probabilities.", stages,
                    price::assumed_spread_words));
}

/// Of how many runs an interval is the mean decides where one more run may lie.
void add_intervals(const Found& found, std::vector<std::string>& said) {
  if (!found.request.deadline_s) return;
  const auto is_untold = [&](const Candidate& candidate) {
    const auto& job = found.jobs[candidate.job];
    return job.has_interval() && job.configuration->repeats < 2;
  };
  if (std::ranges::any_of(found.candidates, is_untold))
    said.push_back(
        "Intervals that are not known to be of several runs are taken to be of one; a table's column TIME_n "
        "says how many. Of a mean of several, chances of being in time are nearer to 50 % than told.");
}

bool has_clock(const Found& found) {
  return std::ranges::any_of(found.candidates, [](const Candidate& candidate) {
    return candidate.rule->align == price::Align::clock;
  });
}

}  // namespace

std::vector<std::string> assumptions_about_offers(const std::vector<const price::Offer*>& offers,
                                                  const std::vector<const price::Rule*>& rules,
                                                  bool is_spot) {
  std::vector<std::string> said;
  std::set<std::string> lists, strangers, unconfirmed;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const auto& date = offers[i]->date;
    if (!offers[i]->catalogue.empty())
      lists.insert(date.empty() ? offers[i]->catalogue : fmt::format("{} of {}", offers[i]->catalogue, date));
    if (rules[i]->title.starts_with("assumed")) strangers.insert(offers[i]->provider);
    if (!rules[i]->is_confirmed) unconfirmed.insert(rules[i]->name);
  }
  if (!lists.empty()) said.push_back(fmt::format("Prices are those of {}.", fmt::join(lists, ", ")));
  if (!strangers.empty())
    said.push_back(fmt::format("No billing rule of {} is known: each second is taken to be paid.",
                               fmt::join(strangers, ", ")));
  if (!unconfirmed.empty())
    said.push_back(
        fmt::format("Not confirmed in the provider's own words: the rule {}.", fmt::join(unconfirmed, ", ")));
  if (std::ranges::any_of(offers, [](const auto* offer) { return offer->arch.empty(); }))
    said.push_back("Offers that name no architecture are taken to be x86_64.");
  if (is_spot)
    said.push_back(
        "Spot machines may be taken away; what that costs in time and money is not in the figures.");
  said.push_back("Disks, addresses and traffic are not in the bills.");
  return said;
}

std::vector<std::string> assumptions_of(const Found& found) {
  std::vector<std::string> said;
  add_machines(found, said);
  add_stages(found, said);
  if (has_clock(found))
    if (const auto begin = price::instant_text(found.request.begin, "UTC"))
      said.push_back(
          fmt::format("Machines are started at {}: of rules by the clock the bill depends on it.", *begin));
  if (std::ranges::any_of(found.candidates, &Candidate::is_memory_unknown))
    said.push_back("Some offers do not tell their memory; they are taken to have enough.");
  std::vector<const price::Offer*> offers;
  std::vector<const price::Rule*> rules;
  for (const auto& candidate : found.candidates) {
    offers.push_back(candidate.offer);
    rules.push_back(candidate.rule);
  }
  std::ranges::move(assumptions_about_offers(offers, rules, found.request.is_spot), std::back_inserter(said));
  add_intervals(found, said);
  if (found.chances.unknown.empty())
    said.push_back(fmt::format(
        "Chances are shares of {} draws of times within the measured 95 % intervals, by Student's t "
        "of as many runs; of a deadline, of one more run.",
        found.request.simulations));
  return said;
}

}  // namespace neph::advise
