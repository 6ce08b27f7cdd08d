// Which offer can run which configuration, and which of those that can is worth a bill. Only for files of
// this module.
#pragma once

#include <map>
#include <vector>

#include "advise/advise.hpp"

namespace neph::advise {

/// Why an offer cannot run a configuration, the nearest miss last.
enum class Misfit { no_price, elsewhere, arch, gpu, hardware, cores, memory, none };

/// A configuration on the cheapest offer of one rule that can run it.
struct Match {
  std::size_t configuration = 0;
  const price::Offer* offer = nullptr;
  std::size_t rule = 0;  ///< place in Matches::rules
};

struct Matches {
  std::vector<Match> matches;
  std::vector<price::Rule> rules;
  std::vector<bool> is_rule_assumed;    ///< of each: no provider's
  std::vector<Misfit> misfits;          ///< of each configuration: none, or its nearest miss
  std::vector<LeftOut> left_out;        ///< offers that are no candidates
  std::vector<bool> is_memory_unknown;  ///< of each match: the offer does not tell
};

/// Errors: not_found (a rule that an offer names).
Result<Matches> match(std::span<const Needs> needs, std::span<const price::Offer> offers,
                      const std::vector<price::Rule>& rules, bool is_spot);

/// The hourly price that counts; nothing where there is none.
const std::optional<price::Exact>& hourly(const price::Offer& offer, bool is_spot);

/// "needs 16 cores; the largest offer that fits otherwise has 8".
std::string why_unfit(const Needs& needs, Misfit misfit, std::span<const price::Offer> offers);

}  // namespace neph::advise
