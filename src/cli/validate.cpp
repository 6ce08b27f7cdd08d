#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/table_options.hpp"
#include "cli/verbs.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "host/host.hpp"

namespace neph::cli {
namespace {

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
  bool json = false;
};

template <class Visit, Describes<ValidateCommand> Self>
void describe(Visit&& v, Self& s) {
  v("split", s.split, "'gpus<=4 -> gpus>4': rows to fit on and rows to predict; several with ';' between");
  v("leave_out", s.leave_out, "column of which each value is predicted from the others");
  v("keep", s.keep, "so many rows of each value stay with --leave-out, drawn at random", at_least(0));
  v("folds", s.folds, "each row is predicted from all but its fold", at_least(2));
  v("sample", s.sample, "so many random rows predict all others", at_least(5));
  v("draws", s.draws, "how often --keep and --sample draw", at_least(1));
  v("seed", s.seed, "of what is random", at_least(0));
  v("method", s.method, "methods with commas between, or all");
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
  return methods;
}

Result<std::vector<predict::Split>> splits_in(const ValidateCommand& options, const predict::Table& points) {
  const int ways =
      !options.split.empty() + !options.leave_out.empty() + (options.folds > 0) + (options.sample > 0);
  if (ways > 1)
    return fail(ErrorCode::invalid_argument,
                "--split, --leave-out, --folds and --sample each say what is left out: give one of them");
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

void add_row(Table& table, const std::string& what, predict::Method method, const predict::Score& score) {
  table.add({printable(what), std::string(enum_name(method)), std::to_string(score.rows - score.refused),
             percent(score.mean), percent(score.median), percent(score.p90), percent(score.worst),
             percent(score.coverage), fmt::format("x {:.3g}", score.half_width), percent(score.flagged)});
}

void print_scores(const std::vector<predict::Split>& splits, const std::vector<predict::MethodJudged>& all) {
  Table table({"left out", "method", "rows", "mean error", "median", "9 of 10 below", "worst",
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

Json as_json(const predict::Survey& survey, const std::vector<predict::Split>& splits,
             const std::vector<predict::MethodJudged>& all) {
  Json methods = Json::array();
  for (const auto& judged : all) {
    Json by_split = Json::array(), slices = Json::array(), rows = Json::array();
    for (std::size_t split = 0; split < splits.size(); ++split)
      if (const auto own = predict::of_split(judged, split); !own.empty())
        by_split.push_back({{"left_out", splits[split].name}, {"score", to_json(predict::score_of(own))}});
    for (const auto& slice : predict::slices_of(survey, judged.judgements))
      slices.push_back({{"column", slice.column}, {"value", slice.value}, {"score", to_json(slice.score)}});
    for (const auto& each : judged.judgements)
      rows.push_back({{"split", each.split},
                      {"point", each.point},
                      {"measured", to_json(each.measured)},
                      {"value", to_json(each.predicted.value)},
                      {"low", to_json(each.predicted.low)},
                      {"high", to_json(each.predicted.high)},
                      {"extrapolates", !each.predicted.extrapolates.empty()},
                      {"refused", each.predicted.refused}});
    methods.push_back({{"method", enum_name(judged.method)},
                       {"score", to_json(predict::score_of(judged.judgements))},
                       {"splits", by_split},
                       {"slices", slices},
                       {"rows", rows},
                       {"failures", judged.failures}});
  }
  return {{"table", survey.points.features.source}, {"target", survey.target}, {"methods", methods}};
}

Status validate_table(const ValidateCommand& options) {
  NEPH_TRY(const auto survey, survey_of(options.table));
  NEPH_TRY(const auto splits, splits_in(options, survey.points.features));
  NEPH_TRY(const auto roles, roles_in(options.table, survey));
  predict::ValidationSettings settings{
      .fit = {.roles = roles, .threads = static_cast<std::size_t>(host::usable_cores())}};
  NEPH_TRY(settings.methods, methods_in(options.method));
  ProgressLine line;
  settings.progress = progress_on(line, "fitting");
  NEPH_TRY(const auto judged, predict::validate(survey, splits, settings));
  line.clear();
  if (options.json) {
    fmt::print("{}\n", dump_json(as_json(survey, splits, judged), true));
  } else {
    print_scores(splits, judged);
  }
  return {};
}

}  // namespace

void declare_validate(Command& command) {
  auto options = std::make_shared<ValidateCommand>();
  command.fields(options->table, "table");
  command.fields(*options);
  command.flag("json", options->json, "as JSON on stdout, with slices and every predicted row");
  command.footer(
      "Examples:\n"
      "  neph validate runs.csv --target t --split 'gpus<=4 -> gpus>4' --method all\n"
      "  neph validate runs.csv --target t --leave-out model\n"
      "  neph validate runs.csv --target t --leave-out machine --keep 5 --draws 4\n"
      "Without any of --split, --leave-out, --folds and --sample: five random folds, which say nothing of "
      "what "
      "lies beyond the table's ranges.");
  command.action([options] { return validate_table(*options); });
}

}  // namespace neph::cli
