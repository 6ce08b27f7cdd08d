#include "predict/process.hpp"

#include <cmath>

#include "predict/comparison.hpp"
#include "predict/kernel_choice.hpp"
#include "predict/kernel_sum.hpp"
#include "predict/positive_definite.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_levels_paired = 1 << 15;  ///< of a category; later ones have no pairs

/// Of the target at each row (down) and at each row of `at` (across), without noise.
MatrixXd covariances(const Places& rows, const Places& at, const Kernel& kernel) {
  MatrixXd all(rows.numbers.rows(), at.numbers.rows());
  const ComparedRows compared(rows), others(at);
  Comparison comparison(compared, kernel);
  for (Index i = 0; i < all.cols(); ++i) {
    comparison.compare(others, i);
    all.col(i) = comparison.covariance();
  }
  return all;
}

/// The lower triangle of what rows have to do with each other.
MatrixXd covariances(const Places& rows, const Kernel& kernel) {
  MatrixXd all(rows.numbers.rows(), rows.numbers.rows());
  const ComparedRows compared(rows);
  Comparison comparison(compared, kernel);
  for (Index i = 0; i < all.cols(); ++i) {
    comparison.compare(compared, i, i);
    all.col(i).tail(all.rows() - i) = comparison.covariance();
  }
  return all;
}

/// Cholesky's factor of what is measured at the rows, with as much noise as it takes.
Result<MatrixXd> factor_of(const Places& rows, const Kernel& kernel) {
  const auto covariance = covariances(rows, kernel);
  double least = kernel.noise * kernel.noise;
  for (int attempt = 0; attempt < 12; ++attempt, least *= 10) {
    MatrixXd noisy = covariance;
    noisy.diagonal().array() += least;
    if (factorise(noisy)) return noisy;
  }
  return fail(ErrorCode::internal, "the covariance of {} rows cannot be inverted", covariance.rows());
}

}  // namespace

VectorXd rows_of(const VectorXd& values, std::span<const std::size_t> rows) {
  VectorXd part(static_cast<Index>(rows.size()));
  for (Index i = 0; i < part.size(); ++i)
    part[i] = values[static_cast<Index>(rows[static_cast<std::size_t>(i)])];
  return part;
}

Places rows_of(const Places& places, std::span<const std::size_t> rows) {
  return {some_rows(places.numbers, rows), some_rows(places.levels, rows)};
}

Places with_pairs(const Places& places) {
  const auto categories = places.levels.cols();
  Places all{places.numbers, Eigen::MatrixXi(places.levels.rows(), categories + pairs_of(categories))};
  all.levels.leftCols(categories) = places.levels;
  auto column = categories;
  for (Index a = 0; a < std::min(categories, most_paired); ++a) {
    for (Index b = a + 1; b < std::min(categories, most_paired); ++b, ++column) {
      for (Index row = 0; row < all.levels.rows(); ++row) {
        const int first = places.levels(row, a), second = places.levels(row, b);
        const bool known = std::min(first, second) >= 0 && std::max(first, second) < most_levels_paired;
        all.levels(row, column) = known ? first * most_levels_paired + second : -1;
      }
    }
  }
  return all;
}

Scaling Scaling::of(const MatrixXd& numbers) {
  Scaling scaling{numbers.colwise().mean(), {}};
  const auto rows = static_cast<double>(std::max<Index>(1, numbers.rows()));
  scaling.width = ((numbers.rowwise() - scaling.center).colwise().squaredNorm() / rows).cwiseSqrt();
  for (Index j = 0; j < numbers.cols(); ++j)
    if (!(scaling.width[j] > 1e-9 * std::abs(scaling.center[j]))) scaling.width[j] = 1;  // it never differed
  return scaling;
}

Places Scaling::apply(const Places& places) const {
  return {(places.numbers.rowwise() - center).array().rowwise() / width.array(), places.levels};
}

Result<Process> Process::fit(const Places& places, const VectorXd& target, const ProcessSettings& settings) {
  if (target.size() == 0 || target.size() != places.numbers.rows())
    return fail(ErrorCode::invalid_argument, "a process needs rows, each with a target");
  if (!target.allFinite() || !places.numbers.allFinite())
    return fail(ErrorCode::invalid_argument, "a process needs finite numbers");
  if (const auto rows = drawn_rows(static_cast<std::size_t>(target.size()), settings.most_rows);
      rows.size() < static_cast<std::size_t>(target.size()))
    return fit(rows_of(places, rows), rows_of(target, rows), settings);
  auto scaling = Scaling::of(places.numbers);
  auto scaled = scaling.apply(with_pairs(places));
  auto kernel = choose_kernel(scaled, target, settings);
  return with_kernel(std::move(scaling), std::move(scaled), target, std::move(kernel));
}

Result<Process> Process::with_kernel(Scaling scaling, Places scaled, const VectorXd& target, Kernel kernel) {
  NEPH_TRY(const auto factor, factor_of(scaled, kernel));
  return Process(std::move(scaling), std::move(scaled), solve(factor, target), std::move(kernel));
}

Result<MatrixXd> Process::covariance(const Places& at) const {
  const auto asked = scaling_.apply(with_pairs(at));
  NEPH_TRY(const auto factor, factor_of(places_, kernel_));
  const MatrixXd known = factor.triangularView<Eigen::Lower>().solve(covariances(places_, asked, kernel_));
  return MatrixXd(covariances(asked, asked, kernel_) - known.transpose() * known);
}

VectorXd Process::mean(const Places& at) const {
  return KernelSum(places_, weights_, kernel_).at(scaling_.apply(with_pairs(at)));
}

Places Process::within_range(const Places& at) const {
  const auto unscaled = [this](const Eigen::RowVectorXd& scaled) {
    return Eigen::RowVectorXd(scaled.cwiseProduct(scaling_.width) + scaling_.center);
  };
  const auto low = unscaled(places_.numbers.colwise().minCoeff()),
             high = unscaled(places_.numbers.colwise().maxCoeff());
  auto within = at;
  for (Index j = 0; j < within.numbers.cols(); ++j)
    for (auto& value : within.numbers.col(j))
      value = std::clamp(value, std::min(low[j], high[j]), std::max(low[j], high[j]));
  return within;
}

}  // namespace neph::predict
