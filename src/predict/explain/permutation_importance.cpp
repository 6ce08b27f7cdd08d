#include "predict/explain/permutation_importance.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::ArrayXd;

constexpr std::size_t all_folds = 5;
constexpr std::size_t few_points = 500;  ///< of more, one fold says enough, and a fit takes longer
constexpr int shuffles = 3;
constexpr std::size_t most_predicted = 1000;

/// Absolute errors of the logarithm; NaN where the answer was refused.
Result<ArrayXd> log_errors(const Model& model, const table::Table& rows, const std::vector<double>& measured,
                           std::size_t threads) {
  NEPH_TRY(const auto predictions, model.predict(rows, threads));
  ArrayXd errors(std::ssize(predictions));
  for (std::size_t i = 0; i < predictions.size(); ++i)
    errors[static_cast<Eigen::Index>(i)] = std::abs(std::log(predictions[i].value / measured[i]));
  return errors;
}

void shuffle_column(table::Column& column, Random& random) {
  if (column.is_text())
    shuffle(column.codes, random);
  else
    shuffle(column.numbers, random);
}

bool differs(const table::Column& column) {
  for (std::size_t row = 1; row < column.rows(); ++row)
    if (column.text(row) != column.text(0)) return true;
  return false;
}

/// How much each shuffle of a column added to the mean error of the logarithm.
struct Growths {
  std::size_t column;
  std::vector<double> all;
};

Contribution contribution_of(const std::string& name, const Growths& growths) {
  Contribution made{.column = name};
  if (growths.all.empty()) {
    made.unavailable = "no row was answered both with it and without";
    return made;
  }
  const Eigen::Map<const ArrayXd> all(growths.all.data(), std::ssize(growths.all));
  made.factor = std::exp(all.mean());
  made.least = std::exp(all.minCoeff());
  made.most = std::exp(all.maxCoeff());
  return made;
}

/// From a model that was fitted to the others.
Status add_growths(const Model& model, const Profile& profile, const std::vector<std::size_t>& points,
                   std::size_t threads, Random& random, std::vector<Growths>& all) {
  const auto rows = rows_of(profile.points.features, points);
  std::vector<double> measured;
  for (const auto point : points) measured.push_back(profile.points.target[point]);
  NEPH_TRY(const auto usual, log_errors(model, rows, measured, threads));
  for (auto& growths : all)
    for (int i = 0; i < shuffles; ++i) {
      auto shuffled = rows;
      shuffle_column(shuffled.columns[growths.column], random);
      NEPH_TRY(const auto errors, log_errors(model, shuffled, measured, threads));
      const ArrayXd added = errors - usual;  // a number where both answer
      if (const auto answered = added.isFinite().count(); answered > 0)
        growths.all.push_back(added.isFinite().select(added, 0).sum() / static_cast<double>(answered));
    }
  return {};
}

}  // namespace

Result<std::vector<Contribution>> permutation_importance(const Profile& profile, const FitOptions& options,
                                                         std::uint64_t seed) {
  const auto& columns = profile.points.features.columns;
  std::vector<Growths> all;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (differs(columns[i])) all.push_back({.column = i, .all = {}});
  auto splits = folds(profile.points.target.size(), all_folds, seed);
  if (profile.points.target.size() > few_points) splits.resize(1);
  auto fit = options;
  fit.progress = nullptr;
  Random random(seed);
  std::optional<Error> failure;
  std::size_t done = 0;
  for (const auto& split : splits) {
    const auto points = drawn_from(split.test, most_predicted);
    const auto model = Model::fit(part_of(profile, split.train), fit);
    const auto status = model ? add_growths(*model, profile, points, options.threads, random, all)
                              : tl::unexpected(model.error());
    if (!status) failure = status.error();
    if (options.progress) options.progress(++done, splits.size());
  }
  std::vector<Contribution> made;
  for (const auto& growths : all) made.push_back(contribution_of(columns[growths.column].name, growths));
  const auto is_unknown = [](const Contribution& each) { return std::isnan(each.factor); };
  if (failure && std::ranges::all_of(made, is_unknown)) return tl::unexpected(*failure);
  std::ranges::stable_sort(made, std::greater(),
                           [&](const Contribution& each) { return is_unknown(each) ? 0 : each.factor; });
  return made;
}

}  // namespace neph::predict
