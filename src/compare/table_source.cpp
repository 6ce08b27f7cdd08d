// neph's CSV: means over the runs, with intervals. The runs are not in it.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "compare/readers.hpp"
#include "compare/table_cells.hpp"
#include "core/lists.hpp"
#include "core/percentile.hpp"
#include "record/columns.hpp"
#include "record/metrics.hpp"
#include "record/warnings.hpp"
#include "table/table.hpp"

namespace neph::compare {
namespace {

constexpr std::array parts{"_low", "_high", "_n"};  ///< behind an estimate's name

/// Columns of the table and what they are.
class Rows {
 public:
  explicit Rows(const table::Table& table) : table_(table) {
    std::vector<std::string> headings;
    for (const auto& column : table.columns) headings.push_back(column.name);
    const auto list = column::results_in_export(headings);
    const std::set<std::string> results(list.begin(), list.end());
    for (const auto& column : table.columns)
      if (!results.contains(column.name))
        factors_.push_back(&column);
      else if (is_estimate(column.name))
        estimates_.push_back(&column);
  }

  Result<Configuration> configuration(std::size_t row) const {
    Configuration configuration;
    for (const auto* factor : factors_) add_factor(*factor, row, configuration);
    if (configuration.label.empty()) configuration.label = "all";
    for (const auto* column : estimates_) NEPH_CHECK(add_mean(*column, row, configuration));
    add_doubts(row, configuration);
    if (const auto answers = text("answers_checksum", row); !answers.empty())
      configuration.facts["answers"] = answers;
    return configuration;
  }

 private:
  const table::Column* find(std::string_view name) const {
    const auto found = std::ranges::find(table_.columns, name, &table::Column::name);
    return found == table_.columns.end() ? nullptr : &*found;
  }

  bool is_estimate(const std::string& name) const {
    return std::ranges::all_of(parts, [&](auto part) { return find(name + part) != nullptr; });
  }

  std::string text(std::string_view name, std::size_t row) const {
    const auto* column = find(name);
    return column ? column->text(row) : std::string();
  }

  /// As results call it. Empty: it means nothing in this configuration.
  static void add_factor(const table::Column& factor, std::size_t row, Configuration& configuration) {
    if (factor.is_empty(row)) return;
    configuration.factors[factor.name] =
        factor.is_text() ? Json(factor.text(row)) : Json(factor.numbers[row]);
    configuration.label +=
        fmt::format("{}{} {}", configuration.label.empty() ? "" : ", ", factor.name, factor.text(row));
  }

  Result<std::int64_t> runs_behind(const std::string& name, std::size_t row) const {
    // of times of batches the samples are told, of which the interval does not count each
    const auto& column =
        *find(name.starts_with(metric::latency.name) ? std::string(column::runs_ok) : name + "_n");
    NEPH_TRY(const auto n, number_in(table_, column, row));
    if (!n) return 0;
    if (*n < 0 || *n > 1e15 || std::floor(*n) != *n)
      return fault_in(table_, column, row, fmt::format("expected a whole number, got {}", *n));
    return static_cast<std::int64_t>(*n);
  }

  Status add_mean(const table::Column& column, std::size_t row, Configuration& configuration) const {
    Estimate mean;
    NEPH_TRY(const auto value, number_in(table_, column, row));
    if (!value) return {};
    mean.value = *value;
    NEPH_TRY(mean.low, number_in(table_, *find(column.name + "_low"), row));
    NEPH_TRY(mean.high, number_in(table_, *find(column.name + "_high"), row));
    NEPH_TRY(mean.n, runs_behind(column.name, row));
    if (!mean.low || !mean.high) {
      if (percentile_of(column.name)) return {};  // too few samples: no metric
      mean.low = mean.high = std::nullopt;
    } else if (!(*mean.low <= *value && *value <= *mean.high)) {
      return fault_in(table_, column, row,
                      fmt::format("{} is not within its interval, {} to {}", *value, *mean.low, *mean.high));
    }
    configuration.means[column.name] = mean;
    return {};
  }

  /// Codes alone: what was seen is not in the table.
  void add_doubts(std::size_t row, Configuration& configuration) const {
    const auto codes = text("warnings", row);
    const bool was_searched = configuration.means.contains(std::string(metric::sustained_per_s.name));
    for (const auto code : split_at(codes, ' ')) {
      if (code.empty()) continue;
      const auto known = enum_value<WarningCode>(code).value_or(WarningCode::unknown);
      if (is_failure(code, was_searched))
        configuration.failures.push_back(in_words(code));
      else if (kind_of(known).weight != Weight::hint)
        configuration.doubts.emplace_back(code);
    }
    if (text(column::runs_ok, row) != "0") return;
    auto& none = text(column::runs_failed, row) == "0" ? configuration.doubts : configuration.failures;
    none.emplace_back("no run ended well");
  }

  const table::Table& table_;
  std::vector<const table::Column*> factors_, estimates_;
};

}  // namespace

Result<Source> source_of_table(std::string_view text, std::string name) {
  NEPH_TRY(const auto table, table::parse_table(text, name));
  Source source{.name = std::move(name), .kind = std::string(kind::table)};
  const Rows rows(table);
  for (std::size_t row = 0; row < table.rows; ++row) {
    NEPH_TRY(source.configurations.emplace_back(), rows.configuration(row));
  }
  return source;
}

}  // namespace neph::compare
