// What whoever makes a script must know before it can end well: what to bring, what the release needs, how
// long it takes beside what its limit lets it.
#pragma once

#include <vector>

#include "core/result.hpp"
#include "script/script.hpp"

namespace neph::cli {

/// On stderr. Errors: as those of script::script().
Status tell_needs(const script::Job& job, const price::Offer& offer, const script::Wishes& wishes,
                  const std::vector<price::Rule>& rules);

}  // namespace neph::cli
