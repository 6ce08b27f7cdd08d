#include "predict/explain/fit_summary.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include <fmt/ranges.h>

#include "core/units.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index any_column = -1;
constexpr std::size_t most_columns_told = 6;

/// Each term's part of the time: rows by work and latency terms; rows add up to the time without factors.
MatrixXd parts_of(const UserTermModel& model, const UserTermValues& values) {
  const MatrixXd work = values.work * model.work.asDiagonal(),
                 latency = values.latency * model.latency.asDiagonal();
  MatrixXd parts(work.rows(), work.cols() + latency.cols());
  parts << work.array().pow(model.power).matrix(), latency;
  for (Index i = 0; i < parts.rows(); ++i)
    if (const double sum = parts.row(i).head(work.cols()).sum(); sum > 0)
      parts.row(i).head(work.cols()) *= std::pow(sum, 1 / model.power - 1);
  return parts;
}

/// Scores of columns that the same hold-outs speak for.
using SameHoldOuts = std::vector<const ShiftScore*>;

std::vector<SameHoldOuts> by_hold_outs(const std::vector<ShiftScore>& scores) {
  std::vector<SameHoldOuts> all;
  for (const auto& score : scores) {
    const auto same = std::ranges::find_if(all, [&](const SameHoldOuts& each) {
      const auto& first = *each.front();
      return first.shift.kind == score.shift.kind && first.group == score.group &&
             first.trials == score.trials && first.errors == score.errors;
    });
    (same == all.end() ? all.emplace_back() : *same).push_back(&score);
  }
  return all;
}

/// "batch, layers": the columns whose shifts were tried.
std::string names_of(const Model& model, std::span<const ShiftKind> kinds) {
  std::set<std::string> all;
  for (const auto& [kind, column] : model.scores().scores | std::views::transform(&ShiftScore::shift))
    if (column != any_column && std::ranges::find(kinds, kind) != kinds.end())
      all.insert(model.column_of({kind, column}));
  const auto told = all | std::views::take(most_columns_told);
  return fmt::format("{}{}", fmt::join(told, ", "), all.size() > most_columns_told ? ", ..." : "");
}

/// Of several kinds those of all their hold-outs.
ExpectedError expected_error(const Model& model, std::string where, std::initializer_list<ShiftKind> kinds,
                             std::string_view words, std::string_view nothing) {
  ExpectedError expected{.where = std::move(where), .rests_on = std::string(nothing)};
  const auto score = ShiftScores::of_kinds(model.trials(), kinds);
  if (!score) return expected;
  expected.p50 = std::expm1(score->median);
  expected.p90 = std::expm1(score->p90);
  expected.rests_on = fmt::format("{}{}", counted(score->trials, "hold-out"), words);
  if (*kinds.begin() != ShiftKind::inside) expected.rests_on += " of " + names_of(model, kinds);
  return expected;
}

}  // namespace

std::optional<FittedTerms> fitted_terms(const Model& model) {
  const auto weights = model.scores().weights({});
  const UserTermModel* best = nullptr;
  double most = -1, all = 0;
  for (std::size_t i = 0; i < model.specs().size(); ++i) {
    const auto& member = model.ensemble().members[i];
    const auto* terms = member ? std::get_if<UserTermModel>(&member->backbone) : nullptr;
    if (!terms) continue;
    const double weight = weights[static_cast<Index>(i)];
    all += weight;
    if (weight <= most) continue;
    most = weight;
    best = terms;
  }
  const auto& values = model.points().user_terms;
  if (!best || values.work.rows() == 0) return std::nullopt;
  const auto parts = parts_of(*best, values);
  const VectorXd times = parts.rowwise().sum();
  const auto texts = model.design().user_terms().texts();
  FittedTerms fitted{.power = best->power, .scale = texts.scale, .weight = all};
  for (Index k = 0; k < parts.cols(); ++k) {
    const bool is_latency = k >= best->work.size();
    const auto place = is_latency ? k - best->work.size() : k;
    fitted.terms.push_back(
        {.text = (is_latency ? texts.latency : texts.work)[static_cast<std::size_t>(place)],
         .is_latency = is_latency,
         .coefficient = (is_latency ? best->latency : best->work)[place],
         .share = (parts.col(k).array() / times.array().max(1e-300)).mean()});
  }
  return fitted;
}

std::vector<ExpectedError> expected_errors(const Model& model) {
  std::vector<ExpectedError> all{
      expected_error(model, "inside", {ShiftKind::inside}, ", random folds", "nothing could be left out"),
      expected_error(model, "beyond", {ShiftKind::above, ShiftKind::below},
                     " of one or two steps at the ends", "no number has three values with enough rows")};
  if (!model.design().categories().empty())
    all.push_back(expected_error(model, "unseen", {ShiftKind::unseen}, " of one level",
                                 "no category has three levels with enough rows"));
  return all;
}

std::vector<ScoreInWords> scores_in_words(const Model& model) {
  std::vector<ScoreInWords> words;
  for (const auto& same : by_hold_outs(model.scores().scores)) {
    const auto& score = *same.front();
    std::vector<Shift> shifts;
    for (const auto* each : same) shifts.push_back(each->shift);
    const auto weights = model.scores().weights({{score.shift}, {score.distance}, {}});
    Index best = 0;
    weights.maxCoeff(&best);
    const auto& design = model.design();
    const bool is_machine = design.knows_machines() && score.shift.kind == ShiftKind::unseen &&
                            score.shift.column == static_cast<Index>(*design.machine());
    words.push_back(
        {.where = model.words(shifts),
         .trials = score.trials,
         .p50 = std::expm1(score.median),
         .p90 = std::expm1(score.p90),
         .best = is_machine ? "law of machines" : to_string(model.specs()[static_cast<std::size_t>(best)]),
         .weight = is_machine ? 1 : weights[best]});
  }
  return words;
}

std::vector<std::string> warnings_of(const Ensemble& ensemble) {
  std::vector<std::string> warnings;
  for (const auto& member : ensemble.members)
    if (constexpr double sensible = 10; member && member->process && member->process->noise_raised > sensible)
      warnings.push_back(
          fmt::format("{}: ill-conditioned, factorised only with {:.0e} times its noise; leave out columns "
                      "that are copies",
                      to_string(member->spec), member->process->noise_raised));
  return warnings;
}

}  // namespace neph::predict
