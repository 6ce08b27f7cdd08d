// What is said of a choice: the answer, why not the others, what it rests on. Only for files of this module.
#pragma once

#include <string>
#include <vector>

#include "advise/simulation.hpp"

namespace neph::advise {

/// All that was found out, for those who put it into words.
struct Found {
  const std::vector<Job>& jobs;
  const std::vector<Candidate>& candidates;
  const Matches& matches;
  const Choice& choice;
  const Chances& chances;
  const Request& request;

  const Candidate& recommended() const { return candidates[*choice.recommended]; }
  std::string name(std::size_t place) const { return name_of(candidates[place], jobs); }
};

/// "the cheapest within 2 h for at most 10 USD".
std::string question_of(const Request& request);

/// The answer in sentences; the first never says more than the measurements do.
std::vector<std::string> findings_of(const Found& found, const Advice& advice);

struct Reason {
  WhyNot why_not{};
  std::string why;  ///< empty: the recommended one
};
/// Why a candidate is not the recommended one.
Reason reason_of(const Found& found, std::size_t place);

std::vector<std::string> assumptions_of(const Found& found);
/// Of prices and rules; for rates too.
std::vector<std::string> assumptions_about_offers(const std::vector<const price::Offer*>& offers,
                                                  const std::vector<const price::Rule*>& rules, bool is_spot);

}  // namespace neph::advise
