// The answer in words: what a reader who reads nothing else should take home.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// A few sentences, most important first: the setting to use and how sure that is, the next best, what limits
/// it, and what weakens these statements. Never empty.
std::vector<std::string> findings(const Document& document);

/// Those of them that count failures and warnings, which say nothing new beside a list of these.
std::vector<std::string> caveats(const Document& document);

/// The setting that they speak of: the recommended one; where none keeps to the latency limit, the nearest to
/// it; nullptr when there is none.
const CellSummary* answer_setting(const Document& document);

}  // namespace neph::report
