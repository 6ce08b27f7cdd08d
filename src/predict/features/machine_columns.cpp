#include "predict/features/machine_columns.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "core/lists.hpp"
#include "core/text.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// "peak", "gflops" of "peak_GFLOPS"; "GB/s" is one word, "gb/s".
std::vector<std::string> words_of(std::string_view heading) {
  std::string text = lowered(heading);
  for (auto& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '/') c = ' ';
  std::vector<std::string> words;
  for (const auto word : split_at(text, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

bool has_one_of(const std::vector<std::string>& words, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(
      words, [&](const auto& word) { return std::ranges::find(wanted, word) != wanted.end(); });
}

double factor_in(const std::vector<std::string>& words,
                 std::initializer_list<std::pair<char, double>> factors, std::string_view unit) {
  for (const auto& word : words)
    for (const auto& [prefix, factor] : factors)
      if (word.size() > 1 && word.front() == prefix && std::string_view(word).substr(1).starts_with(unit))
        return factor;
  return 1;
}

/// What a heading means beside a machine: "peak_gflops", "memory bandwidth (GB/s)", "SMs".
enum class Figure { compute, bandwidth, other };
struct FigureHeading {
  Figure figure;
  double factor = 1;  ///< to TFLOP/s, GB/s
};

enum class Precision { fp32, tf32, fp16, fp8, int8 };

std::optional<Precision> precision_of(std::string_view text) {
  const auto words = words_of(text);
  if (has_one_of(words, {"fp32", "float32", "f32", "single", "full"})) return Precision::fp32;
  if (has_one_of(words, {"tf32", "tensorfloat32"})) return Precision::tf32;
  if (has_one_of(words, {"fp16", "float16", "f16", "half", "bf16", "bfloat16", "amp", "mixed", "fp4", "int4",
                         "w4a16", "q4", "nvfp4"}))
    return Precision::fp16;
  if (has_one_of(words, {"fp8", "float8", "f8", "e4m3"})) return Precision::fp8;
  if (has_one_of(words, {"int8", "i8", "u8", "w8a8", "q8"})) return Precision::int8;
  return std::nullopt;
}

/// Of what the sheet publishes at that precision, or else at the next wider one.
double peak_of(const device::Sheet& sheet, Precision precision) {
  const auto first = [](std::initializer_list<double> peaks) {
    for (const double peak : peaks)
      if (peak > 0) return peak;
    return unknown;
  };
  switch (precision) {
    case Precision::fp32:
      return first({sheet.fp32_tflops, sheet.tf32_tflops, sheet.fp16_tflops});
    case Precision::tf32:
      return first({sheet.tf32_tflops, sheet.fp32_tflops, sheet.fp16_tflops});
    case Precision::fp16:
      return first({std::max(sheet.fp16_tflops, sheet.fp32_tflops)});
    case Precision::fp8:
      return first({sheet.fp8_tflops, std::max(sheet.fp16_tflops, sheet.fp32_tflops)});
    case Precision::int8:
      return first({sheet.int8_tops, std::max(sheet.fp16_tflops, sheet.fp32_tflops)});
  }
  return unknown;
}

/// Nothing: the heading is not of a data sheet.
std::optional<FigureHeading> figure_of(std::string_view heading) {
  const auto words = words_of(heading);
  const bool is_of_other = has_one_of(
      words, {"network", "net", "pcie", "link", "nvlink", "disk", "ssd", "used", "time", "latency"});
  if (words.empty() || is_of_other) return std::nullopt;
  const auto has_unit = [&](std::string_view unit) {
    return std::ranges::any_of(words, [&](const auto& word) {
      return word == unit || (word.size() == unit.size() + 1 &&
                              std::string_view("kmgtp").find(word[0]) != std::string_view::npos &&
                              std::string_view(word).substr(1) == unit);
    });
  };
  const bool is_memory = has_one_of(words, {"memory", "mem", "vram", "hbm", "ram"});
  if (has_unit("flops") || has_unit("flop/s") || has_unit("tops") ||
      (has_one_of(words, {"peak"}) && !is_memory))
    return FigureHeading{Figure::compute, factor_in(words, {{'g', 1e-3}, {'m', 1e-6}, {'p', 1e3}}, "flop")};
  if (has_one_of(words, {"bandwidth", "bw"}) || has_unit("b/s"))
    return FigureHeading{Figure::bandwidth, factor_in(words, {{'t', 1e3}, {'m', 1e-3}}, "b")};
  const bool is_size = is_memory && !has_one_of(words, {"peak", "max"});
  if (is_size || has_one_of(words, {"sms", "sm", "cus", "clock", "frequency", "freq", "mhz", "ghz", "watt",
                                    "watts", "tdp"}))
    return FigureHeading{Figure::other};
  return std::nullopt;
}

enum class Names { other, cpus, accelerators };

/// What most distinct texts of a column are.
Names names_in_column(const table::Column& column, const device::Sheets& sheets) {
  if (!column.is_text() || column.levels.empty()) return Names::other;
  constexpr double least_share = 0.7;
  constexpr std::size_t most_looked_up = 200;
  const auto levels = std::span(column.levels).first(std::min(column.levels.size(), most_looked_up));
  double known = 0, cpus = 0;
  for (const auto& level : levels)
    if (const auto hardware = sheets.find(level)) {
      ++known;
      if (hardware->sheet.kind == "cpu") ++cpus;
    }
  if (known < least_share * static_cast<double>(levels.size())) return Names::other;
  return 2 * cpus > known ? Names::cpus : Names::accelerators;
}

bool is_constant_within(const table::Column& column, const table::Column& machines) {
  std::map<std::string, double> values;
  for (std::size_t row = 0; row < column.rows(); ++row) {
    const auto value = column.numbers[row];
    if (std::isnan(value)) continue;
    if (const auto [found, is_new] = values.try_emplace(machines.text(row), value);
        !is_new && found->second != value)
      return false;
  }
  return true;
}

const table::Column* column_called(const table::Table& table, const std::string& name) {
  if (name.empty()) return nullptr;
  const auto place = table.find_fitted(name);
  return place ? &table.columns[*place] : nullptr;
}

/// The first two names of one row that are accelerators of different sheets; empty: all rows agree.
std::string different_names(const table::Column& machines, const table::Column& others,
                            const device::Sheets& sheets) {
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t row = 0; row < machines.rows(); ++row) {
    const std::pair names{machines.text(row), others.text(row)};
    if (!seen.insert(names).second) continue;
    const auto one = sheets.find(names.first), other = sheets.find(names.second);
    if (one && other && one->sheet.kind != "cpu" && other->sheet.kind != "cpu" &&
        !device::is_same(one->sheet.name, other->sheet.name))
      return fmt::format(
          "'{}' and '{}' name different machines ({} and {}): '{}' is taken; --machine NAME takes another",
          machines.name, others.name, names.first, names.second, machines.name);
  }
  return {};
}

/// Whether no figure of the sheet is near to one that a table has for the machine, in TFLOP/s or GB/s.
bool is_far(const device::Hardware& hardware, Figure figure, double value) {
  constexpr double far = 2, sparse = 2;  // published peaks may count zeros that are left out
  const auto& sheet = hardware.sheet;
  double least = sheet.bandwidth_gb_s, most = least;
  if (figure == Figure::compute) {
    const auto peaks = {sheet.fp32_tflops, sheet.tf32_tflops, sheet.fp16_tflops, sheet.fp8_tflops,
                        sheet.int8_tops};
    most = sparse * std::max(peaks);
    least = most;
    for (const double peak : peaks)
      if (peak > 0) least = std::min(least, peak);
  }
  return least > 0 && (value < least * std::min(1.0, hardware.devices) / far ||
                       value > most * std::max(1.0, hardware.devices) * far);
}

/// The first figure of a column that is far from its row's sheet; empty: there is none.
std::string far_from_sheet(const table::Column& machines, const table::Column& figures,
                           const device::Sheets& sheets) {
  const auto heading = figure_of(figures.name);
  if (!heading || heading->figure == Figure::other || figures.is_text()) return {};
  const bool is_peak = heading->figure == Figure::compute;
  std::set<std::pair<std::string, double>> seen;
  for (std::size_t row = 0; row < machines.rows(); ++row) {
    if (std::isnan(figures.numbers[row]) || !seen.emplace(machines.text(row), figures.numbers[row]).second)
      continue;
    const auto hardware = sheets.find(machines.text(row));
    const double value = figures.numbers[row] * heading->factor;
    if (!hardware || !is_far(*hardware, heading->figure, value)) continue;
    return fmt::format(
        "'{}' has {:g} {} for '{}', whose sheet has {:g}{}: the sheet's is taken; is the unit right?",
        figures.name, value, is_peak ? "TFLOP/s" : "GB/s", machines.text(row),
        is_peak ? hardware->sheet.fp32_tflops : hardware->sheet.bandwidth_gb_s, is_peak ? " at fp32" : "");
  }
  return {};
}

/// Of numbers; nullptr: there is none.
const table::Column* threads_in(const table::Table& table) {
  for (const auto& column : table.columns)
    if (const auto words = words_of(column.name);
        !column.is_text() && !words.empty() && words.back() == "threads")
      return &column;
  return nullptr;
}

}  // namespace

std::vector<std::string> contradictions_in(const table::Table& table, const MachineColumns& columns,
                                           const device::Sheets& sheets) {
  std::vector<std::string> all;
  const auto* machines = column_called(table, columns.machine);
  if (!machines || !machines->is_text()) return all;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) all.push_back(std::move(sentence));
  };
  for (const auto& column : table.columns)
    if (column.name != columns.machine && names_in_column(column, sheets) == Names::accelerators)
      add(different_names(*machines, column, sheets));
  bool has_peak = false, has_bandwidth = false;
  for (const auto& name : columns.figures) {
    if (const auto* column = column_called(table, name)) add(far_from_sheet(*machines, *column, sheets));
    const auto heading = figure_of(name);
    has_peak |= heading && heading->figure == Figure::compute;
    has_bandwidth |= heading && heading->figure == Figure::bandwidth;
  }
  if (!(has_peak && has_bandwidth) && names_in_column(*machines, sheets) == Names::other &&
      std::ranges::none_of(machines->levels,
                           [&](const auto& level) { return sheets.find(level).has_value(); }))
    all.push_back(fmt::format(
        "'{}' names no known device ('{}'): machines without a row can be predicted if --machines FILE has "
        "their devices, or the table columns of peak and bandwidth",
        columns.machine, machines->levels.empty() ? "" : machines->levels.front()));
  return all;
}

MachineColumns machine_columns_in(const table::Table& table, const std::string& machine,
                                  const device::Sheets& sheets) {
  MachineColumns found;
  if (const auto place = table.find(machine); !machine.empty() && place)
    found.machine = table.columns[*place].name;
  for (const auto wanted : {Names::accelerators, Names::cpus})
    for (const auto& column : table.columns)
      if (found.machine.empty() && names_in_column(column, sheets) == wanted) found.machine = column.name;
  const auto* machines = column_called(table, found.machine);
  for (const auto& column : table.columns) {
    if (column.name == found.machine) continue;
    if (!column.is_text() && machines && figure_of(column.name) && is_constant_within(column, *machines))
      found.figures.push_back(column.name);
    const auto is_precision = [](const auto& level) { return precision_of(level).has_value(); };
    if (found.precision.empty() && column.is_text() && std::ranges::all_of(column.levels, is_precision))
      found.precision = column.name;
  }
  return found;
}

bool is_rate(std::string_view heading) {
  const auto words = words_of(heading);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const bool is_per_time = word.size() > 2 && (word.ends_with("/s") || word.ends_with("/sec"));
    if (is_per_time ||
        has_one_of({word}, {"throughput", "fps", "qps", "rps", "ips", "rate", "flops", "gflops", "tflops"}))
      return true;
    if (word == "per" && i + 1 < words.size() &&
        has_one_of({words[i + 1]}, {"s", "sec", "second", "minute", "hour"}))
      return true;
  }
  return false;
}

MachineSpeeds machine_speeds(const table::Table& rows, const MachineColumns& columns,
                             const device::Sheets& sheets) {
  const auto count = static_cast<Index>(rows.rows);
  MachineSpeeds result{MatrixXd::Constant(count, 2, unknown), Eigen::VectorXi::Constant(count, -1)};
  const auto* machines = column_called(rows, columns.machine);
  const auto* precisions = column_called(rows, columns.precision);
  const auto* threads = threads_in(rows);
  std::map<std::string, std::optional<device::Hardware>> known;
  std::vector<std::pair<const table::Column*, FigureHeading>> figures;
  for (const auto& name : columns.figures)
    if (const auto* column = column_called(rows, name); column && !column->is_text())
      if (const auto heading = figure_of(name); heading && heading->figure != Figure::other)
        figures.emplace_back(column, *heading);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const auto precision =
        precisions ? precision_of(precisions->text(row)).value_or(Precision::fp32) : Precision::fp32;
    const device::Hardware* hardware = nullptr;
    if (machines) {
      const auto [found, is_new] = known.try_emplace(machines->text(row));
      if (is_new) found->second = sheets.find(found->first);
      if (found->second) hardware = &*found->second;
    }
    double peak = unknown, bandwidth = unknown;
    if (hardware) {
      peak = peak_of(hardware->sheet, precision) * hardware->devices;
      bandwidth = hardware->sheet.bandwidth_gb_s * hardware->devices;
      result.families[static_cast<Index>(row)] = sheets.family_number(hardware->sheet);
    }
    for (const auto& [column, heading] : figures) {
      const bool is_peak = heading.figure == Figure::compute;
      const auto own = is_peak ? precision_of(column->name) : std::nullopt;
      const double value = column->numbers[row] * heading.factor;
      if (value > 0 && (!own || *own == precision) && !(hardware && is_far(*hardware, heading.figure, value)))
        (is_peak ? peak : bandwidth) = value;
    }
    double usable = hardware ? hardware->sheet.usable_share : 1, used = 1;
    if (hardware && threads && hardware->sheet.kind == "cpu" && threads->numbers[row] > 0)
      used = std::min(
          1.0, threads->numbers[row] / (hardware->devices * static_cast<double>(hardware->sheet.units)));
    result.logs.row(static_cast<Index>(row)) << std::log(peak * usable * used), std::log(bandwidth * used);
  }
  return result;
}

}  // namespace neph::predict
