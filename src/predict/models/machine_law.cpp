#include "predict/models/machine_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <nlopt.h>

#include "predict/models/positive_definite.hpp"

namespace neph::predict {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_rows_to_fit = 220, most_rows = 1000;
constexpr double level_variance = 9, least_variance = 1e-6;

/// All but the last are logarithms.
enum Parameter : Index {
  amplitude,
  length,
  category_length,
  category_offset,
  slope,
  noise,
  own,
  own_by_row,
  family,
  power,
  power_by_row,
  share,
  parameter_count
};

/// Of the rows of one matrix (down) with those of another (across): what no parameter changes.
struct Pairs {
  ArrayXXd distance;         ///< root of 5 times that of the scaled numbers
  ArrayXXd same, differing;  ///< categories
  ArrayXXd products, speed_products;
  ArrayXXd same_machine, same_family;
};

Pairs pairs_of(const MachineRows& down, const MachineRows& across) {
  const auto& a = down.configurations;
  const auto& b = across.configurations;
  const Index rows = down.machines.size(), columns = across.machines.size();
  Pairs pairs{.distance = ArrayXXd::Zero(rows, columns),
              .same = ArrayXXd::Zero(rows, columns),
              .differing = {},
              .products = (a.numbers * b.numbers.transpose()).array(),
              .speed_products = (down.log_speeds * across.log_speeds.transpose()).array(),
              .same_machine = ArrayXXd::Zero(rows, columns),
              .same_family = ArrayXXd::Zero(rows, columns)};
  for (Index j = 0; j < columns; ++j) {
    for (Index k = 0; k < a.numbers.cols(); ++k)
      pairs.distance.col(j) += (a.numbers.col(k).array() - b.numbers(j, k)).square();
    for (Index k = 0; k < a.levels.cols(); ++k)
      if (b.levels(j, k) >= 0)
        pairs.same.col(j) += (a.levels.col(k).array() == b.levels(j, k)).cast<double>();
    if (across.machines[j] >= 0)
      pairs.same_machine.col(j) = (down.machines.array() == across.machines[j]).cast<double>();
    if (across.families[j] >= 0)
      pairs.same_family.col(j) = (down.families.array() == across.families[j]).cast<double>();
  }
  pairs.distance = (5 * pairs.distance).sqrt();
  pairs.differing = static_cast<double>(a.levels.cols()) - pairs.same;
  return pairs;
}

double variance_of(double log_deviation) { return std::exp(2 * log_deviation); }

MatrixXd covariance(const Pairs& pairs, const VectorXd& p) {
  const ArrayXXd r = pairs.distance / std::exp(p[length]);
  const ArrayXXd alike =
      (1 + r + r.square() / 3) * (-r - pairs.differing * variance_of(-p[category_length])).exp();
  const auto by_row = [&](double common, double differing) {
    return variance_of(common) + variance_of(differing) * alike;
  };
  return level_variance + variance_of(p[amplitude]) * alike + variance_of(p[category_offset]) * pairs.same +
         variance_of(p[slope]) * pairs.products + by_row(p[own], p[own_by_row]) * pairs.same_machine +
         variance_of(p[family]) * pairs.same_family +
         by_row(p[power], p[power_by_row]) * pairs.speed_products;
}

/// A row's with itself.
double variance_at(const MachineRows& rows, Index row, const VectorXd& p) {
  return level_variance + variance_of(p[amplitude]) +
         variance_of(p[category_offset]) * static_cast<double>(rows.configurations.levels.cols()) +
         variance_of(p[slope]) * rows.configurations.numbers.row(row).squaredNorm() + variance_of(p[own]) +
         variance_of(p[own_by_row]) + (rows.families[row] >= 0 ? variance_of(p[family]) : 0) +
         (variance_of(p[power]) + variance_of(p[power_by_row])) * rows.log_speeds.row(row).squaredNorm();
}

/// Of one measured and one asked machine alike.
VectorXd log_speed(const MachineRows& rows, const VectorXd& p) {
  return p[share] * rows.log_speeds.col(0) + (1 - p[share]) * rows.log_speeds.col(1);
}

Result<MatrixXd> factor_of(const Pairs& pairs, const VectorXd& p) {
  MatrixXd matrix = covariance(pairs, p);
  matrix.diagonal().array() += variance_of(p[noise]) + least_variance;
  if (!factorise(matrix))
    return fail(ErrorCode::internal, "the covariance of {} rows cannot be inverted", matrix.rows());
  return matrix;
}

/// Minus the log of the posterior.
struct Posterior {
  const MachineRows& rows;
  const VectorXd& target;
  Pairs pairs;
  VectorXd center, width;

  double operator()(const VectorXd& p) const {
    const auto factor = factor_of(pairs, p);
    if (!factor) return std::numeric_limits<double>::max();
    VectorXd moved = target + log_speed(rows, p);
    moved.array() -= moved.mean();
    return 0.5 * moved.dot(solve(*factor, moved)) + factor->diagonal().array().log().sum() +
           0.5 * (p - center).cwiseQuotient(width).squaredNorm();
  }

  static double follow(unsigned count, const double* at, double* gradient, void* data) {
    constexpr double step = 1e-5;
    const auto& posterior = *static_cast<const Posterior*>(data);
    VectorXd p = Eigen::Map<const VectorXd>(at, count);
    const double value = posterior(p);
    for (Index i = 0; gradient && i < p.size(); ++i) {
      const double here = std::exchange(p[i], p[i] + step);
      gradient[i] = (posterior(p) - value) / step;
      p[i] = here;
    }
    return value;
  }
};

VectorXd most_probable(Posterior posterior, const MachineLawPrior& prior) {
  const double mean = posterior.target.mean();
  const double spread = std::log(std::max(0.1, std::sqrt((posterior.target.array() - mean).square().mean())));
  posterior.center.resize(parameter_count);
  posterior.width.resize(parameter_count);
  posterior.center << spread, 0, std::log(3.0), spread - 0.5, spread, -3.5, std::log(prior.own),
      std::log(prior.own_by_row), std::log(prior.family), std::log(prior.power), std::log(prior.power_by_row),
      prior.compute_share;
  posterior.width << 1.5, 1, 1, 1, 1.5, 1, VectorXd::Constant(5, prior.log_deviation), prior.share_deviation;
  VectorXd best = posterior.center;
  const auto optimiser = nlopt_create(NLOPT_LD_LBFGS, parameter_count);
  nlopt_set_min_objective(optimiser, Posterior::follow, &posterior);
  nlopt_set_ftol_abs(optimiser, 0.02);
  nlopt_set_maxeval(optimiser, 40);
  double value = 0;
  nlopt_optimize(optimiser, best.data(), &value);
  nlopt_destroy(optimiser);
  const bool is_better = best.allFinite() && posterior(best) < posterior(posterior.center);
  return is_better ? best : posterior.center;
}

}  // namespace

MachineRows rows_of(const MachineRows& rows, const std::vector<std::size_t>& which) {
  return {rows_of(rows.configurations, which), some_rows(rows.log_speeds, which),
          some_rows(rows.machines, which), some_rows(rows.families, which)};
}

MachineRows MachineLaw::scaled(const MachineRows& rows) const {
  MachineRows all{scaling_.apply(rows.configurations), rows.log_speeds.rowwise() - center_, rows.machines,
                  rows.families};
  all.configurations.numbers /=
      std::sqrt(std::max<double>(1, static_cast<double>(rows.configurations.numbers.cols())));
  return all;
}

Result<MachineLaw> MachineLaw::fit(const MachineRows& rows, const VectorXd& log_target,
                                   const MachineLawPrior& prior) {
  const auto count = static_cast<std::size_t>(log_target.size());
  MachineLaw law;
  law.scaling_ = Scaling::of(rows.configurations.numbers);
  law.center_ = rows.log_speeds.colwise().mean();
  const auto all = law.scaled(rows);
  {
    const auto which = drawn_rows(count, most_rows_to_fit);
    const auto some = rows_of(all, which);
    const VectorXd target = rows_of(log_target, which);
    law.parameters_ = most_probable({some, target, pairs_of(some, some), {}, {}}, prior);
  }
  const auto which = drawn_rows(count, most_rows);
  law.rows_ = rows_of(all, which);
  NEPH_TRY(law.factor_, factor_of(pairs_of(law.rows_, law.rows_), law.parameters_));
  VectorXd target = rows_of(log_target, which) + log_speed(law.rows_, law.parameters_);
  law.level_ = target.mean();
  law.weights_ = solve(law.factor_, target.array() - law.level_);
  return law;
}

MachineLawPrior MachineLaw::spreads() const {
  const auto& p = parameters_;
  return {.compute_share = p[share],
          .own = std::exp(p[own]),
          .own_by_row = std::exp(p[own_by_row]),
          .family = std::exp(p[family]),
          .power = std::exp(p[power]),
          .power_by_row = std::exp(p[power_by_row])};
}

std::vector<MachineLaw::Answer> MachineLaw::at(const MachineRows& asked) const {
  constexpr std::size_t rows_at_once = 256;  // of each, a dozen numbers beside each row that is followed
  const auto count = static_cast<std::size_t>(asked.machines.size());
  std::vector<Answer> answers;
  for (std::size_t begin = 0; begin < count; begin += rows_at_once) {
    std::vector<std::size_t> which(std::min(rows_at_once, count - begin));
    std::iota(which.begin(), which.end(), begin);
    const auto rows = scaled(rows_of(asked, which));
    const MatrixXd across = covariance(pairs_of(rows_, rows), parameters_);
    const MatrixXd known = factor_.triangularView<Eigen::Lower>().solve(across);
    const VectorXd means = (across.transpose() * weights_ - log_speed(rows, parameters_)).array() + level_;
    for (Index i = 0; i < means.size(); ++i) {
      const double variance = variance_at(rows, i, parameters_) - known.col(i).squaredNorm();
      answers.push_back({means[i], std::sqrt(std::max(0.0, variance) + variance_of(parameters_[noise]))});
    }
  }
  return answers;
}

}  // namespace neph::predict
