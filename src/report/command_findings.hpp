// Of commands in words: how long they took, what more cores did, how much of the time was learning.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// Most important first; empty: no run ended well.
std::vector<std::string> command_findings(const Document& document);

}  // namespace neph::report
