// The machines of a document: which one a cell was measured on, all of them as a table, fingerprints in
// words.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// The fingerprint of the one machine that the cell's runs that ended well were made on; of a document that
/// knows but one, that. null: none is known, or there are several.
Json fingerprint_of(const Document& document, const CellSummary& cell);

/// Cores that the configuration may keep busy: the machine's, and no more than its threads.
std::optional<double> allowed_cores(const Document& document, const CellSummary& cell);
/// "1 core", "2 cores"
std::string counted_cores(double cores);

inline constexpr std::array<std::string_view, 8> machine_headings{
    "Machine", "Provider", "Instance type", "Processor", "Cores", "Memory", "GPUs", "Runs"};
/// A row for each machine, as plain text; "–" where it is not known.
std::vector<std::vector<std::string>> machine_rows(const Document& document);

/// "total_bytes" to "total", "base_hz" to "base", "swap_in" to "swap in".
std::string fact_name(std::string name);

/// "7.77 GiB" for {"total_bytes": 8346030080}; "yes", "not known"; a list in one line.
std::string fact_text(const std::string& name, const Json& value);

}  // namespace neph::report
