#include "record/columns.hpp"

#include <algorithm>

namespace neph::column {

std::vector<std::string> results_in_export(const std::vector<std::string>& headings) {
  const auto begin = std::ranges::find(headings, verdict);
  const auto ok = std::find(begin, headings.end(), runs_ok);
  const auto failed = std::find(ok, headings.end(), runs_failed);
  if (failed == headings.end()) return {};
  const auto last = std::find(failed, headings.end(), repro);
  std::vector<std::string> results(begin, last == headings.end() ? last : last + 1);
  if (std::find(headings.begin(), begin, cell) != begin) results.emplace_back(cell);
  return results;
}

}  // namespace neph::column
