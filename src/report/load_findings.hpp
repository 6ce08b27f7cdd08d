// In words: how much load a server carried, and how fast it answered.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// Of an experiment of `neph load`; empty where no run has a result.
std::vector<std::string> load_findings(const Document& document);

}  // namespace neph::report
