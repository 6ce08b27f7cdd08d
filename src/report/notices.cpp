#include "report/notices.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/ranges.h>

#include "record/merged_message.hpp"

namespace neph::report {
namespace {

std::string all_of(std::size_t cells) { return fmt::format("all {} configurations", cells); }

void see(std::vector<Seen>& seen, const std::string& message, const std::string& label) {
  for (auto& known : seen)
    if (auto both = merged_message(known.message, message)) {
      known.message = *std::move(both);
      if (known.labels.back() != label) known.labels.push_back(label);
      return;
    }
  seen.push_back({message, {label}});
}

/// Of no warning: why runs failed. Each reason is a cause of its own, other figures in it too: exit code 1 is
/// not 139.
void add_failures(const std::vector<CellSummary>& cells, std::vector<Notice>& found) {
  std::vector<Seen> reasons;
  for (const auto& cell : cells)
    for (const auto& reason : cell.failures) {
      const auto same = std::find_if(reasons.begin(), reasons.end(),
                                     [&](const Seen& known) { return known.message == reason; });
      if (same == reasons.end())
        reasons.push_back({reason, {cell.cell.label}});
      else
        same->labels.push_back(cell.cell.label);
    }
  for (auto& reason : reasons) found.push_back({.code = "failed", .seen = {std::move(reason)}});
}

void add_warnings(const std::vector<CellSummary>& cells, Weight weight, std::vector<Notice>& found) {
  for (const auto& cell : cells)
    for (const auto& warning : cell.warnings) {
      if (warning.weight != weight) continue;
      auto same = std::find_if(found.begin(), found.end(), [&](const Notice& notice) {
        return notice.weight == weight && notice.code == enum_name(warning.code) &&
               notice.advice == warning.advice;
      });
      if (same == found.end())
        same = found.insert(
            found.end(),
            {.weight = weight, .code = std::string(enum_name(warning.code)), .advice = warning.advice});
      see(same->seen, warning.message, cell.cell.label);
    }
}

}  // namespace

std::vector<Notice> notices(const std::vector<CellSummary>& cells) {
  std::vector<Notice> found;
  add_failures(cells, found);
  for (const auto weight : {Weight::voids, Weight::doubt, Weight::hint}) add_warnings(cells, weight, found);
  return found;
}

std::string names_of(const Seen& seen, std::size_t cells) {
  if (seen.labels.size() == cells && cells > 1) return all_of(cells);
  return fmt::format("{}", fmt::join(seen.labels, "; "));
}

std::string extent_of(const Notice& notice, std::size_t cells) {
  std::set<std::string_view> labels;
  for (const auto& seen : notice.seen) labels.insert(seen.labels.begin(), seen.labels.end());
  if (cells < 2) return {};
  if (labels.size() == cells) return all_of(cells);
  if (labels.size() == 1) return fmt::format("'{}'", *labels.begin());
  return fmt::format("{} of {} configurations", labels.size(), cells);
}

}  // namespace neph::report
