#include "predict/explain/relations.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of a column's deviation: a sum that varies less is the same everywhere, but for rounding.
constexpr double rounding = 0.01;
constexpr double exact = 1e-9;  ///< where nothing was rounded

/// Around 0, of length 1. Nothing: it has text, empty cells, one value only, or no logarithm.
std::optional<VectorXd> standardised(const table::Column& column, bool logarithms) {
  const auto numbers = as_numbers(column);
  if (!numbers) return {};
  VectorXd values = Eigen::Map<const VectorXd>(numbers->data(), std::ssize(*numbers));
  if (logarithms) values = values.array().log();
  values.array() -= values.mean();
  const double norm = values.norm();
  if (!std::isfinite(norm) || norm < exact) return {};
  return values / norm;
}

}  // namespace

Relations::Sums Relations::sums_of(const table::Table& points, bool logarithms) {
  Sums sums;
  sums.values.resize(static_cast<Index>(points.rows), 0);
  for (std::size_t i = 0; i < points.columns.size(); ++i) {
    const auto column = standardised(points.columns[i], logarithms);
    if (!column) continue;
    sums.columns.push_back(i);
    sums.values.conservativeResize(Eigen::NoChange, std::ssize(sums.columns));
    sums.values.rightCols(1) = *column;
  }
  if (sums.columns.empty() || points.rows < 2 * sums.columns.size()) return {};
  // The right singular vectors: ascending, by squares of the singular values.
  const Eigen::SelfAdjointEigenSolver<MatrixXd> decomposition(sums.values.transpose() * sums.values);
  const auto vanishing = (decomposition.eigenvalues().array() <= rounding * rounding).count();
  sums.weights = decomposition.eigenvectors().leftCols(vanishing);
  sums.slack = 2 * (sums.values * sums.weights).cwiseAbs().colwise().maxCoeff().array() + exact;
  return sums;
}

Relations::Relations(const table::Table& points) {
  for (const bool logarithms : {false, true})
    if (auto sums = sums_of(points, logarithms); sums.weights.cols() > 0) all_.push_back(std::move(sums));
}

bool Relations::hold(const std::vector<std::size_t>& taken_from) const {
  return std::ranges::all_of(all_, [&](const Sums& sums) {
    Eigen::RowVectorXd row(std::ssize(sums.columns));
    for (Index i = 0; i < row.size(); ++i)
      row[i] = sums.values(static_cast<Index>(taken_from[sums.columns[static_cast<std::size_t>(i)]]), i);
    return ((row * sums.weights).array().abs() <= sums.slack.array()).all();
  });
}

}  // namespace neph::predict
