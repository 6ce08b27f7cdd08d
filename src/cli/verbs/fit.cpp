#include <cmath>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "host/host.hpp"
#include "predict/predict.hpp"

namespace neph::cli {
namespace {

constexpr std::size_t most_outcomes_shown = 6;  ///< columns that are no features, of a wide table

struct FitCommand {
  predict::TableOptions table;
  std::string out = "model.json";
  bool force = false;
  predict::Method method = predict::Method::automatic;
};

template <class Visit, Describes<FitCommand> Self>
void describe(Visit&& v, Self& s) {
  v("out", s.out, "file for the model");
  v("method", s.method,
    "auto blends what hold-outs say suits the table; or a part of that alone: terms (sums of work), process "
    "(Gaussian, behind powers), trees (boosted, behind powers); lattuada, nnls, stepwise and ernest are the "
    "literature's, to compare with");
}

void print_survey(const predict::Survey& survey) {
  TextTable table({"column", "taken for", "values", "from", "to", "empty"});
  std::size_t outcomes = 0;
  for (const auto& column : survey.columns) {
    if (column.kind == predict::ColumnKind::outcome && ++outcomes > most_outcomes_shown) continue;
    const bool has_range = std::isfinite(column.low);
    table.add({printable(column.name), std::string(enum_name(column.kind)), std::to_string(column.levels),
               has_range ? format_number(column.low) : "", has_range ? format_number(column.high) : "",
               std::to_string(column.empty)});
  }
  fmt::print("{}: {}, {}\n{}", printable(survey.points.features.source), counted(survey.rows, "row"),
             counted(std::ssize(survey.points.target), "different point"), table.text());
  if (outcomes > most_outcomes_shown)
    fmt::print("and {} that were measured as the target was\n",
               counted(static_cast<std::int64_t>(outcomes - most_outcomes_shown), "more column"));
  if (survey.points.noise > 0)
    fmt::print("repeats of one point differ by {} (deviation)\n", format_percent(survey.points.noise, 2));
  for (const auto& finding : survey.findings) fmt::print("{}\n", printable(finding.message));
}

/// In which condition which way is believed, and what error to expect there.
void print_standings(const predict::Model& model) {
  TextTable table({"where", "tries", "median error", "9 of 10 within", "believed most"});
  for (const auto& each : predict::standings_in_words(model))
    table.add({printable(each.where), std::to_string(each.trials), format_percent(each.median, 2),
               format_percent(each.p90, 2), fmt::format("{} ({:.0f} %)", each.best, 100 * each.weight)});
  fmt::print("\nTried on parts of the table that were left out:\n{}", table.text_within(terminal_width()));
}

/// What a time is made of, by the terms that were given.
void print_given(const predict::Model& model) {
  if (model.design().given().empty()) return;
  const auto fitted = predict::fitted_terms(model);
  if (!fitted) {
    fmt::print(
        "\nThe terms that were given predict worse than what was found without them, and are not used.\n");
    return;
  }
  fmt::print(
      "\nThe terms that were given, fitted to all points{}{}:\n",
      fitted->scale.empty() ? "" : fmt::format("; all times {}", printable(fitted->scale)),
      fitted->power == 1 ? "" : fmt::format("; the largest work rules (smooth maximum {})", fitted->power));
  TextTable table({"coefficient", "", "term", "kind", "share of the time"});
  for (const auto& term : fitted->terms)
    table.add({fmt::format("{:.4g}", term.coefficient), "x", printable(term.text),
               term.is_latency ? "latency" : "work", format_percent(term.share, 2)});
  fmt::print("{}", table.text_within(terminal_width()));
}

/// What the literature's ways chose.
void print_features(const predict::Model& model) {
  for (const auto& chosen : predict::chosen_features(model)) {
    TextTable table({"coefficient", "", "feature"});
    for (const auto& [coefficient, text] : chosen.features)
      table.add({fmt::format("{:.4g}", coefficient), "x", printable(text)});
    fmt::print("\nFeatures that {} chose, with their coefficients:\n{}", chosen.method,
               table.text_within(terminal_width()));
  }
}

Status fit_table(const FitCommand& options) {
  NEPH_CHECK(check_output_file("--out", options.out, {options.table.table}));
  if (!options.force) NEPH_CHECK(check_nothing_is_lost("--out", options.out));
  NEPH_TRY(const auto survey, predict::survey_of(options.table));
  print_survey(survey);
  NEPH_TRY(const auto roles, predict::roles_in(options.table, survey));
  predict::FitOptions fit{
      .roles = roles, .method = options.method, .threads = static_cast<std::size_t>(host::usable_cores())};
  if (fit.roles.batch != options.table.batch)
    fmt::print("taken for the batch: '{}' (--batch)\n", printable(fit.roles.batch));
  ProgressLine line;
  fit.progress = progress_on(line, "trying");
  NEPH_TRY(const auto model, predict::Model::fit(survey, fit));
  line.clear();
  print_given(model);
  print_features(model);
  print_standings(model);
  NEPH_CHECK(predict::save_model(model, options.out));
  fmt::print("\n{}; next: neph predict {} ROWS.csv\n", options.out, options.out);
  return {};
}

}  // namespace

void declare_fit(Command& command) {
  auto options = std::make_shared<FitCommand>();
  command.fields(options->table, "table");
  command.fields(*options);
  command.flag("force", options->force, "write over the file of --out where there is one");
  command.footer(
      "Examples:\n"
      "  neph fit runs.csv --target 'step time'\n"
      "  neph fit runs.csv --target batch_latency --network model --side dataset --machine instance_name\n"
      "  neph fit runs.csv --target t --term 'batch*side^2, batch*layers' --latency-term 1 --latency-term "
      "layers\n"
      "  neph fit runs.csv --target t --term '\"global batch\"*h*(12*h+s)/[# GPUs]' --scale '(1+(p-1)/m)'\n"
      "  neph fit neph.db --experiment 3 --target images_per_s\n"
      "A term has columns (in quotes or [ ] where the name has spaces), numbers, + - * / ^ ( ), and min, "
      "max, log2, "
      "sqrt, ceil, floor.\n"
      "What it finds out by itself: repeats of one point, which columns are features, what a time is made "
      "of, and how far "
      "to believe that where nothing was measured.");
  command.action([options] { return fit_table(*options); });
}

}  // namespace neph::cli
