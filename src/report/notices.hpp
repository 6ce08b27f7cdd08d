// What speaks against the numbers, each cause once: the same for the terminal, the page and Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// One message with the ranges of its figures, and where it was seen.
struct Seen {
  std::string message;
  std::vector<std::string> labels;  ///< of cells, in their order
};

/// Warnings that call for the same action, or one reason why runs failed.
struct Notice {
  std::optional<Weight> weight;  ///< empty: runs failed
  std::string code;              ///< "failed" where there is no weight
  std::string advice;
  std::vector<Seen> seen;  ///< never empty; several where messages differ in words
};

/// The gravest first: failures, then by weight; within these in the order of the cells.
std::vector<Notice> notices(const std::vector<CellSummary>& cells);

/// Of so many cells in all: "batch 1; batch 8", "all 9 configurations".
std::string names_of(const Seen& seen, std::size_t cells);
/// "'batch 8'", "2 of 9 configurations", "all 9 configurations"; empty where there is only one cell.
std::string extent_of(const Notice& notice, std::size_t cells);

}  // namespace neph::report
