#include "predict/profile/relations.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of a column's deviation: a column of which the others leave less follows from them, but for rounding.
constexpr double rounding = 0.01;
constexpr double exact = 1e-9;  ///< where nothing was rounded

/// Nothing: it has text, empty cells, one value only, or no logarithm.
std::optional<VectorXd> standardised(const table::Column& column, bool logarithms) {
  const auto numbers = as_numbers(column);
  if (!numbers) return {};
  VectorXd values = Eigen::Map<const VectorXd>(numbers->data(), std::ssize(*numbers));
  if (logarithms) values = values.array().log();
  values.array() -= values.mean();
  const double norm = values.norm();
  if (!std::isfinite(norm) || norm < exact) return {};
  return values / norm * std::sqrt(static_cast<double>(values.size()));
}

/// Sums of columns that are 0 to rounding: each column beyond the rank less what the first ones say of it.
MatrixXd vanishing_sums(const MatrixXd& columns) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(columns);
  qr.setThreshold(rounding);
  const auto rank = qr.rank(), rest = columns.cols() - rank;
  MatrixXd weights = MatrixXd::Zero(columns.cols(), rest);
  if (rest == 0) return weights;
  weights.topRows(rank) = -qr.matrixR()
                               .topLeftCorner(rank, rank)
                               .triangularView<Eigen::Upper>()
                               .solve(qr.matrixR().topRightCorner(rank, rest));
  weights.bottomRows(rest).setIdentity();
  return qr.colsPermutation() * weights;
}

}  // namespace

Relations::Sums Relations::sums_of(const table::Table& points, bool logarithms) {
  Sums sums;
  std::vector<VectorXd> values;
  for (std::size_t i = 0; i < points.columns.size(); ++i) {
    auto column = standardised(points.columns[i], logarithms);
    if (!column) continue;
    sums.columns.push_back(i);
    values.push_back(*std::move(column));
  }
  if (values.empty() || points.rows < 2 * values.size()) return {};
  sums.values.resize(std::ssize(values.front()), std::ssize(values));
  for (std::size_t i = 0; i < values.size(); ++i) sums.values.col(static_cast<Index>(i)) = values[i];
  sums.weights = vanishing_sums(sums.values);
  sums.slack = 2 * (sums.values * sums.weights).cwiseAbs().colwise().maxCoeff().transpose().array() + exact;
  return sums;
}

Relations Relations::among(const table::Table& points) {
  Relations relations;
  for (const bool logarithms : {false, true})
    if (auto sums = sums_of(points, logarithms); sums.weights.cols() > 0)
      relations.all_.push_back(std::move(sums));
  return relations;
}

bool Relations::hold(const std::vector<std::size_t>& taken_from) const {
  return std::all_of(all_.begin(), all_.end(), [&](const Sums& sums) {
    Eigen::RowVectorXd row(std::ssize(sums.columns));
    for (Index i = 0; i < row.size(); ++i)
      row[i] = sums.values(static_cast<Index>(taken_from[sums.columns[static_cast<std::size_t>(i)]]), i);
    return ((row * sums.weights).cwiseAbs().transpose().array() <= sums.slack.array()).all();
  });
}

}  // namespace neph::predict
