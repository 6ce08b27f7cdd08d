#include "predict/validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/stats.hpp"

namespace neph::predict {
namespace {

constexpr std::size_t most_slices = 24;  ///< of a column; one with more has no slices

Result<std::vector<Prediction>> predicted(const Survey& survey, const Split& split, FitOptions options) {
  const auto rows = rows_of(survey.points.features, split.test);
  options.asked = &rows;
  NEPH_TRY(const auto model, Model::fit(part_of(survey, split.train), options));
  return model.predict(rows);
}

}  // namespace

Score score_of(std::span<const Judgement> judgements) {
  std::vector<double> errors, widths;
  std::size_t covered = 0, flagged = 0;
  for (const auto& each : judgements) {
    flagged += each.predicted.extrapolates.empty() ? 0 : 1;
    if (each.is_refused()) continue;
    errors.push_back(std::abs(each.error()));
    widths.push_back(std::sqrt(each.predicted.high / each.predicted.low));
    covered += each.is_covered() ? 1 : 0;
  }
  Score score{.rows = std::ssize(judgements), .refused = std::ssize(judgements) - std::ssize(errors)};
  if (!judgements.empty())
    score.flagged = static_cast<double>(flagged) / static_cast<double>(judgements.size());
  if (errors.empty()) return score;
  score.mean = 0;
  for (const double error : errors) score.mean += error / static_cast<double>(errors.size());
  score.median = stats::median(errors);
  score.p90 = stats::quantile(errors, 0.9);
  score.worst = *std::max_element(errors.begin(), errors.end());
  score.coverage = static_cast<double>(covered) / static_cast<double>(errors.size());
  score.half_width = stats::median(widths);
  return score;
}

Result<std::vector<MethodJudged>> validate(const Survey& survey, const std::vector<Split>& splits,
                                           const ValidationSettings& settings) {
  std::vector<MethodJudged> all;
  std::size_t done = 0;
  for (const auto method : settings.methods) {
    auto& judged = all.emplace_back(MethodJudged{.method = method});
    auto options = settings.fit;
    options.method = method;
    options.progress = nullptr;
    for (std::size_t split = 0; split < splits.size(); ++split) {
      const auto& test = splits[split].test;
      auto predictions = predicted(survey, splits[split], options);
      if (!predictions)
        judged.failures.push_back(fmt::format("{}: {}", splits[split].name, predictions.error().text()));
      for (std::size_t i = 0; predictions && i < test.size(); ++i)
        judged.judgements.push_back(
            {split, test[i], survey.points.target[test[i]], std::move((*predictions)[i])});
      if (settings.progress) settings.progress(++done, settings.methods.size() * splits.size());
    }
  }
  if (std::all_of(all.begin(), all.end(), [](const auto& judged) { return judged.judgements.empty(); }))
    return fail(ErrorCode::invalid_argument, "nothing could be validated: {}", all.front().failures.front());
  return all;
}

std::span<const Judgement> of_split(const MethodJudged& judged, std::size_t split) {
  const auto place = [](const Judgement& each) { return each.split; };
  const auto begin = std::ranges::lower_bound(judged.judgements, split, {}, place),
             end = std::ranges::upper_bound(judged.judgements, split, {}, place);
  return {begin, end};
}

std::vector<Slice> slices_of(const Survey& survey, std::span<const Judgement> judgements) {
  std::vector<Slice> slices;
  for (const auto& column : survey.points.features.columns) {
    std::map<std::pair<double, std::string>, std::vector<Judgement>> by_value;  // numbers in their order
    for (const auto& each : judgements) {
      const bool is_number = !column.is_text() && !column.is_empty(each.point);
      by_value[{is_number ? column.numbers[each.point] : 0, column.text(each.point)}].push_back(each);
    }
    if (by_value.size() < 2 || by_value.size() > most_slices) continue;
    for (const auto& [value, own] : by_value) slices.push_back({column.name, value.second, score_of(own)});
  }
  return slices;
}

}  // namespace neph::predict
