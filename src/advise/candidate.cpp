#include "advise/candidate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "advise/words.hpp"

namespace neph::advise {
namespace {

Result<price::Exact> amount_at(const Candidate& candidate, const Job& job, const Job::Length& length,
                               price::Instant begin) {
  const std::vector starts{price::Start{.begin = begin, .stretches = job.stretches_at(length)}};
  NEPH_TRY(const auto bill, price::bill(*candidate.rule, candidate.price, starts));
  return bill.amount;
}

Result<Candidate> candidate_of(const Match& match, const Matches& matches, const std::vector<Job>& jobs,
                               const Request& request) {
  const auto job = kept_ready(jobs[match.configuration], matches.rules[match.rule]);
  Candidate candidate{
      .job = match.configuration,
      .offer = match.offer,
      .rule = &matches.rules[match.rule],
      .price = {.per_hour = *hourly(*match.offer, request.is_spot), .currency = request.currency}};
  const std::vector starts{price::Start{.begin = request.begin, .stretches = job.stretches}};
  NEPH_TRY(candidate.bill, price::bill(*candidate.rule, candidate.price, starts));
  if (job.has_interval()) {
    NEPH_TRY(candidate.low, amount_at(candidate, job, job.low(), request.begin));
    NEPH_TRY(candidate.high, amount_at(candidate, job, job.high(), request.begin));
  }
  NEPH_TRY(candidate.meter, Meter::of(*candidate.rule, request.begin, job.segments));
  candidate.per_s = price::approximate(candidate.price.per_hour) / 3600;
  candidate.cost = price::approximate(candidate.bill.amount);
  candidate.done_s = job.done_s();
  candidate.is_measured = job.is_measured();
  return candidate;
}

/// Where the fastest is late by its estimate, and may well be in time by its interval.
std::string doubt_about(const Candidate& fastest, const std::vector<Job>& jobs, const Request& request) {
  const auto done = jobs[fastest.job].done();
  if (!request.deadline_s || !done.low || *done.low > *request.deadline_s ||
      done.value <= *request.deadline_s)
    return {};
  return fmt::format(" as far as these times tell (the fastest takes {}, {} to {}: measure it again)",
                     words_for_time(done.value), words_for_time(*done.low), words_for_time(*done.high));
}

bool is_cheaper(const Candidate& a, const Candidate& b) {
  if (a.bill.amount != b.bill.amount) return a.bill.amount < b.bill.amount;
  return a.done_s < b.done_s;
}

bool is_faster(const Candidate& a, const Candidate& b) {
  if (a.done_s != b.done_s) return a.done_s < b.done_s;
  return a.bill.amount < b.bill.amount;
}

bool keeps(const Candidate& candidate, const Request& request) {
  return (!request.deadline_s || candidate.done_s <= *request.deadline_s) &&
         (!request.budget || candidate.bill.amount <= *request.budget);
}

/// The first of the measured by an order, of those that will do.
template <class Before, class WillDo>
std::optional<std::size_t> first_of(const std::vector<Candidate>& candidates, Before before, WillDo will_do) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].is_measured && will_do(candidates[i]) &&
        (!first || before(candidates[i], candidates[*first])))
      first = i;
  return first;
}

}  // namespace

bool is_by_cost(const Request& request) { return !request.budget || request.deadline_s.has_value(); }

Limits limits_of(const Request& request) {
  constexpr auto none = std::numeric_limits<double>::infinity();
  return {.deadline_s = request.deadline_s.value_or(none),
          .budget = request.budget ? price::approximate(*request.budget) : none};
}

Result<std::vector<Candidate>> candidates_of(const std::vector<Job>& jobs, const Matches& matches,
                                             const Request& request) {
  std::vector<Candidate> candidates;
  candidates.reserve(matches.matches.size());
  for (std::size_t i = 0; i < matches.matches.size(); ++i) {
    NEPH_TRY(auto candidate, candidate_of(matches.matches[i], matches, jobs, request));
    candidate.is_memory_unknown = matches.is_memory_unknown[i];
    candidates.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(candidates, is_cheaper);
  mark_front(candidates);
  return candidates;
}

Amount one_more_run(const Candidate& candidate, const Job& job, const Request& request) {
  const auto amount = amount_at(candidate, kept_ready(job, *candidate.rule), {job.run_s(), 1}, request.begin);
  return amount_of(amount.value_or(candidate.bill.amount), request.currency);
}

std::string name_of(const Candidate& candidate, const std::vector<Job>& jobs) {
  return fmt::format("{} on {}", jobs[candidate.job].configuration->work.name,
                     price::offer_name(*candidate.offer));
}

void mark_front(std::vector<Candidate>& candidates) {
  double fastest = std::numeric_limits<double>::infinity();
  for (auto& candidate : candidates) {
    if (!candidate.is_measured || candidate.done_s >= fastest) continue;
    fastest = candidate.done_s;
    candidate.is_on_front = true;
  }
}

Choice choose(const std::vector<Candidate>& candidates, const Request& request) {
  const auto will_do = [&](const Candidate& candidate) { return keeps(candidate, request); };
  Choice choice{.cheapest = first_of(candidates, is_cheaper, will_do),
                .fastest = first_of(candidates, is_faster, will_do),
                .recommended = {}};
  choice.recommended = is_by_cost(request) ? choice.cheapest : choice.fastest;
  return choice;
}

tl::unexpected<Error> nothing_fits(const std::vector<Candidate>& candidates, const std::vector<Job>& jobs,
                                   const Request& request) {
  const auto any = [](const Candidate&) { return true; };
  const auto cheapest = first_of(candidates, is_cheaper, any);
  const auto fastest = first_of(candidates, is_faster, any);
  if (!cheapest)
    return fail(ErrorCode::not_found, "all that an offer can run is only predicted; measure one of them");
  const auto in_time = first_of(candidates, is_cheaper, [&](const Candidate& candidate) {
    return !request.deadline_s || candidate.done_s <= *request.deadline_s;
  });
  const auto affordable = first_of(candidates, is_faster, [&](const Candidate& candidate) {
    return !request.budget || candidate.bill.amount <= *request.budget;
  });
  std::vector<std::string> ways;
  if (request.deadline_s && affordable)
    ways.push_back(fmt::format("--deadline {} ({})", option_time(candidates[*affordable].done_s),
                               name_of(candidates[*affordable], jobs)));
  if (request.budget && in_time)
    ways.push_back(fmt::format("--budget {} ({})",
                               option_amount(candidates[*in_time].bill.amount, request.currency),
                               name_of(candidates[*in_time], jobs)));
  if (ways.empty())
    ways.push_back(fmt::format("the fastest takes {} and the cheapest costs {}: loosen both limits",
                               words_for_time(candidates[*fastest].done_s),
                               words_for_job(candidates[*cheapest].bill.amount, request)));
  return fail(ErrorCode::not_found, "nothing is done {}{}; what would do: {}", words_for_limits(request),
              doubt_about(candidates[*fastest], jobs, request), fmt::join(ways, ", or "));
}

}  // namespace neph::advise
