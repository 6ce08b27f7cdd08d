#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "host/host.hpp"
#include "predict/predict.hpp"

namespace neph::cli {
namespace {

struct FitCommand {
  std::string table;
  std::string target;
  std::string out = "model.json";
  std::string network;
  std::string variants;
  std::string side;
  std::string batch;
  std::string machine;
  std::string ignore;
  std::string use;
};

template <class Visit, Describes<FitCommand> Self>
void describe(Visit&& v, Self& s) {
  v("table", s.table, "CSV or JSON lines with a heading; one row is one measurement");
  v("target", s.target, "the column to predict, with or without the unit in its heading");
  v("out", s.out, "file for the model");
  v("network", s.network,
    "column with networks' names, or their ONNX files: their layers tell what they ask for");
  v("variants", s.variants,
    "family of networks that goes first: 'profet' takes ResNet50 for profet-resnet50");
  v("side", s.side, "column with the side of the pictures in pixels");
  v("batch", s.batch, "column with the pictures of a batch; with --network the one called so");
  v("machine", s.machine,
    "column with machines: each has rates of its own; of a new one a row must be in the table");
  v("ignore", s.ignore, "columns that are not looked at, with commas between");
  v("use", s.use, "columns that are features though they do not look so, with commas between");
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const auto end = std::min(list.find(',', begin), list.size());
    if (const auto name = trimmed(std::string_view(list).substr(begin, end - begin)); !name.empty())
      names.emplace_back(name);
    begin = end + 1;
  }
  return names;
}

/// The only column of numbers whose name speaks of a batch; empty: none, or several.
std::string column_called_batch(const predict::Survey& survey) {
  std::string found;
  for (const auto& column : survey.columns) {
    std::string name = column.name;
    for (auto& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (column.kind != predict::ColumnKind::number || name.find("batch") == std::string::npos) continue;
    if (!found.empty()) return {};
    found = column.name;
  }
  return found;
}

void print_survey(const predict::Survey& survey, const std::string& source) {
  Table table({"column", "taken for", "values", "from", "to", "empty"});
  for (const auto& column : survey.columns) {
    const bool has_range = std::isfinite(column.low);
    table.add({printable(column.name), std::string(enum_name(column.kind)), std::to_string(column.levels),
               has_range ? format_number(column.low) : "", has_range ? format_number(column.high) : "",
               std::to_string(column.empty)});
  }
  fmt::print("{}: {}, {}\n{}", printable(source), counted(survey.rows, "row"),
             counted(std::ssize(survey.points.target), "different point"), table.text());
  if (survey.points.noise > 0)
    fmt::print("repeats of one point differ by {:.1f} % (deviation)\n", 100 * survey.points.noise);
  for (const auto& finding : survey.findings) fmt::print("{}\n", printable(finding.message));
}

/// In which condition which way is believed, and what error to expect there.
void print_standings(const predict::Model& model) {
  Table table({"where", "tries", "median error", "9 of 10 within", "believed most"});
  for (const auto& standing : model.blend().standings()) {
    const auto weights = model.blend().weights({{standing.condition}, {standing.distance}});
    Eigen::Index best = 0;
    weights.maxCoeff(&best);
    const auto way = model.way(static_cast<std::size_t>(best));
    table.add({model.words(standing.condition), std::to_string(standing.trials),
               fmt::format("{:.1f} %", 100 * std::expm1(standing.median)),
               fmt::format("{:.1f} %", 100 * std::expm1(standing.median * standing.reach)),
               fmt::format("{} ({:.0f} %)", way, 100 * weights[best])});
  }
  fmt::print("\nTried on parts of the table that were left out:\n{}", table.text());
}

Status fit_table(const FitCommand& options) {
  if (options.target.empty())
    return fail(ErrorCode::invalid_argument, "--target is missing: the column to predict");
  NEPH_TRY(const auto table, predict::read_table(options.table));
  NEPH_TRY(const auto survey,
           predict::survey(table, options.target,
                           {.ignored = names_in(options.ignore), .used = names_in(options.use)}));
  print_survey(survey, table.source);

  predict::FitOptions fit{.roles = {.network = options.network,
                                    .variants = options.variants,
                                    .side = options.side,
                                    .batch = options.batch,
                                    .machine = options.machine},
                          .threads = static_cast<std::size_t>(host::usable_cores())};
  if (!options.network.empty() && options.batch.empty()) {
    fit.roles.batch = column_called_batch(survey);
    if (!fit.roles.batch.empty())
      fmt::print("taken for the batch: '{}' (--batch)\n", printable(fit.roles.batch));
  }
  ProgressLine line;
  fit.progress = progress_on(line, "trying");
  NEPH_TRY(const auto model, predict::Model::fit(survey, fit));
  line.clear();
  print_standings(model);
  NEPH_CHECK(predict::save_model(model, options.out));
  fmt::print("\n{}; next: neph predict {} ROWS.csv\n", options.out, options.out);
  return {};
}

}  // namespace

void declare_fit(Command& command) {
  auto options = std::make_shared<FitCommand>();
  command.fields(*options, "table");
  command.footer(
      "Examples:\n"
      "  neph fit runs.csv --target 'step time'\n"
      "  neph fit runs.csv --target batch_latency --network model --side dataset --machine instance_name\n"
      "What it finds out by itself: repeats of one point, which columns are features, what a time is made "
      "of, and how far "
      "to believe that where nothing was measured.");
  command.action([options] { return fit_table(*options); });
}

}  // namespace neph::cli
