// Where the choice turns: sentences with figures, each only where the data carry it. Only for files of this
// module.
#pragma once

#include <string>
#include <vector>

#include "advise/candidate.hpp"

namespace neph::advise {

std::vector<std::string> break_evens_of(const std::vector<Job>& jobs,
                                        const std::vector<Candidate>& candidates, std::size_t recommended,
                                        const Request& request);

}  // namespace neph::advise
