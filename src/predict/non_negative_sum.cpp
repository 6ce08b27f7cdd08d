#include "predict/non_negative_sum.hpp"

#include <cmath>

#include "predict/linear.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Columns of length 1, the first of them all ones.
struct Scaled {
  std::vector<Feature> features;  ///< of the columns behind the first
  MatrixXd columns;
  VectorXd lengths;
};

Scaled scaled(const std::vector<Feature>& features, const Inputs& inputs) {
  Scaled result;
  std::vector<VectorXd> columns;
  std::vector<double> lengths;
  const auto add = [&](VectorXd column) {
    const double size = column.size() == 0 ? 0 : column.cwiseAbs().maxCoeff();
    if (!(size > 0) || !std::isfinite(size)) return false;
    column /= size;  // so that no square overflows
    const double length = column.norm();
    lengths.push_back(size * length);
    columns.push_back(column / length);
    return true;
  };
  add(VectorXd::Ones(inputs.rows()));
  for (const auto& feature : features)
    if (add(feature_values(feature, inputs))) result.features.push_back(feature);
  result.columns.resize(inputs.rows(), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) result.columns.col(static_cast<Index>(j)) = columns[j];
  result.lengths = Eigen::Map<const VectorXd>(lengths.data(), static_cast<Index>(lengths.size()));
  return result;
}

/// Non-negative coefficients of few among many columns of length 1.
VectorXd few_of(const MatrixXd& columns, const VectorXd& target) {
  constexpr double tolerance = 1e-10;  // of the largest gradient there is
  const VectorXd moments = columns.transpose() * target;
  const double scale = moments.cwiseAbs().maxCoeff();
  MatrixXd gram = MatrixXd::Zero(columns.cols(), columns.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(columns.transpose());
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  VectorXd solution = non_negative_normal(gram, moments);
  std::vector<Index> counting;
  for (Index j = 0; j < solution.size(); ++j)
    if (solution[j] > 0) counting.push_back(j);
  for (std::size_t before = columns.cols() + 1; before != counting.size();) {
    before = counting.size();
    const MatrixXd part = columns(Eigen::all, counting);
    const VectorXd of_part = non_negative(part, target);
    solution.setZero();
    solution(counting) = of_part;
    const VectorXd gradient = columns.transpose() * (target - part * of_part);
    for (Index j = 0; j < gradient.size(); ++j)
      if (gradient[j] > tolerance * scale && std::find(counting.begin(), counting.end(), j) == counting.end())
        counting.push_back(j);
  }
  return solution;
}

}  // namespace

FeatureSum fit_non_negative(const std::vector<Feature>& features, const Inputs& whole,
                            const VectorXd& log_target) {
  const auto rows = rows_for(features, whole);
  const auto inputs = rows_of(whole, rows);
  auto [times, sum] = times_of(rows_of(log_target, rows));
  if (rows.empty()) return sum;
  const auto all = scaled(features, inputs);
  const VectorXd slopes = few_of(all.columns, times).cwiseQuotient(all.lengths);
  sum.level = slopes[0];
  std::vector<double> counting;
  for (std::size_t j = 0; j < all.features.size(); ++j) {
    const double slope = slopes[static_cast<Index>(j) + 1];
    if (!(slope > 0)) continue;
    sum.features.push_back(all.features[j]);
    counting.push_back(slope);
  }
  sum.slopes = Eigen::Map<const VectorXd>(counting.data(), static_cast<Index>(counting.size()));
  sum.centers = VectorXd::Zero(sum.slopes.size());
  return sum;
}

FeatureSum fit_nnls(const Inputs& inputs, const VectorXd& log_target) {
  return fit_non_negative(products_up_to(2, inputs), inputs, log_target);
}

}  // namespace neph::predict
