#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/table_options.hpp"
#include "cli/verbs.hpp"
#include "core/text_table.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "host/host.hpp"
#include "os/file.hpp"
#include "report/report.hpp"

namespace neph::cli {
namespace {

constexpr std::size_t most_shown = 12;  ///< columns of a table for people
constexpr double most_draws = 1000;

struct ValidateCommand {
  TableOptions table;
  std::string split;
  std::string leave_out;
  std::int64_t keep = 0;
  std::int64_t folds = 0;
  std::int64_t sample = 0;
  std::int64_t draws = 1;
  std::int64_t seed = 1;
  std::string method = "auto";
  std::string html;
  bool explain = false;
  bool json = false;
};

template <class Visit, Describes<ValidateCommand> Self>
void describe(Visit&& v, Self& s) {
  v("split", s.split, "'gpus<=4 -> gpus>4': rows to fit on and rows to predict; several with ';' between");
  v("leave_out", s.leave_out, "column of which each value is predicted from the others");
  v("keep", s.keep, "so many rows of each value stay with --leave-out, drawn at random", at_least(0));
  v("folds", s.folds, "each row is predicted from all but its fold; without another way to part the rows, 5",
    at_least(2));
  v("sample", s.sample, "so many random rows predict all others", at_least(5));
  v("draws", s.draws, "how often --keep and --sample draw", between(1, most_draws));
  v("seed", s.seed, "of what is random", at_least(0));
  v("method", s.method, "methods of neph fit with commas between, or all");
  v("html", s.html, "file to write a page with charts to, which loads nothing from anywhere");
}

Result<std::vector<predict::Method>> methods_in(const std::string& text) {
  std::vector<predict::Method> methods;
  for (const auto& each : enum_names(predict::Method{}))
    if (text == "all") methods.push_back(each.value);
  if (text == "all") return methods;
  for (const auto& name : names_in(text)) {
    const auto method = enum_value<predict::Method>(name);
    if (!method)
      return fail(ErrorCode::invalid_argument, "--method: '{}' is none of {}, all", name,
                  fmt::join(enum_choices<predict::Method>(), ", "));
    methods.push_back(*method);
  }
  if (methods.empty())
    return fail(ErrorCode::invalid_argument, "--method names none of {}, all",
                fmt::join(enum_choices<predict::Method>(), ", "));
  return methods;
}

/// A column that is not found may be one of the table that is no feature.
Error with_reason(Error error, const predict::Survey& survey, const std::string& ignored) {
  if (error.code != ErrorCode::not_found) return error;
  const auto is_asked = [said = error.message](std::string_view name) {
    return said.find(fmt::format("'{}'", name)) < said.find("known:");
  };
  for (const auto& column : survey.columns) {
    if (survey.points.features.find(column.name) || !is_asked(column.name)) continue;
    error.message += column.kind == predict::ColumnKind::target
                         ? fmt::format("; '{}' is the target", column.name)
                         : fmt::format("; '{}' is no feature ({}), --use makes it one", column.name,
                                       enum_name(column.kind));
  }
  for (const auto& name : names_in(ignored))
    if (is_asked(name)) error.message += fmt::format("; '{}' is not looked at (--ignore)", name);
  return error;
}

Status check_counts(const ValidateCommand& options, std::int64_t points) {
  if (options.keep > 0 && options.leave_out.empty())
    return fail(ErrorCode::invalid_argument, "--keep is of the values of --leave-out, which is missing");
  if (options.draws > 1 && options.keep == 0 && options.sample == 0)
    return fail(ErrorCode::invalid_argument, "--draws is of --keep or --sample, and neither is given");
  if (options.folds > points)
    return fail(ErrorCode::invalid_argument, "--folds {}: there are {}", options.folds,
                counted(points, "different row"));
  if (options.sample >= points)
    return fail(ErrorCode::invalid_argument, "--sample {}: there are {}, and none would be left to predict",
                options.sample, counted(points, "different row"));
  return {};
}

Result<std::vector<predict::Split>> splits_in(const ValidateCommand& options, const table::Table& points) {
  const int ways =
      !options.split.empty() + !options.leave_out.empty() + (options.folds > 0) + (options.sample > 0);
  if (ways > 1)
    return fail(ErrorCode::invalid_argument,
                "--split, --leave-out, --folds and --sample each say what is left out: give one of them");
  NEPH_CHECK(check_counts(options, static_cast<std::int64_t>(points.rows)));
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const auto draws = static_cast<std::size_t>(options.draws);
  if (!options.leave_out.empty())
    return predict::leave_out(points, options.leave_out, static_cast<std::size_t>(options.keep), draws, seed);
  if (options.sample > 0)
    return predict::samples(points.rows, static_cast<std::size_t>(options.sample), draws, seed);
  std::vector<predict::Split> splits;
  for (std::size_t begin = 0; begin < options.split.size();) {
    const auto end = std::min(options.split.find(';', begin), options.split.size());
    NEPH_TRY(auto split, predict::parse_split(options.split.substr(begin, end - begin), points));
    splits.push_back(std::move(split));
    begin = end + 1;
  }
  if (splits.empty())
    return predict::folds(points.rows, options.folds > 0 ? static_cast<std::size_t>(options.folds) : 5, seed);
  return splits;
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

void add_row(TextTable& table, const std::string& what, predict::Method method, const Score& score) {
  const auto answered = score.rows - score.refused;
  std::vector<std::string> cells{printable(what), std::string(enum_name(method)), std::to_string(answered)};
  for (const double share : {score.mean, score.median, score.p90, score.worst, score.coverage})
    cells.push_back(answered > 0 ? percent(share) : "");
  cells.push_back(answered > 0 ? fmt::format("x {:.3g}", score.half_width) : "");
  cells.push_back(percent(score.flagged));
  table.add(std::move(cells));
}

void print_scores(const std::vector<predict::Split>& splits, const std::vector<predict::MethodJudged>& all) {
  TextTable table({"left out", "method", "rows", "mean error", "median", "9 of 10 below", "worst",
               "in 90 % interval", "half width", "flagged"});
  for (std::size_t split = 0; split < splits.size(); ++split)
    for (const auto& judged : all)
      if (const auto own = predict::of_split(judged, split); !own.empty())
        add_row(table, splits[split].name, judged.method, predict::score_of(own));
  if (splits.size() > 1)
    for (const auto& judged : all) add_row(table, "all", judged.method, predict::score_of(judged.judgements));
  fmt::print("{}", table.text());
  for (const auto& judged : all)
    for (const auto& failure : judged.failures)
      fmt::print("{} could not be fitted: {}\n", enum_name(judged.method), printable(failure));
}

void print_learning_curve(const Validation& validation) {
  TextTable table({"points fitted on", "mean error", "best draw", "worst draw"});
  for (const auto& point : validation.learning_curve)
    table.add({std::to_string(point.points), percent(point.mean), percent(point.least), percent(point.most)});
  fmt::print("\nWith more points, {}:\n{}", validation.explained, table.text());
}

template <class Columns>
std::size_t shown_of(const Columns& columns) {
  return std::min(columns.size(), most_shown);
}

template <class Columns>
void print_how_many_more(const Columns& columns) {
  if (columns.size() > most_shown)
    fmt::print("and {}: --json has all\n",
               counted(std::ssize(columns) - static_cast<std::int64_t>(most_shown), "more column"));
}

void print_contributions(const Validation& validation) {
  TextTable table({"column", "further off without it", "least draw", "most"});
  const auto factor = [](double value) {
    return std::isfinite(value) ? fmt::format("x {:.3g}", value) : std::string();
  };
  for (const auto& each : std::span(validation.contributions).first(shown_of(validation.contributions)))
    table.add({printable(each.column),
               std::isfinite(each.factor) ? factor(each.factor) : printable(each.unavailable),
               factor(each.least), factor(each.most)});
  fmt::print("\nWhat each column contributes:\n{}", table.text());
  print_how_many_more(validation.contributions);
}

/// Places of the features that contribute most, in the order of the features.
std::vector<std::size_t> shown_features(const Validation& validation) {
  std::set<std::string> names;
  for (const auto& each : std::span(validation.contributions).first(shown_of(validation.contributions)))
    names.insert(each.column);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < validation.features.size(); ++i)
    if (validation.features.size() <= most_shown || names.contains(validation.features[i].name))
      places.push_back(i);
  return places;
}

void print_proposals(const Validation& validation) {
  const auto places = shown_features(validation);
  std::vector<std::string> headings;
  for (const auto place : places) headings.push_back(printable(validation.features[place].name));
  headings.insert(headings.end(), {"predicted", "takes away"});
  TextTable table(headings);
  for (const auto& each : validation.proposals) {
    std::vector<std::string> row;
    for (const auto place : places) {
      const auto& cell = each.cells[place];
      row.push_back(cell.is_number() ? fmt::format("{}", cell.get<double>())
                                     : printable(cell.is_string() ? cell.get<std::string>() : ""));
    }
    row.insert(row.end(), {format_number(each.value), percent(each.gain)});
    table.add(row);
  }
  fmt::print("\nWhat to measure next:\n{}", table.text());
  if (places.size() < validation.features.size()) print_how_many_more(validation.features);
}

void print_explanation(const Validation& validation) {
  if (!validation.learning_curve.empty()) print_learning_curve(validation);
  if (!validation.contributions.empty()) print_contributions(validation);
  if (!validation.proposals.empty()) print_proposals(validation);
  for (const auto& note : validation.notes) fmt::print("{}\n", printable(note));
}

PredictedPoint point_of(const predict::Judgement& judged) {
  return {.split = static_cast<std::int64_t>(judged.split),
          .point = static_cast<std::int64_t>(judged.point),
          .measured = judged.measured,
          .value = judged.predicted.value,
          .low = judged.predicted.low,
          .high = judged.predicted.high,
          .extrapolates = !judged.predicted.extrapolates.empty(),
          .refused = judged.predicted.refused};
}

ValidatedMethod method_of(const predict::Survey& survey, const std::vector<predict::Split>& splits,
                          const predict::MethodJudged& judged) {
  ValidatedMethod method{.method = std::string(enum_name(judged.method)),
                         .score = predict::score_of(judged.judgements),
                         .splits = {},
                         .slices = predict::slices_of(survey, judged.judgements),
                         .rows = {},
                         .failures = judged.failures};
  for (std::size_t split = 0; split < splits.size(); ++split)
    if (const auto own = predict::of_split(judged, split); !own.empty())
      method.splits.push_back({splits[split].name, predict::score_of(own)});
  for (const auto& each : judged.judgements) method.rows.push_back(point_of(each));
  return method;
}

Validation validation_of(const predict::Survey& survey, const std::vector<predict::Split>& splits,
                         const std::vector<predict::MethodJudged>& all) {
  Validation validation{.table = survey.points.features.source, .target = survey.target};
  for (const auto& split : splits) validation.splits.push_back(split.name);
  for (const auto& column : survey.points.features.columns)
    validation.features.push_back({column.name, table::cells_of(column)});
  for (const auto& judged : all) validation.methods.push_back(method_of(survey, splits, judged));
  for (const auto& finding : survey.findings)
    if (finding.code == predict::measured_with_target) validation.notes.push_back(finding.message);
  return validation;
}

/// What comes of `found` goes into `out`; why nothing does, into a note.
template <class T>
void take(Result<std::vector<T>> found, std::vector<T>& out, std::string_view what, Validation& validation) {
  if (found) {
    out = *std::move(found);
  } else {
    validation.notes.push_back(fmt::format("{}: {}", what, found.error().message));
  }
}

/// What the first method makes of the table beyond the splits.
void explain(const predict::Survey& survey, predict::FitOptions fit, std::uint64_t seed,
             Validation& validation) {
  ProgressLine line;
  validation.explained = std::string(enum_name(fit.method));
  fit.progress = progress_on(line, "learning curve");
  take(predict::learning_curve(survey, fit, seed), validation.learning_curve, "no learning curve",
       validation);
  fit.progress = progress_on(line, "contributions");
  take(predict::contributions(survey, fit, seed), validation.contributions, "no contributions", validation);
  fit.progress = progress_on(line, "what to measure next");
  take(predict::proposals(survey, fit, {.seed = seed}), validation.proposals, "no measurements to propose",
       validation);
  line.clear();
}

Status validate_table(const ValidateCommand& options) {
  if (!options.html.empty()) NEPH_CHECK(check_output_file("--html", options.html, {options.table.table}));
  NEPH_TRY(const auto survey, survey_of(options.table));
  NEPH_TRY(const auto splits, splits_in(options, survey.points.features).map_error([&](const Error& error) {
    return with_reason(error, survey, options.table.ignore);
  }));
  NEPH_TRY(const auto roles, roles_in(options.table, survey));
  predict::ValidationSettings settings{
      .fit = {.roles = roles, .threads = static_cast<std::size_t>(host::usable_cores())}};
  NEPH_TRY(settings.methods, methods_in(options.method));
  ProgressLine line;
  settings.progress = progress_on(line, "fitting");
  NEPH_TRY(const auto judged, predict::validate(survey, splits, settings));
  line.clear();
  auto validation = validation_of(survey, splits, judged);
  if (options.explain || !options.html.empty()) {
    settings.fit.method = settings.methods.front();
    explain(survey, settings.fit, static_cast<std::uint64_t>(options.seed), validation);
  }
  if (options.json) {
    fmt::print("{}\n", dump_json(to_json(validation), true));
  } else {
    print_scores(splits, judged);
    print_explanation(validation);
  }
  if (!options.html.empty()) NEPH_CHECK(write_file(options.html, report::html(validation)));
  return {};
}

}  // namespace

void declare_validate(Command& command) {
  auto options = std::make_shared<ValidateCommand>();
  command.fields(options->table, "table");
  command.fields(*options);
  command.flag("explain", options->explain,
               "also of the first method: a learning curve, what each feature contributes, and five "
               "measurements that would help; takes as long as a few dozen fits; --html has it anyway");
  command.flag("json", options->json, "as JSON on stdout, with slices and every predicted row");
  command.footer(
      "Examples:\n"
      "  neph validate runs.csv --target t --split 'gpus<=4 -> gpus>4' --method all\n"
      "  neph validate runs.csv --target t --leave-out model\n"
      "  neph validate runs.csv --target t --leave-out machine --keep 5 --draws 4\n"
      "  neph validate runs.csv --target t --method auto,terms --html validation.html\n"
      "  neph validate runs.csv --target t --split 'model!=A|B & batch<=64 -> model=A|B; -> side>128'\n"
      "A side of --split has conditions that all hold: a column, one of <= >= != < > =, and a value, or\n"
      "several with | between. An empty side has all rows that the other has not.\n"
      "'128px' counts as 128 too.\n"
      "Without any of --split, --leave-out, --folds and --sample: five random folds, which say nothing of "
      "what lies beyond the table's ranges.");
  command.action([options] { return validate_table(*options); });
}

}  // namespace neph::cli
