#include "cli/compare_source.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "cli/results.hpp"
#include "core/lists.hpp"
#include "report/report.hpp"
#include "table/table.hpp"

namespace neph::cli {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size() && number > 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Result<compare::Source> in_store(const std::string& path, std::int64_t experiment) {
  NEPH_TRY(const auto store, store::Store::open(path, store::Access::read));
  return source_of(store, path, experiment);
}

/// Of "FILE.db:3" the store and the number; empty: it is no such text.
std::optional<std::pair<std::string, std::int64_t>> numbered_store(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  auto file = text.substr(0, colon);
  const auto number = whole_number(std::string_view(text).substr(colon + 1));
  if (!number || !exists(file)) return std::nullopt;
  return std::pair(std::move(file), *number);
}

}  // namespace

Result<double> parse_threshold(std::string_view option, std::string_view text) {
  auto number = text;
  const bool is_percent = number.ends_with('%');
  if (is_percent) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  const auto value = table::number_of_cell(number);
  const double share = value ? *value / (is_percent ? 100 : 1) : 0;
  if (!(share > 0 && share < 1))
    return fail(ErrorCode::invalid_argument, "{} {}: say a share between 0 and 100 %, as 3%", option, text);
  return share;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (const auto part : split_at(text, ',')) parts.emplace_back(part);
  return parts;
}

Result<compare::Source> source_of(const store::Store& store, std::string_view name, std::int64_t experiment) {
  NEPH_TRY(const auto document, load_document(store, experiment, store::Detail::full));
  return compare::source_of_results(report::json(document),
                                    fmt::format("experiment {} of {}", document.experiment.id, name));
}

Result<compare::Source> source_at(const std::string& text, const std::string& store) {
  if (exists(text)) return table::is_store(text) ? in_store(text, 0) : compare::read_source(text);
  if (const auto number = whole_number(text)) return in_store(store, *number);
  if (const auto numbered = numbered_store(text)) return in_store(numbered->first, numbered->second);
  if (text.find(',') == std::string::npos) return compare::read_source(text);
  std::vector<compare::Source> sources;
  std::set<std::string> seen;
  for (const auto& file : listed(text)) {
    if (!seen.insert(file).second)
      return fail(ErrorCode::invalid_argument,
                  "{} is named twice: the same runs, which say no more than once", file);
    NEPH_TRY(auto source, compare::read_source(file));
    sources.push_back(std::move(source));
  }
  return compare::joined(std::move(sources));
}

}  // namespace neph::cli
