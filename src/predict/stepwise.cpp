#include "predict/stepwise.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>

#include "predict/linear.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// P(F > f) of an F distribution with 1 and so many degrees of freedom.
double probability_above(double f, double degrees) {
  return boost::math::ibeta(degrees / 2, 0.5, degrees / (degrees + f));
}

/// Products of columns and target, swept over the columns that were entered (Beaton, 1964; Goodnight, The
/// American Statistician 33(3), 1979): of those it has the inverse and coefficients, of the others what is
/// left.
class Regression {
 public:
  Regression(const MatrixXd& columns, const VectorXd& target) : rows_(target.size()) {
    MatrixXd all(columns.rows(), columns.cols() + 1);
    all << columns, target.array() - target.mean();
    const VectorXd lengths = all.colwise().norm();
    for (Index j = 0; j < all.cols(); ++j)
      if (lengths[j] > 0) all.col(j) /= lengths[j];
    products_ = MatrixXd::Zero(all.cols(), all.cols());
    products_.selfadjointView<Eigen::Lower>().rankUpdate(all.transpose());
    products_.triangularView<Eigen::StrictlyUpper>() = products_.transpose();
  }

  const std::vector<Index>& entered() const { return entered_; }
  /// The column that explains most of what is left, where its probability is below `entry`.
  std::optional<Index> to_enter(double entry, double tolerance) const {
    const double degrees = degrees_left() - 1;
    if (degrees < 1 || left() < exact) return std::nullopt;
    std::optional<Index> best;
    double most = 0;
    for (Index j = 0; j < target(); ++j) {
      if (is_in(j) || products_(j, j) < tolerance) continue;
      const double explained = products_(j, target()) * products_(j, target()) / products_(j, j);
      if (explained > most * (1 + rounding)) {
        most = explained;
        best = j;
      }
    }
    const double f = most >= left() ? infinite : most / (left() - most) * degrees;
    return best && probability_above(f, degrees) < entry ? best : std::nullopt;
  }
  /// The column that explains least, where its probability is above `removal`.
  std::optional<Index> to_remove(double removal) const {
    if (degrees_left() < 1 || left() < exact) return std::nullopt;
    std::optional<Index> worst;
    double least = infinite;
    for (const auto j : entered_) {
      const double explained = products_(j, target()) * products_(j, target()) / -products_(j, j);
      if (explained < least * (1 - rounding)) {
        least = explained;
        worst = j;
      }
    }
    return worst && probability_above(least / left() * degrees_left(), degrees_left()) > removal
               ? worst
               : std::nullopt;
  }
  void enter(Index column) {
    sweep(column, 1);
    entered_.push_back(column);
  }
  void remove(Index column) {
    sweep(column, -1);
    std::erase(entered_, column);
  }

 private:
  static constexpr double exact = 1e-14;    ///< less than this share of the variance is rounding
  static constexpr double rounding = 1e-9;  ///< of what is explained: less is no difference
  static constexpr double infinite = std::numeric_limits<double>::max();

  Index target() const { return products_.cols() - 1; }
  double left() const { return products_(target(), target()); }
  double degrees_left() const { return static_cast<double>(rows_ - 1 - std::ssize(entered_)); }
  bool is_in(Index column) const {
    return std::find(entered_.begin(), entered_.end(), column) != entered_.end();
  }
  /// The matrix stays symmetric: of entered columns it has minus the inverse. `sign`: -1 undoes it.
  void sweep(Index column, double sign) {
    const double pivot = products_(column, column);
    const VectorXd at = products_.col(column);
    products_.noalias() -= at * (at / pivot).transpose();
    products_.col(column) = sign * at / pivot;
    products_.row(column) = products_.col(column).transpose();
    products_(column, column) = -1 / pivot;
  }

  Index rows_;
  MatrixXd products_;  ///< the target's behind the columns'
  std::vector<Index> entered_;
};

}  // namespace

std::vector<Index> stepwise_columns(const MatrixXd& columns, const VectorXd& target,
                                    const StepwiseSettings& settings) {
  Regression regression(columns, target);
  for (Index steps = 0; steps < 4 * columns.cols(); ++steps) {
    const auto entered = regression.to_enter(settings.entry, settings.tolerance);
    if (!entered) break;
    regression.enter(*entered);
    while (const auto removed = regression.to_remove(settings.removal)) regression.remove(*removed);
  }
  return regression.entered();
}

FeatureSum fit_stepwise(const Inputs& whole, const VectorXd& log_target) {
  const auto products = products_up_to(2, whole);
  const auto rows = rows_for(products, whole);
  const auto inputs = rows_of(whole, rows);
  auto [times, sum] = times_of(rows_of(log_target, rows));
  if (rows.size() < 3) return sum;
  const auto all = standardised(products, inputs);
  const auto entered = stepwise_columns(all.columns, times);
  const MatrixXd chosen = all.columns(Eigen::all, entered);
  sum.slopes = ridge(chosen, times.array() - sum.level, VectorXd::Zero(chosen.cols()))
                   .cwiseQuotient(all.widths(entered));
  sum.centers = all.centers(entered);
  for (const auto j : entered) sum.features.push_back(all.features[static_cast<std::size_t>(j)]);
  return sum;
}

}  // namespace neph::predict
