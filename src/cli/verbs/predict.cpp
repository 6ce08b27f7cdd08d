#include "predict/predict.hpp"

#include <cmath>
#include <future>
#include <map>
#include <numeric>

#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "os/cores.hpp"

namespace neph::cli {
namespace {

constexpr std::size_t most_shown = 100;         ///< rows of a table for people
constexpr std::size_t most_columns_shown = 12;  ///< of it
constexpr std::size_t most_refused_shown = 20;  ///< rows without an answer, by their numbers
constexpr std::size_t nearest_in_json = 3;

struct PredictCommand {
  std::string model;
  std::string rows;
  std::string calibrate;
  std::string devices;
  std::string out;
  bool json = false, force = false;
};

/// Which rows have no answer, and of those that the table does not show why.
void print_refused(const std::vector<predict::Prediction>& predictions) {
  const auto refused = predict::refused_in(predictions);
  if (refused.empty()) return;
  std::string numbers;
  for (const auto row : std::span(refused).first(std::min(refused.size(), most_refused_shown)))
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", row + 1);
  const bool has_more = refused.size() > most_refused_shown;
  print_lines("no answer for {} of {}: {} {}{}\n", refused.size(), counted(std::ssize(predictions), "row"),
              refused.size() == 1 ? "row" : "rows", numbers, has_more ? ", ...: --json has all" : "");
  for (const auto row : std::span(refused).first(std::min(refused.size(), most_refused_shown)))
    if (row >= most_shown) fmt::print("row {}: {}\n", row + 1, printable(predictions[row].refused));
}

/// How many rows have a value alone, by the reasons.
void print_without_interval(const std::vector<predict::Prediction>& predictions) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& prediction : predictions)
    if (!prediction.no_interval.empty()) ++counts[prediction.no_interval];
  for (const auto& [why, count] : counts)
    print_lines("no interval for {} of {}: {}\n", count, counted(std::ssize(predictions), "row"),
                printable(why));
}

/// Of rows on named devices the columns that differ, else all.
std::vector<table::Column> shown_columns(const table::Table& rows, bool is_of_devices) {
  auto columns = rows.columns;
  if (is_of_devices)
    std::erase_if(columns, [&](const table::Column& column) {
      for (std::size_t row = 1; row < rows.rows; ++row)
        if (column.text(row) != column.text(0)) return false;
      return rows.rows > 1;
    });
  return columns;
}

void print_predictions(const predict::Model& model, const table::Table& rows,
                       const std::vector<predict::Prediction>& predictions,
                       const predict::Neighbours& neighbours, bool is_of_devices) {
  const auto shown = shown_columns(rows, is_of_devices);
  const auto columns = std::span(shown).first(std::min(shown.size(), most_columns_shown));
  std::vector<std::string> headings;
  for (const auto& column : columns) headings.push_back(printable(column.name));
  const auto& target = model.origin().target;
  const std::string answer =
      rows.find(target) ? "predicted" : printable(target);  // the table may have what was measured
  headings.push_back(answer);
  for (const auto* heading : {"low", "high", "nearest measured", "extrapolation"})
    headings.emplace_back(heading);
  TextTable table(headings);
  for (std::size_t row = 0; row < std::min(rows.rows, most_shown); ++row) {
    std::vector<std::string> cells;
    for (const auto& column : columns) cells.push_back(printable(column.text(row)));
    const auto& prediction = predictions[row];
    for (const double value : {prediction.value, prediction.low, prediction.high})
      cells.push_back(std::isnan(value) ? "" : format_number(value));
    cells.push_back(printable(predict::nearest_in_words(neighbours, row)));
    cells.push_back(printable(predict::warning_in_words(prediction)));
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
  if (rows.rows > most_shown) fmt::print("and {} more rows: --json has all\n", rows.rows - most_shown);
  if (shown.size() > columns.size())
    fmt::print("the table has {} more columns, which are not shown\n", shown.size() - columns.size());
  print_refused(predictions);
  fmt::print("low to high: 90 % prediction interval\n");
  print_without_interval(predictions);
}

/// The model's file, or the hint that it is the other one.
Result<predict::Model> loaded_model(const PredictCommand& options) {
  auto model = predict::load_model(options.model);
  if (model || options.rows.empty() || !predict::load_model(options.rows)) return model;
  return fail(ErrorCode::invalid_argument, "{} is the model, which goes first: neph predict {} {}",
              options.rows, options.rows, options.model);
}

/// As the file has it, or with the rows that calibrate it.
Result<predict::Model> model_of(const PredictCommand& options, std::size_t threads) {
  NEPH_TRY(auto model, loaded_model(options));
  if (options.calibrate.empty()) {
    if (options.out.empty()) return model;
    return fail(ErrorCode::invalid_argument,
                "--out is for a calibrated model; --calibrate FEW.csv is missing");
  }
  if (!options.out.empty()) {
    NEPH_CHECK(check_output_file("--out", options.out, {options.rows, options.calibrate}));
    if (!options.force && options.out != options.model)
      NEPH_CHECK(check_nothing_is_lost("--out", options.out));
  }
  NEPH_TRY(auto few, table::read_table(options.calibrate));
  model.add_constants(few);
  ProgressLine line;
  NEPH_TRY(
      auto calibrated,
      predict::calibrated(model, few, {.threads = threads, .progress = progress_on(line, "calibrating")}));
  line.clear();
  if (!options.out.empty()) NEPH_CHECK(predict::save_model(calibrated, options.out));
  return calibrated;
}

Status predict_rows(const PredictCommand& options) {
  if (options.rows.empty() && options.devices.empty())
    return fail(ErrorCode::invalid_argument,
                "nothing to predict: give a table of rows, or --devices for the measured configurations on "
                "other machines");
  const auto threads = static_cast<std::size_t>(usable_cores());
  auto reading = std::async([&]() -> Result<table::Table> {
    if (options.rows.empty()) return table::Table{};
    return table::read_table(options.rows, {.keeps_unread = options.devices.empty()});
  });
  NEPH_TRY(const auto model, model_of(options, threads));
  NEPH_TRY(auto rows, reading.get());
  if (options.rows.empty()) rows = model.measured().features;
  std::vector<predict::AskedDevice> devices;
  const auto configurations = options.devices.empty() ? table::Table{} : rows;
  if (!options.devices.empty()) {
    NEPH_TRY(devices, predict::asked_devices(model, predict::names_in(options.devices)));
    NEPH_TRY(rows, predict::on_devices(model, configurations, devices));
  }
  const auto added = model.add_constants(rows);
  NEPH_TRY(const auto predictions, model.predict(rows, threads));
  if (options.json) {
    NEPH_TRY(const auto neighbours, predict::Neighbours::of(model, rows, nearest_in_json, threads));
    predict::write_json(
        model.origin().target, predictions, neighbours,
        [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }, threads,
        devices.empty() ? nullptr : &rows);
    return {};
  }
  std::vector<std::size_t> shown(std::min(rows.rows, most_shown));
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  const auto first = rows_of(rows, shown);
  NEPH_TRY(const auto neighbours, predict::Neighbours::of(model, first, 1, threads));
  print_predictions(model, rows, predictions, neighbours, !devices.empty());
  if (!devices.empty()) {
    NEPH_TRY(const auto lines,
             predict::devices_in_words(model, configurations, devices, predictions, threads));
    for (const auto& line : lines) fmt::print("{}\n", printable(line));
  }
  if (!added.empty())
    fmt::print("{} lacks what was the same in all measured rows: {}\n", printable(rows.source),
               printable(fmt::format("{}", fmt::join(added, ", "))));
  return {};
}

}  // namespace

void declare_predict(Command& command) {
  auto options = std::make_shared<PredictCommand>();
  command.positional("model", options->model, "file that 'neph fit' wrote", true);
  command.positional(
      "rows", options->rows,
      "table with the columns that the model was fitted to; those that never differed may be missing; "
      "with --devices: by default the measured configurations",
      false);
  command.flag("json", options->json,
               "as JSON on stdout, with the three nearest measured points of each row");
  command.option("devices", options->devices,
                 "the rows on these devices or instance types, with commas between, measured or not: 'neph "
                 "host --devices' lists those that are known");
  command.option(
      "calibrate", options->calibrate,
      "table of a few measured rows, with the target: of a new machine, say; the model is fitted anew "
      "with them");
  command.flag("force", options->force, "write over the file of --out where there is one");
  command.option("out", options->out, "file for the model that --calibrate makes, to ask again");
  command.footer(
      "Examples:\n"
      "  neph predict model.json candidates.csv\n"
      "  neph predict model.json --devices h100,l40s,g6.xlarge\n"
      "  neph predict model.json --calibrate five-rows.csv candidates.csv --out calibrated.json");
  command.action([options] { return predict_rows(*options); });
}

}  // namespace neph::cli
