// Of trainings in words: how fast they learn, how many cores pay, how long a whole training takes.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// Most important first; empty: no run ended well.
std::vector<std::string> training_findings(const Document& document);

/// "2 h 5 min ± 2 min 10 s", "37.5 s"; "–" without a value.
std::string duration_text(const Estimate& estimate);

}  // namespace neph::report
