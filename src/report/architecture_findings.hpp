// In words: which architecture this machine should use for this model, and what each choice costs.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// The recommendation first, then its reasons, each with its interval; where an interval shows no difference,
/// the sentence says so. Empty where fewer than two architectures or protocols have a usable result.
std::vector<std::string> architecture_findings(const Document& document);

/// What an application costs beside a client that only asks its server, each sentence with its interval.
std::vector<std::string> application_findings(const Document& document);

/// The configuration that is recommended; nullptr where architecture_findings() is empty.
const CellSummary* recommended_configuration(const Document& document);

}  // namespace neph::report
