#include "predict/models/log_linear.hpp"

#include <Eigen/Eigenvalues>
#include <array>
#include <limits>

#include "predict/models/level_factors.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array penalties{1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0};  ///< in rows of unit size
constexpr double least_freedom = 1e-6;                              ///< of a row that only itself explains

/// Numbers, and a column of each level, all with mean 0.
struct Regressors {
  MatrixXd columns;
  Eigen::RowVectorXd means;
  std::vector<Index> counts;  ///< levels of each category that have a column

  explicit Regressors(const FeatureMatrix& scaled) {
    const Index numbers = scaled.numbers.cols();
    Index all = numbers;
    for (Index c = 0; c < scaled.levels.cols(); ++c) {
      const auto count = level_count(scaled, c);
      counts.push_back(count > most_levels_with_factors ? 0 : count);
      all += counts.back();
    }
    columns = MatrixXd::Zero(scaled.rows(), all);
    columns.leftCols(numbers) = scaled.numbers;
    Index begin = numbers;
    for (std::size_t c = 0; c < counts.size(); begin += counts[c++])
      for (Index i = 0; i < columns.rows(); ++i)
        if (const int code = scaled.levels(i, static_cast<Index>(c)); code >= 0 && code < counts[c])
          columns(i, begin + code) = 1;
    means = columns.colwise().mean();
    columns.rowwise() -= means;
  }
};

struct Ridge {
  VectorXd solution;
  double press = std::numeric_limits<double>::infinity();  ///< squares of what each row is off by
};

/// In the directions of the columns' own covariance one decomposition serves all penalties.
Ridge best_ridge(const MatrixXd& a, const VectorXd& b) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> own(a.transpose() * a);
  const VectorXd strengths = own.eigenvalues().cwiseMax(0);
  const MatrixXd turned = a * own.eigenvectors(), squares = turned.cwiseAbs2();
  const VectorXd moments = turned.transpose() * b;
  Ridge best{.solution = VectorXd::Zero(a.cols())};
  for (const double penalty : penalties) {
    const VectorXd inverse = (strengths.array() + penalty).inverse();
    const VectorXd solution = moments.cwiseProduct(inverse);
    const VectorXd freedom = 1 - 1 / static_cast<double>(a.rows()) - (squares * inverse).array();
    const double press =
        ((b - turned * solution).array() / freedom.array().max(least_freedom)).square().sum();
    if (press < best.press) best = {own.eigenvectors() * solution, press};
  }
  return best;
}

}  // namespace

VectorXd LogLinear::log_mean(const FeatureMatrix& at) const {
  const auto scaled = scaling.apply(at);
  return (scaled.numbers * slopes + level_factors(factors, at.levels)).array() + level;
}

LogLinear constant_level(const FeatureMatrix& rows, const VectorXd& log_target) {
  return {.scaling = Scaling::of(rows.numbers),
          .level = log_target.mean(),
          .slopes = VectorXd::Zero(rows.numbers.cols())};
}

double share_said(const FeatureMatrix& rows, const VectorXd& target) {
  const Regressors regressors(Scaling::of(rows.numbers).apply(rows));
  const VectorXd centred = target.array() - target.mean();
  if (regressors.columns.cols() == 0 || !(centred.squaredNorm() > 0)) return 0;
  return 1 - best_ridge(regressors.columns, centred).press / centred.squaredNorm();
}

LogLinear fit_log_linear(const FeatureMatrix& rows, const VectorXd& log_target) {
  auto model = constant_level(rows, log_target);
  const Regressors regressors(model.scaling.apply(rows));
  if (regressors.columns.cols() == 0) return model;
  const VectorXd solution = best_ridge(regressors.columns, log_target.array() - model.level).solution;
  model.slopes = solution.head(model.slopes.size());
  Index begin = model.slopes.size();
  for (const auto count : regressors.counts) {
    const VectorXd factors = solution.segment(begin, count);
    model.factors.emplace_back(factors.array() - regressors.means.segment(begin, count).dot(factors));
    begin += count;
  }
  return model;
}

}  // namespace neph::predict
