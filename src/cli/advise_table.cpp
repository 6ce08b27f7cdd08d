#include "cli/advise_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cli/advise_headings.hpp"
#include "cli/advise_rows.hpp"
#include "core/text.hpp"
#include "stats/stats.hpp"

namespace neph::cli {
namespace {

constexpr double gib = 1073741824, gb = 1e9;
constexpr double most_gpus = 1e6;

struct Condition {
  std::size_t column = 0;
  std::string value;
};

Result<std::vector<Condition>> conditions_of(const table::Table& table,
                                             const std::vector<std::string>& where) {
  std::vector<Condition> conditions;
  for (const auto& text : where) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::invalid_argument, "--where {}: give it as COLUMN=VALUE", text);
    NEPH_TRY(const auto column, table.find(text.substr(0, equals)));
    conditions.push_back({column, text.substr(equals + 1)});
  }
  return conditions;
}

bool meets(const table::Table& table, const std::vector<Condition>& conditions, std::size_t row) {
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    const auto& column = table.columns[condition.column];
    if (column.text(row) == condition.value) return true;
    const auto number = table::number_of_cell(condition.value);
    return number && !column.is_text() && column.numbers[row] == *number;
  });
}

/// A row's cells by their roles.
class Row {
 public:
  Row(const table::Table& table, const Columns& columns, std::size_t row)
      : table_(table), columns_(columns), row_(row) {}

  std::string text(Role role) const {
    const auto place = columns_.roles.find(role);
    return place == columns_.roles.end() ? ""
                                         : std::string(trimmed(table_.columns[place->second].text(row_)));
  }
  /// Error: invalid_argument (text, or a number that is not finite or below 0). Nothing: an empty cell.
  Result<std::optional<double>> number(Role role) const {
    const auto place = columns_.roles.find(role);
    if (place == columns_.roles.end()) return std::nullopt;
    return number(place->second);
  }
  Result<std::optional<double>> number(std::size_t place) const {
    const auto& column = table_.columns[place];
    if (column.is_empty(row_)) return std::nullopt;
    const double value = column.is_text() ? std::nan("") : column.numbers[row_];
    if (std::isfinite(value) && value >= 0) return value;
    return fail(ErrorCode::invalid_argument, "{}, row {}: {} is '{}', and should be a number of at least 0",
                table_.source, row_ + 1, column.name, column.text(row_));
  }
  /// A flag, or text that is a reason.
  bool is_set(Role role) const {
    const auto value = lowered(text(role));
    return !value.empty() && value != "0" && value != "no" && value != "false" && value != "off";
  }
  const table::Table& table() const { return table_; }
  std::size_t place() const { return row_; }

 private:
  const table::Table& table_;
  const Columns& columns_;
  std::size_t row_;
};

std::string place_of(const Row& row) {
  const auto value = lowered(row.text(Role::place));
  if (value.empty()) return value;
  for (const auto* no : {"0", "no", "false", "off", "none", "process", "bare"})
    if (value == no) return "process";
  for (const auto* yes : {"1", "yes", "true", "on"})
    if (value == yes) return "docker";
  return value;
}

/// What a column 'device' says: 0 of a CPU, nothing where it says nothing. Error: it says neither CPU nor
/// GPU.
Result<std::optional<double>> gpus_of_device(const Row& row, bool has_name) {
  const auto device = lowered(row.text(Role::device));
  if (device.empty()) return std::nullopt;
  if (device.starts_with("cpu")) return 0.0;
  if (device.starts_with("cuda") || device.starts_with("gpu"))
    return has_name ? std::nullopt : std::optional(1.0);
  return fail(ErrorCode::invalid_argument,
              "{}, row {}: device is '{}'; it should be cpu or cuda, and a column 'gpu' name the model",
              row.table().source, row.place() + 1, row.text(Role::device));
}

/// How many; a name alone is of one.
Result<std::int64_t> gpu_count(const Row& row, bool has_name) {
  NEPH_TRY(const auto told, row.number(Role::gpus));
  NEPH_TRY(const auto of_device, gpus_of_device(row, has_name));
  if (of_device == 0.0) return 0;  // the machine's GPUs did nothing
  const double gpus = told ? *told : of_device.value_or(has_name ? 1 : 0);
  if (gpus == std::floor(gpus) && gpus <= most_gpus) return static_cast<std::int64_t>(gpus);
  return fail(ErrorCode::invalid_argument,
              "{}, row {}: it uses {} GPUs; only whole ones are rented, so leave the row out",
              row.table().source, row.place() + 1, gpus);
}

Status read_gpus(const Row& row, advise::Needs& needs) {
  const auto name = row.text(Role::gpu);
  const auto small = lowered(name);
  const bool has_name =
      !small.empty() && small != "none" && small != "no" && small != "cpu" && small != "-" && small != "0";
  NEPH_TRY(needs.gpus, gpu_count(row, has_name));
  if (needs.gpus > 0 && has_name) needs.gpu = name;
  if (needs.gpus > 0 && !has_name && row.text(Role::instance).empty())
    return fail(ErrorCode::invalid_argument, "{}, row {}: it uses {} GPUs, and no column 'gpu' says which",
                row.table().source, row.place() + 1, needs.gpus);
  return {};
}

/// "aws/p3.8xlarge" may stand in one column.
void read_instance(const Row& row, advise::Needs& needs) {
  needs.provider = lowered(row.text(Role::provider));
  needs.instance = row.text(Role::instance);
  const auto slash = needs.instance.find('/');
  if (slash == std::string::npos) return;
  needs.provider = lowered(needs.instance.substr(0, slash));
  needs.instance.erase(0, slash + 1);
}

Result<advise::Needs> needs_of(const Row& row, const Columns& columns) {
  advise::Needs needs;
  NEPH_TRY(needs.cores, row.number(Role::cores));
  NEPH_CHECK(read_gpus(row, needs));
  NEPH_TRY(const auto memory, row.number(Role::memory));
  if (memory)
    needs.memory_bytes =
        *memory *
        (lowered(row.table().columns[columns.roles.at(Role::memory)].name).find("gib") != std::string::npos
             ? gib
             : gb);
  needs.arch = row.text(Role::arch);
  read_instance(row, needs);
  if (!needs.cores && needs.gpus == 0 && needs.instance.empty())
    return fail(
        ErrorCode::invalid_argument,
        "{}, row {}: which machine could do that? A column must say it: cores, gpus and gpu, or instance",
        row.table().source, row.place() + 1);
  return needs;
}

Result<Estimate> estimate_of(const Row& row, const Columns& columns) {
  const auto& column = row.table().columns[columns.time];
  const double unit = heading::unit_of(column.name).value_or(1);
  NEPH_TRY(const auto value, row.number(columns.time));
  if (!value)
    return fail(ErrorCode::invalid_argument, "{}, row {}: {} is empty; give the time, or leave the row out",
                row.table().source, row.place() + 1, column.name);
  Estimate estimate{.value = *value * unit};
  if (!columns.low || !columns.high) return estimate;
  NEPH_TRY(const auto low, row.number(*columns.low));
  NEPH_TRY(const auto high, row.number(*columns.high));
  if (!low || !high) return estimate;
  if (*low > *value || *high < *value)
    return fail(ErrorCode::invalid_argument, "{}, row {}: {} {} is not within its interval {} to {}",
                row.table().source, row.place() + 1, column.name, *value, *low, *high);
  estimate.low = *low * unit;
  estimate.high = *high * unit;
  if (columns.n) {
    NEPH_TRY(const auto n, row.number(*columns.n));
    estimate.n = static_cast<std::int64_t>(n.value_or(0));
  }
  return estimate;
}

struct Measured {
  advise::Configuration configuration;
  std::vector<Estimate> times;
  std::size_t first_row = 0;
};

Result<Measured> read_row(const Row& row, const Columns& columns) {
  Measured measured{.first_row = row.place()};
  auto& configuration = measured.configuration;
  NEPH_TRY(configuration.needs, needs_of(row, columns));
  configuration.place = place_of(row);
  const auto& needs = configuration.needs;
  for (const auto place : columns.naming)
    if (const auto heading = heading::plain(row.table().columns[place].name);
        heading == "precision" || heading == "dtype")
      configuration.precision = row.table().columns[place].text(row.place());
  configuration.hardware =
      needs.gpus > 0 && !needs.gpu.empty() ? fmt::format("{}x {}", needs.gpus, needs.gpu) : needs.instance;
  configuration.is_predicted = columns.is_predicted || row.is_set(Role::predicted);
  if (row.is_set(Role::refused)) {
    const auto why = row.text(Role::refused);
    configuration.refused =
        why == "1" || lowered(why) == "yes" || lowered(why) == "true" ? "refused in the table" : why;
    return measured;
  }
  NEPH_TRY(const auto time, estimate_of(row, columns));
  measured.times.push_back(time);
  return measured;
}

/// Of several runs the one that took most memory says what is needed.
void add_repeat(Measured repeat, Measured& measured) {
  std::ranges::move(repeat.times, std::back_inserter(measured.times));
  auto& memory = measured.configuration.needs.memory_bytes;
  const auto more = repeat.configuration.needs.memory_bytes;
  if (more && (!memory || *more > *memory)) memory = more;
}

/// Several rows of one configuration are repeats; one row is what it says.
Result<Estimate> joined(const Measured& measured, const std::string& source) {
  if (measured.times.size() == 1) return measured.times.front();
  std::vector<double> values;
  for (const auto& time : measured.times) {
    if (time.low)
      return fail(
          ErrorCode::invalid_argument,
          "{}: {} stands in several rows with intervals of their own; name what tells them apart in a column",
          source, measured.configuration.work.name);
    values.push_back(time.value);
  }
  return stats::mean_estimate(values);
}

Result<advise::Configuration> finished(Measured measured, const std::string& source) {
  auto& configuration = measured.configuration;
  if (!configuration.refused.empty()) return configuration;
  NEPH_TRY(const auto time, joined(measured, source));
  configuration.repeats =
      measured.times.size() > 1 || !time.low ? static_cast<std::int64_t>(measured.times.size()) : time.n;
  configuration.work.stages = {
      {.stage = BillStage::learn,
       .seconds = time,
       .known = configuration.is_predicted ? price::Known::given : price::Known::measured}};
  return configuration;
}

/// Rows by their configurations, in the order of the table.
Result<std::vector<Measured>> measured_in(const table::Table& table, const Columns& columns,
                                          const std::vector<std::size_t>& rows) {
  const auto named = varied(table, rows, telling(columns)), family = varied(table, rows, columns.naming);
  std::map<std::string, std::size_t> places;
  std::vector<Measured> all;
  for (const auto row : rows) {
    NEPH_TRY(auto measured, read_row({table, columns, row}, columns));
    auto name = words_of(table, named, row);
    measured.configuration.work.name = name.empty() ? words_of(table, telling(columns), row) : name;
    measured.configuration.family = words_of(table, family, row);
    const auto key = fmt::format("{}|{}", name, measured.configuration.is_predicted);
    const auto [place, is_new] = places.try_emplace(key, all.size());
    if (is_new)
      all.push_back(std::move(measured));
    else
      add_repeat(std::move(measured), all[place->second]);
  }
  return all;
}

}  // namespace

Result<TimesTable> times_in(const table::Table& table, const std::string& time,
                            const std::vector<std::string>& where, const std::vector<std::string>& used) {
  NEPH_TRY(auto columns, columns_of(table, time, used));
  NEPH_TRY(const auto conditions, conditions_of(table, where));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows; ++row)
    if (meets(table, conditions, row)) rows.push_back(row);
  if (rows.empty()) return fail(ErrorCode::not_found, "{}: no row is as --where says", table.source);
  NEPH_CHECK(check_same_job(table, columns, rows));
  TimesTable times{.time = table.columns[columns.time].name};
  const auto runs = leave_out_run_numbers(table, rows, columns);
  NEPH_TRY(times.notes, notes_of(table, columns, rows));
  if (!runs.empty()) times.notes.push_back(runs);
  NEPH_TRY(auto all, measured_in(table, columns, rows));
  for (auto& measured : all) {
    NEPH_TRY(auto configuration, finished(std::move(measured), table.source));
    times.configurations.push_back(std::move(configuration));
  }
  return times;
}

}  // namespace neph::cli
