#include "predict/explain/permutation_importance.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/random.hpp"

namespace neph::predict {
namespace {

constexpr std::size_t all_folds = 5;
constexpr std::size_t few_points = 500;  ///< of more, one fold says enough, and a fit takes longer
constexpr int shuffles = 3;
constexpr std::size_t most_predicted = 1000;

/// Points that take no part in the fit, and what was measured there.
struct Rest {
  table::Table rows;
  std::vector<double> measured;
};

Rest rest_of(const Profile& profile, const std::vector<std::size_t>& points) {
  Rest rest{rows_of(profile.points.features, points), {}};
  for (const auto point : points) rest.measured.push_back(profile.points.target[point]);
  return rest;
}

/// Absolute errors of the logarithm; NaN where the answer was refused.
Result<std::vector<double>> log_errors(const Model& model, const table::Table& rows,
                                       const std::vector<double>& measured, std::size_t threads) {
  NEPH_TRY(const auto predictions, model.predict(rows, threads));
  std::vector<double> errors;
  for (std::size_t i = 0; i < predictions.size(); ++i)
    errors.push_back(std::abs(std::log(predictions[i].value / measured[i])));
  return errors;
}

/// By how much the second are larger, on average over the rows that both answer; NaN: there is none.
double growth_of(const std::vector<double>& usual, const std::vector<double>& shuffled) {
  double sum = 0, answered = 0;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    const double growth = shuffled[i] - usual[i];
    if (!std::isfinite(growth)) continue;
    sum += growth;
    ++answered;
  }
  return sum / answered;
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

/// How much each shuffle of a column added to the error of the logarithm.
struct Growths {
  std::size_t column;
  std::vector<double> all;
  std::string failure;
};

Contribution contribution_of(const std::string& name, const Growths& growths) {
  Contribution made{.column = name, .unavailable = growths.failure};
  if (growths.all.empty()) {
    if (made.unavailable.empty()) made.unavailable = "no row was answered both with it and without";
    return made;
  }
  double mean = 0;
  for (const double growth : growths.all) mean += growth / static_cast<double>(growths.all.size());
  const auto [least, most] = std::minmax_element(growths.all.begin(), growths.all.end());
  made.factor = std::exp(mean);
  made.least = std::exp(*least);
  made.most = std::exp(*most);
  return made;
}

void add_growths(const Model& model, const Rest& rest, const std::vector<double>& usual, std::size_t threads,
                 Random& random, Growths& growths) {
  for (int i = 0; i < shuffles; ++i) {
    auto rows = rest.rows;
    shuffle_column(rows.columns[growths.column], random);
    if (const auto errors = log_errors(model, rows, rest.measured, threads); !errors)
      growths.failure = errors.error().text();
    else if (const double growth = growth_of(usual, *errors); std::isfinite(growth))
      growths.all.push_back(growth);
  }
}

}  // namespace

Result<std::vector<Contribution>> permutation_importance(const Profile& profile, const FitOptions& options,
                                                         std::uint64_t seed) {
  const auto& columns = profile.points.features.columns;
  std::vector<Growths> all;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (differs(columns[i])) all.push_back({.column = i, .all = {}, .failure = {}});
  auto splits = folds(profile.points.target.size(), all_folds, seed);
  if (profile.points.target.size() > few_points) splits.resize(1);
  auto fit = options;
  fit.progress = nullptr;
  Random random(seed);
  std::optional<Error> failure;
  std::size_t done = 0;
  for (const auto& split : splits) {
    const auto model = Model::fit(part_of(profile, split.train), fit);
    const auto rest = rest_of(profile, drawn_from(split.test, most_predicted));
    const auto usual = model ? log_errors(*model, rest.rows, rest.measured, options.threads)
                             : Result<std::vector<double>>(tl::unexpected(model.error()));
    if (!usual) failure = usual.error();
    for (auto& growths : all)
      if (usual) add_growths(*model, rest, *usual, options.threads, random, growths);
    if (options.progress) options.progress(++done, splits.size());
  }
  std::vector<Contribution> made;
  for (const auto& growths : all) made.push_back(contribution_of(columns[growths.column].name, growths));
  if (failure &&
      std::all_of(made.begin(), made.end(), [](const auto& each) { return std::isnan(each.factor); }))
    return tl::unexpected(*failure);
  std::stable_sort(made.begin(), made.end(), [](const auto& a, const auto& b) {
    return std::isnan(b.factor) ? !std::isnan(a.factor) : a.factor > b.factor;
  });
  return made;
}

}  // namespace neph::predict
