#include "predict/explain/validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "stats/stats.hpp"

namespace neph::predict {
namespace {

constexpr std::size_t most_slices = 24;  ///< of a column; one with more has no slices

Result<std::vector<Prediction>> predicted(const Profile& profile, const Split& split,
                                          const FitOptions& options) {
  NEPH_TRY(const auto model, Model::fit(part_of(profile, split.train), options));
  return model.predict(rows_of(profile.points.features, split.test));
}

}  // namespace

PredictedPoint point_of(std::size_t split, std::size_t point, double measured, const Prediction& prediction) {
  return {.split = static_cast<std::int64_t>(split),
          .point = static_cast<std::int64_t>(point),
          .measured = measured,
          .value = prediction.value,
          .low = prediction.low,
          .high = prediction.high,
          .extrapolates = !prediction.extrapolates.empty(),
          .refused = prediction.refused};
}

Score score_of(std::span<const PredictedPoint> points) {
  std::vector<double> errors, widths;
  std::size_t covered = 0, flagged = 0;
  for (const auto& each : points) {
    flagged += each.extrapolates ? 1 : 0;
    if (!each.refused.empty()) continue;
    errors.push_back(std::abs(each.value / each.measured - 1));
    if (std::isnan(each.low)) continue;
    widths.push_back(std::sqrt(each.high / each.low));
    covered += each.low <= each.measured && each.measured <= each.high ? 1 : 0;
  }
  Score score{.rows = std::ssize(points), .refused = std::ssize(points) - std::ssize(errors)};
  if (!points.empty()) score.flagged = static_cast<double>(flagged) / static_cast<double>(points.size());
  if (errors.empty()) return score;
  score.mean = std::reduce(errors.begin(), errors.end()) / static_cast<double>(errors.size());
  score.median = stats::median(errors);
  score.p90 = stats::quantile(errors, 0.9);
  score.worst = std::ranges::max(errors);
  if (widths.empty()) return score;
  score.coverage = static_cast<double>(covered) / static_cast<double>(widths.size());
  score.half_width = stats::median(widths);
  return score;
}

Result<std::vector<ValidatedMethod>> validate(const Profile& profile, const std::vector<Split>& splits,
                                              const std::vector<Method>& methods, const FitOptions& fit) {
  std::vector<ValidatedMethod> all;
  std::size_t done = 0;
  for (const auto method : methods) {
    auto& own = all.emplace_back(ValidatedMethod{.method = std::string(enum_name(method))});
    auto options = fit;
    options.method = method;
    options.progress = nullptr;
    for (std::size_t split = 0; split < splits.size(); ++split) {
      const auto& [name, train, test] = splits[split];
      const auto predictions = predicted(profile, splits[split], options);
      if (!predictions) own.failures.push_back(fmt::format("{}: {}", name, predictions.error().text()));
      for (std::size_t i = 0; predictions && i < test.size(); ++i)
        own.rows.push_back(point_of(split, test[i], profile.points.target[test[i]], (*predictions)[i]));
      if (predictions && !test.empty()) own.splits.push_back({name, score_of(of_split(own.rows, split))});
      if (fit.progress) fit.progress(++done, methods.size() * splits.size());
    }
    own.score = score_of(own.rows);
    own.slices = slices_of(profile, own.rows);
  }
  if (std::ranges::all_of(all, [](const auto& own) { return own.rows.empty(); }))
    return fail(ErrorCode::invalid_argument, "nothing could be validated: {}", all.front().failures.front());
  return all;
}

std::span<const PredictedPoint> of_split(std::span<const PredictedPoint> points, std::size_t split) {
  const auto number = static_cast<std::int64_t>(split);
  const auto begin = std::ranges::lower_bound(points, number, {}, &PredictedPoint::split);
  return {begin, std::ranges::upper_bound(points, number, {}, &PredictedPoint::split)};
}

std::vector<Slice> slices_of(const Profile& profile, std::span<const PredictedPoint> points) {
  std::vector<Slice> slices;
  for (const auto& column : profile.points.features.columns) {
    std::map<std::pair<double, std::string>, std::vector<PredictedPoint>> by_value;  // numbers in their order
    for (const auto& each : points) {
      const auto row = static_cast<std::size_t>(each.point);
      const bool is_number = !column.is_text() && !column.is_empty(row);
      by_value[{is_number ? column.numbers[row] : 0, column.text(row)}].push_back(each);
    }
    if (by_value.size() < 2 || by_value.size() > most_slices) continue;
    for (const auto& [value, own] : by_value) slices.push_back({column.name, value.second, score_of(own)});
  }
  return slices;
}

}  // namespace neph::predict
