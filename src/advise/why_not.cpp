// Why a candidate is not the recommended one.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "advise/findings.hpp"
#include "advise/words.hpp"

namespace neph::advise {
namespace {

/// "12 min slower and 0.30 USD dearer"; "no faster and 0.30 USD dearer".
std::string beside(const Found& found, const Candidate& candidate, const Candidate& other) {
  const double slower = candidate.done_s - other.done_s;
  const price::Exact dearer = candidate.bill.amount - other.bill.amount;
  const auto time =
      slower == 0 ? std::string("no faster")
                  : fmt::format("{} {}", words_for_time(std::abs(slower)), slower > 0 ? "slower" : "faster");
  const auto money = dearer == 0 ? std::string("no cheaper")
                                 : fmt::format("{} {}", words_for_job(abs(dearer), found.request),
                                               dearer > 0 ? "dearer" : "cheaper");
  return fmt::format("{} and {}", time, money);
}

/// Of those on the front that are no slower and no dearer, the cheapest.
const Candidate* dominator_of(const Found& found, const Candidate& candidate) {
  for (const auto& other : found.candidates) {
    if (&other == &candidate) return nullptr;  // they are in the order of their costs
    if (other.is_on_front && other.done_s <= candidate.done_s) return &other;
  }
  return nullptr;
}

Reason limit_reason(const Found& found, const Candidate& candidate) {
  const auto& request = found.request;
  if (request.deadline_s && candidate.done_s > *request.deadline_s)
    return {WhyNot::too_slow,
            fmt::format("too slow by {}", words_for_time(candidate.done_s - *request.deadline_s))};
  return {WhyNot::over_budget,
          fmt::format("over budget by {}",
                      words_for_amount(candidate.bill.amount - *request.budget, request.currency))};
}

}  // namespace

Reason reason_of(const Found& found, std::size_t place) {
  const auto& candidate = found.candidates[place];
  const auto& request = found.request;
  if (!candidate.is_measured) return {WhyNot::predicted, "predicted only: measure it first"};
  if (place == found.choice.recommended) return {WhyNot::recommended, ""};
  if ((request.deadline_s && candidate.done_s > *request.deadline_s) ||
      (request.budget && candidate.bill.amount > *request.budget))
    return limit_reason(found, candidate);
  if (!candidate.is_on_front)
    if (const auto* other = dominator_of(found, candidate))
      return {WhyNot::dominated,
              fmt::format("{} than {}", beside(found, candidate, *other), name_of(*other, found.jobs))};
  return {WhyNot::on_front, beside(found, candidate, found.recommended())};
}

}  // namespace neph::advise
