#include "predict/explain/devices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/ranges.h>

#include "core/units.hpp"
#include "stats/stats.hpp"

namespace neph::predict {
namespace {

const Design::Category& machines_of(const Model& model) {
  return model.design().categories()[*model.design().machine()];
}

std::int64_t points_of(const Model& model, const std::string& level) {
  const auto& machines = machines_of(model);
  const auto code = std::ranges::find(machines.levels, level) - machines.levels.begin();
  return (model.points().matrix.levels.col(static_cast<Eigen::Index>(*model.design().machine())).array() ==
          static_cast<int>(code))
      .count();
}

/// The table's own name of a machine; empty: it has no rows.
std::string level_of(const Model& model, const std::string& name) {
  const auto& levels = machines_of(model).levels;
  if (std::ranges::find(levels, name) != levels.end()) return name;
  const auto& sheets = model.design().sheets();
  const auto asked = sheets.find(name);
  for (const auto& level : levels)
    if (const auto known = sheets.find(level);
        asked && known && known->sheet.name == asked->sheet.name && known->devices == asked->devices)
      return level;
  return {};
}

std::vector<std::size_t> different_rows(const table::Table& rows, const std::set<std::string>& without) {
  std::set<std::string> known;
  std::vector<std::size_t> different;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    std::string key;
    for (const auto& column : rows.columns)
      if (!without.contains(column.name)) key += column.text(row) + "\t";
    if (known.insert(key).second) different.push_back(row);
  }
  return different;
}

table::Column column_of_texts(const std::string& name, const std::vector<std::string>& texts) {
  table::Column column{.name = name};
  for (const auto& text : texts) {
    const auto found = std::ranges::find(column.levels, text);
    column.codes.push_back(text.empty() ? -1 : static_cast<std::int32_t>(found - column.levels.begin()));
    if (!text.empty() && found == column.levels.end()) column.levels.push_back(text);
  }
  return column;
}

/// A column of machines: of each device what its measured rows have, `count` times.
table::Column machine_column(const Model& model, const std::string& name,
                             const std::vector<AskedDevice>& devices, std::size_t count) {
  const auto& measured = model.measured().features;
  const auto& column = measured.columns[*measured.find_fitted(name)];
  const auto& names = measured.columns[*measured.find_fitted(model.design().roles().hardware.machine)];
  std::vector<std::string> texts;
  std::vector<double> numbers;
  for (const auto& device : devices) {
    std::size_t row = 0;
    while (row < measured.rows && names.text(row) != device.level) ++row;
    const bool is_measured = row < measured.rows;
    texts.insert(texts.end(), count,
                 name == names.name ? device.level
                 : is_measured      ? column.text(row)
                                    : std::string());
    const bool has_number = is_measured && !column.is_text();
    numbers.insert(numbers.end(), count,
                   has_number ? column.numbers[row] : std::numeric_limits<double>::quiet_NaN());
  }
  if (name == names.name || column.is_text()) return column_of_texts(name, texts);
  return {.name = name, .numbers = std::move(numbers), .codes = {}, .levels = {}};
}

/// In bytes, as fp32; 0: the model knows no networks.
double largest_weights(const Model& model, const table::Table& rows) {
  const auto names = model.design().features();  // those of the network stand behind the table's own
  const auto place = names.rend() - std::find(names.rbegin(), names.rend(), "parameters") - 1;
  if (!model.design().has_layers() || place < 0) return 0;
  const auto inputs = model.design().apply(rows);
  return inputs && inputs->rows() > 0 ? 4 * std::exp(inputs->matrix.numbers.col(place).maxCoeff()) : 0;
}

std::string sheet_in_words(const device::Hardware& hardware) {
  const auto& [sheet, devices] = hardware;
  std::vector<std::string> peaks;
  for (const auto& [precision, peak] : {std::pair{"fp32", sheet.fp32_tflops}, {"fp16", sheet.fp16_tflops}})
    if (peak > 0) peaks.push_back(fmt::format("{:g} TFLOP/s at {}", peak, precision));
  const bool is_cpu = sheet.kind == "cpu" && sheet.units > 0;
  const auto cores = devices * static_cast<double>(sheet.units);
  return fmt::format("{}{}, {}, {:g} GB/s{}",
                     is_cpu         ? fmt::format("{:.3g} of {} cores of ", cores, sheet.units)
                     : devices == 1 ? ""
                                    : fmt::format("{:.3g} x ", devices),
                     sheet.name, fmt::join(peaks, ", "), sheet.bandwidth_gb_s,
                     sheet.memory_gb > 0 ? fmt::format(", {:g} GB", sheet.memory_gb) : "");
}

}  // namespace

std::set<std::string> columns_of_machines(const Model& model) {
  if (!model.design().machine()) return {};
  const auto& hardware = model.design().roles().hardware;
  std::set<std::string> columns{hardware.machine};
  columns.insert(hardware.figures.begin(), hardware.figures.end());
  const auto own = model.machines_own();
  for (std::size_t c = 0; c < own.size(); ++c)
    if (own[c]) columns.insert(model.design().categories()[c].column);
  return columns;
}

Result<std::vector<AskedDevice>> asked_devices(const Model& model, const std::vector<std::string>& names) {
  const auto& design = model.design();
  if (!design.machine())
    return fail(ErrorCode::invalid_argument,
                "the model knows no machines: fit it to a table with a column of devices or instance types "
                "(--machine COLUMN)");
  if (!design.knows_machines())
    return fail(ErrorCode::invalid_argument,
                "too few machines of '{}' are known devices: fit again with --machines FILE, which has the "
                "devices of the others",
                machines_of(model).column);
  if (names.empty()) return fail(ErrorCode::invalid_argument, "--devices names no device");
  std::vector<AskedDevice> devices;
  for (const auto& name : names) {
    const auto level = level_of(model, name);
    const auto found = design.sheets().at(name);
    if (level.empty() && !found) return tl::unexpected(found.error());
    AskedDevice device{name, level.empty() ? name : level, level.empty() ? 0 : points_of(model, level), {}};
    if (found) device.hardware = *found;
    const auto& sheet = device.hardware.sheet;
    if (level.empty() && !(sheet.bandwidth_gb_s > 0 && std::max(sheet.fp32_tflops, sheet.fp16_tflops) > 0))
      return fail(ErrorCode::invalid_argument,
                  "the sheet of '{}' has no peak or no bandwidth; give them with --machines when fitting",
                  sheet.name);
    const auto is_same = [&](const AskedDevice& other) {
      return other.level == device.level ||
             (device.points == 0 && other.points == 0 && other.hardware.sheet.name == sheet.name &&
              other.hardware.devices == device.hardware.devices);
    };
    if (std::ranges::any_of(devices, is_same))
      return fail(ErrorCode::invalid_argument, "'{}' is given twice", device.level);
    devices.push_back(std::move(device));
  }
  return devices;
}

Result<table::Table> on_devices(const Model& model, const table::Table& configurations,
                                const std::vector<AskedDevice>& devices) {
  const auto of_machines = columns_of_machines(model);
  const auto different = different_rows(configurations, of_machines);
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < devices.size(); ++i)
    repeated.insert(repeated.end(), different.begin(), different.end());
  auto rows = table::rows_of(configurations, repeated);
  for (const auto& column : model.measured().features.columns) {
    if (!of_machines.contains(column.name)) continue;
    auto own = machine_column(model, column.name, devices, different.size());
    if (const auto place = rows.find_fitted(column.name))
      rows.columns[*place] = std::move(own);
    else
      rows.columns.push_back(std::move(own));
  }
  return rows;
}

Result<std::vector<std::string>> devices_in_words(const Model& model, const table::Table& configurations,
                                                  const std::vector<AskedDevice>& devices,
                                                  const std::vector<Prediction>& predictions,
                                                  std::size_t threads) {
  const auto& levels = machines_of(model).levels;
  const auto most = std::ranges::max(
      levels, {}, [&](const auto& level) { return level.empty() ? -1 : points_of(model, level); });
  NEPH_TRY(const auto rows, on_devices(model, configurations, {{most, most, 1, {}}}));
  NEPH_TRY(const auto compared, model.predict(rows, threads));
  const double weights = largest_weights(model, rows);
  const bool is_of_rates = is_rate(model.origin().target);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& [name, level, points, hardware] = devices[i];
    std::vector<double> low, middle, high;
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const auto& here = predictions[i * rows.rows + row];
      const double other = compared[row].value;
      if (!std::isfinite(here.high) || !std::isfinite(other)) continue;
      low.push_back(is_of_rates ? here.low / other : other / here.high);
      middle.push_back(is_of_rates ? here.value / other : other / here.value);
      high.push_back(is_of_rates ? here.high / other : other / here.low);
    }
    auto line = fmt::format("{}: {}; ", name,
                            hardware.sheet.name.empty() ? "no data sheet" : sheet_in_words(hardware));
    line += points > 0 ? fmt::format("measured as '{}' ({})", level, counted(points, "different row"))
                       : "not measured, predicted by its data sheet";
    if (hardware.sheet.memory_gb > 0 &&
        weights > 1e9 * hardware.sheet.memory_gb * std::max(1.0, hardware.devices))
      line += fmt::format(", whose memory does not hold the weights of the largest network ({} at fp32)",
                          format_bytes(weights));
    if (!middle.empty() && level != most)
      line += fmt::format(
          ": {} times as fast as '{}' in the median configuration ({} to {}, 90 % prediction interval)",
          format_number(stats::median(middle)), most, format_number(stats::median(low)),
          format_number(stats::median(high)));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace neph::predict
