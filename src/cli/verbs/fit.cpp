#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "os/cores.hpp"
#include "predict/predict.hpp"

namespace neph::cli {
namespace {

constexpr std::size_t most_excluded_shown = 6;  ///< columns known only after the run, of a wide table

struct FitCommand {
  predict::TableOptions table;
  std::string out = "model.json";
  bool force = false;
  bool explain = false;
  predict::Method method = predict::Method::automatic;
};

template <class Visit, Describes<FitCommand> Self>
void describe(Visit&& v, Self& s) {
  v("out", s.out, "file for the model");
  v("method", s.method,
    "members of the ensemble: auto has all that suit the table; or one of them: terms (sums of work), "
    "process "
    "(log-linear and a Gaussian process), trees (log-linear and boosted trees), log-linear");
}

std::string role_of(const predict::ProfiledColumn& column) {
  using predict::ColumnKind;
  switch (column.kind) {
    case ColumnKind::number:
    case ColumnKind::category:
      return fmt::format("feature, {}", enum_name(column.kind));
    case ColumnKind::constant:
      return "constant";
    case ColumnKind::identifier:
      return "excluded (tells runs apart)";
    case ColumnKind::repeat:
      return "replicate id";
    case ColumnKind::outcome:
      return "excluded (known only after the run)";
    case ColumnKind::target:
      return "target";
  }
  return {};
}

void print_columns(const predict::Profile& profile, const predict::MachineColumns& machines) {
  TextTable table({"column", "role", "values", "from", "to", "empty"});
  std::size_t excluded = 0;
  for (const auto& column : profile.columns) {
    if (column.kind == predict::ColumnKind::outcome && ++excluded > most_excluded_shown) continue;
    const bool has_range = std::isfinite(column.low);
    const bool is_of_machine = std::ranges::find(machines.figures, column.name) != machines.figures.end();
    table.add({printable(column.name), is_of_machine ? "data sheet of the machine" : role_of(column),
               std::to_string(column.levels), has_range ? format_number(column.low) : "",
               has_range ? format_number(column.high) : "", std::to_string(column.empty)});
  }
  fmt::print("{}", table.text());
  if (excluded > most_excluded_shown)
    print_lines("and {} that are known only after the run\n",
                counted(static_cast<std::int64_t>(excluded - most_excluded_shown), "more column"));
  if (profile.points.noise > 0)
    fmt::print("repeats of one point differ by {} (deviation)\n", format_percent(profile.points.noise, 2));
}

/// What to expect of a prediction, in three lines.
void print_expected(const predict::Model& model) {
  TextTable table({"", "p50 error", "p90 error", "rests on"});
  for (const auto& each : predict::expected_errors(model)) {
    const bool is_known = std::isfinite(each.p50);
    table.add({each.where, is_known ? format_percent(each.p50, 2) : "unknown",
               is_known ? format_percent(each.p90, 2) : "unknown", printable(each.rests_on)});
  }
  fmt::print("{}", table.text_within(terminal_width()));
}

/// Of each shift that was tried.
void print_scores(const predict::Model& model) {
  TextTable table({"where", "hold-outs", "p50 error", "p90 error", "highest weight"});
  for (const auto& each : predict::scores_in_words(model))
    table.add({printable(each.where), std::to_string(each.trials), format_percent(each.p50, 2),
               format_percent(each.p90, 2), fmt::format("{} ({:.0f} %)", each.best, 100 * each.weight)});
  fmt::print("\nParts of the table that were left out:\n{}", table.text_within(terminal_width()));
}

/// What a time is made of, by the user's terms.
void print_terms(const predict::Model& model) {
  const auto fitted = predict::fitted_terms(model);
  if (!fitted) return;
  fmt::print(
      "\nYour terms, fitted to all points{}{}; members with them have {:.0f} % of the weight:\n",
      fitted->scale.empty() ? "" : fmt::format("; all times {}", printable(fitted->scale)),
      fitted->power == 1 ? "" : fmt::format("; the largest work rules (smooth maximum {})", fitted->power),
      100 * fitted->weight);
  TextTable table({"coefficient", "", "term", "kind", "share of the time"});
  for (const auto& term : fitted->terms)
    table.add({fmt::format("{:.4g}", term.coefficient), "x", printable(term.text),
               term.is_latency ? "latency" : "work", format_percent(term.share, 2)});
  fmt::print("{}", table.text_within(terminal_width()));
}

Status fit_table(const FitCommand& options) {
  NEPH_CHECK(check_output_file("--out", options.out, {options.table.table}));
  NEPH_TRY(const auto profile, predict::profile_of(options.table));
  NEPH_TRY(const auto roles, predict::roles_in(options.table, profile));
  if (!options.force) NEPH_CHECK(check_nothing_is_lost("--out", options.out));
  fmt::print("{}: {}, {}\n", printable(profile.points.features.source), counted(profile.rows, "row"),
             counted(std::ssize(profile.points.target), "different point"));
  if (options.explain) print_columns(profile, roles.hardware);
  for (const auto& finding : profile.findings) fmt::print("{}\n", printable(finding.message));
  predict::FitOptions fit{
      .roles = roles, .method = options.method, .threads = static_cast<std::size_t>(usable_cores())};
  if (fit.roles.batch != options.table.batch)
    fmt::print("taken for the batch: '{}' (--batch)\n", printable(fit.roles.batch));
  const auto& hardware = roles.hardware;
  if (options.table.machine.empty() && !hardware.machine.empty())
    fmt::print("taken for the machine: '{}' (--machine)\n", printable(hardware.machine));
  for (const auto& sentence :
       predict::contradictions_in(profile.points.features, hardware, device::built_in_and(roles.sheets)))
    fmt::print("{}\n", printable(sentence));
  if (!hardware.figures.empty())
    print_lines("data sheet of the machine, not features of their own: {}\n",
                printable(fmt::format("{}", fmt::join(hardware.figures, ", "))));
  ProgressLine line;
  fit.progress = progress_on(line, "trying");
  NEPH_TRY(const auto model, predict::Model::fit(profile, fit));
  line.clear();
  print_expected(model);
  for (const auto& warning : predict::warnings_of(model.ensemble())) print_lines("warning: {}\n", warning);
  if (options.explain) print_scores(model);
  if (options.explain) print_terms(model);
  NEPH_CHECK(predict::save_model(model, options.out));
  print_lines("{}; next: neph predict {} ROWS.csv\n", options.out, options.out);
  return {};
}

}  // namespace

void declare_fit(Command& command) {
  auto options = std::make_shared<FitCommand>();
  command.fields(options->table, "table");
  command.fields(*options);
  command.flag("explain", options->explain,
               "also the role of each column, what each hold-out said, and what a user's terms came to");
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
      "Found by itself: repeats of one point, which columns are features, and the errors to expect inside of "
      "what was measured, beyond it, and of unseen categories.");
  command.action([options] { return fit_table(*options); });
}

}  // namespace neph::cli
