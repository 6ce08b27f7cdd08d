// Of trainings in words: how fast they learn, how many cores pay, how long a whole training takes.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// Most important first; empty: no run ended well.
std::vector<std::string> training_findings(const Document& document);

}  // namespace neph::report
