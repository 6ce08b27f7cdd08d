// perf_analyzer's CSV (its report_writer.cc; load/formats.cpp writes the same): a row is a run at a number of
// requests in flight or a rate. Times are whole microseconds: one of 0 was too short to be told.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compare/readers.hpp"
#include "compare/table_cells.hpp"
#include "core/text.hpp"
#include "record/columns.hpp"
#include "record/metrics.hpp"
#include "record/stages.hpp"
#include "table/table.hpp"

namespace neph::compare {
namespace {

constexpr std::string_view throughput = "Inferences/Second";

/// What neph calls the means of the parts of a request.
struct Part {
  std::string_view heading;
  StageKind stage;
};
constexpr std::array request_parts{Part{"Client Send", stage::send},
                                   Part{"Network+Server Send/Recv", stage::network},
                                   Part{"Server Queue", stage::server_queue},
                                   Part{"Server Compute Input", stage::server_decode},
                                   Part{"Server Compute Infer", stage::server_infer},
                                   Part{"Server Compute Output", stage::server_encode},
                                   Part{"Client Recv", stage::receive}};

/// Of a column of times, what neph calls it. Empty: of something else, as a GPU.
std::string name_of_time(std::string_view heading) {
  constexpr std::string_view ending = " latency";
  if (heading == "Avg latency") return time_name(metric::latency, statistic::mean);
  if (heading.starts_with("p") && heading.ends_with(ending)) {
    const auto percentile = heading.substr(0, heading.size() - ending.size());
    if (percentile.size() > 1 && std::ranges::all_of(percentile.substr(1), is_digit))
      return time_name(metric::latency, percentile);
  }
  for (const auto& part : request_parts)
    if (part.heading == heading) return column::of_stage(part.stage.name);
  return {};
}

/// Tables of an ensemble's models follow it, behind an empty line.
std::string_view first_table(std::string_view text) {
  for (const std::string_view gap : {"\n\n", "\n\r\n"})
    if (const auto end = text.find(gap); end != std::string_view::npos) text = text.substr(0, end + 1);
  return text;
}

class Rows {
 public:
  explicit Rows(const table::Table& table) : table_(table) {}

  Status add(std::size_t row, Source& source) const {
    const auto& level = table_.columns.front();
    NEPH_TRY(const auto value, quantity_in(table_, level, row));
    if (!value) return fault_in(table_, level, row, "is empty");
    auto name = lowered(level.name);
    const auto label = fmt::format("{} {}", name, level.text(row));
    auto found = std::ranges::find(source.configurations, label, &Configuration::label);
    if (found == source.configurations.end()) {
      std::ranges::replace(name, ' ', '_');
      found = source.configurations.insert(found, {.label = label, .factors = Json{{name, *value}}});
    }
    MeasuredRun run{.block = static_cast<std::int64_t>(found->runs.size())};
    NEPH_TRY(run.metrics, metrics(row));
    for (const auto& column : table_.columns)
      if (const auto heading = lowered(column.name);
          !column.is_text() && column.numbers[row] > 0 &&
          (heading.find("fail") != std::string::npos || heading.find("error") != std::string::npos))
        found->failures.push_back(fmt::format("{}: {}", printable(column.name), column.text(row)));
    if (run.metrics.empty())
      found->failures.emplace_back("no inference was completed");
    else
      found->runs.push_back(std::move(run));
    return {};
  }

 private:
  /// None, where nothing was answered.
  Result<std::map<std::string, double>> metrics(std::size_t row) const {
    std::map<std::string, double> metrics;
    for (const auto& column : table_.columns) {
      const bool is_rate = column.name == throughput;
      const auto name = is_rate ? std::string(metric::inferences_per_s.name) : name_of_time(column.name);
      if (name.empty()) continue;
      NEPH_TRY(const auto value, quantity_in(table_, column, row));
      if (is_rate && value.value_or(0) == 0) return std::map<std::string, double>();
      if (value && *value > 0) metrics[name] = is_rate ? *value : 1e-3 * *value;
    }
    return metrics;
  }

  const table::Table& table_;
};

}  // namespace

Result<Source> source_of_perf_analyzer(std::string_view text, std::string name) {
  NEPH_TRY(const auto table, table::parse_table(first_table(text), name));
  Source source{.name = std::move(name), .kind = std::string(kind::perf_analyzer)};
  const Rows rows(table);
  for (std::size_t row = 0; row < table.rows; ++row) NEPH_CHECK(rows.add(row, source));
  return source;
}

}  // namespace neph::compare
