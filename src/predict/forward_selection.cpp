#include "predict/forward_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Where the rows of a fold lie among those sorted by fold.
struct Range {
  Index begin = 0, count = 0;
};

/// One fold: what its regression, learned from the other rows, leaves of it.
class Fold {
 public:
  Fold(const MatrixXd& columns, const VectorXd& target, Range held_out, double penalty, Index most)
      : penalty_(penalty), kept_(static_cast<double>(target.size() - held_out.count)) {
    const auto held = [&](const auto& all) { return all.middleRows(held_out.begin, held_out.count); };
    const Index after = held_out.begin + held_out.count, behind = target.size() - after;
    const auto over_kept = [&](const auto& of_part) {
      return VectorXd(of_part(Index{0}, held_out.begin) + of_part(after, behind));
    };
    means_ = over_kept([&](Index begin, Index count) {
               return VectorXd(columns.middleRows(begin, count).colwise().sum().transpose());
             }) /
             kept_;
    widths_ = (over_kept([&](Index begin, Index count) {
                 return VectorXd((columns.middleRows(begin, count).rowwise() - means_.transpose())
                                     .colwise()
                                     .squaredNorm()
                                     .transpose());
               }) /
               kept_)
                  .cwiseSqrt();
    const double target_mean = (target.head(held_out.begin).sum() + target.tail(behind).sum()) / kept_;
    moments_ = over_kept([&](Index begin, Index count) {
      return VectorXd(columns.middleRows(begin, count).transpose() *
                      (target.segment(begin, count).array() - target_mean).matrix());
    });
    pivots_.resize(columns.cols());
    for (Index j = 0; j < columns.cols(); ++j) {
      is_flat_.push_back(!(widths_[j] > flat));
      if (is_flat_.back()) widths_[j] = 1;
      pivots_[j] = penalty + (is_flat_.back() ? 0 : kept_);
      moments_[j] = is_flat_.back() ? 0 : moments_[j] / widths_[j];
    }
    left_ = (held(columns).rowwise() - means_.transpose()) * widths_.cwiseInverse().asDiagonal();
    rest_ = held(target).array() - target_mean;
    factor_.resize(most, columns.cols());
    look();
  }

  /// Mean squared error of the held-out rows as it is.
  double error() const { return rest_.squaredNorm() / static_cast<double>(rest_.size()); }
  /// The same, of each column if it were chosen too.
  VectorXd errors() const {
    const VectorXd coefficients = moments_.cwiseQuotient(pivots_);
    return ((rest_.squaredNorm() - 2 * coefficients.array() * agreement_.array() +
             coefficients.array().square() * squares_.array()) /
            static_cast<double>(rest_.size()))
        .max(0);
  }

  /// `products`: of that column with each, summed over the rows that are kept.
  void choose(Index chosen, const VectorXd& products) {
    const double root = std::sqrt(pivots_[chosen]);
    VectorXd row = VectorXd::Zero(products.size());
    if (!is_flat_[static_cast<std::size_t>(chosen)])
      row = (products - kept_ * means_[chosen] * means_).cwiseQuotient(widths_) / widths_[chosen];
    for (Index j = 0; j < row.size(); ++j)
      if (is_flat_[static_cast<std::size_t>(j)]) row[j] = 0;
    row -= factor_.topRows(count_).transpose() * factor_.col(chosen).head(count_);
    row /= root;
    const double coefficient = moments_[chosen] / root;
    const VectorXd direction = left_.col(chosen) / root;
    factor_.row(count_++) = row.transpose();
    moments_ -= coefficient * row;
    pivots_ = (pivots_ - row.cwiseAbs2()).cwiseMax(penalty_);
    rest_ -= coefficient * direction;
    for (Index j = 0; j < left_.cols(); ++j) left_.col(j) -= row[j] * direction;
    look();
  }

 private:
  static constexpr double flat = 1e-9;  ///< a deviation that is rounding

  void look() {
    agreement_ = left_.transpose() * rest_;
    squares_ = left_.colwise().squaredNorm().transpose();
  }

  double penalty_, kept_;
  VectorXd means_, widths_;  ///< of each column, over the rows that are kept
  std::vector<bool> is_flat_;
  MatrixXd factor_;   ///< of the chosen columns' penalised products: chosen by columns
  Index count_ = 0;   ///< chosen
  VectorXd moments_;  ///< of what is left of each column with what is left of the target, over kept rows
  VectorXd pivots_;   ///< square of what is left of each column, over kept rows, and the penalty
  MatrixXd left_;     ///< what is left of each column in the held-out rows
  VectorXd rest_;     ///< and of the target there
  VectorXd agreement_, squares_;  ///< of left_ with rest_ and itself
};

/// Columns' products over the rows of each fold.
class Products {
 public:
  Products(const MatrixXd& columns, const std::vector<Range>& folds) : columns_(columns), folds_(folds) {}
  /// Of one column with each: columns by folds, summed over the rows outside of that fold.
  MatrixXd outside(Index column) const {
    MatrixXd inside(columns_.cols(), std::ssize(folds_));
    for (Index f = 0; f < inside.cols(); ++f) {
      const auto [begin, count] = folds_[static_cast<std::size_t>(f)];
      inside.col(f).noalias() =
          columns_.middleRows(begin, count).transpose() * columns_.col(column).segment(begin, count);
    }
    MatrixXd others = MatrixXd::Zero(inside.rows(), inside.cols());
    for (Index f = 0; f < inside.cols(); ++f)
      for (Index other = 0; other < inside.cols(); ++other)
        if (other != f) others.col(f) += inside.col(other);
    return others;
  }

 private:
  const MatrixXd& columns_;
  const std::vector<Range>& folds_;
};

/// The first whose error is below all others' by more than rounding.
Index least(const VectorXd& errors, double now, const std::vector<bool>& is_chosen) {
  Index best = -1;
  for (Index j = 0; j < errors.size(); ++j) {
    if (is_chosen[static_cast<std::size_t>(j)]) continue;
    if (best < 0 || errors[j] < errors[best] * (1 - 1e-9) - 1e-14 * now) best = j;
  }
  return best;
}

}  // namespace

std::size_t Selection::best() const {
  const auto least = std::min_element(errors.begin(), errors.end());
  return least == errors.end() ? 0 : static_cast<std::size_t>(least - errors.begin()) + 1;
}

double Selection::least_error() const {
  return errors.empty() ? std::numeric_limits<double>::infinity() : errors[best() - 1];
}

Selection select_forward(const MatrixXd& columns, const VectorXd& target, const std::vector<int>& folds,
                         double penalty, Index most) {
  std::vector<Index> order(folds.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return folds[static_cast<std::size_t>(a)] < folds[static_cast<std::size_t>(b)];
  });
  const MatrixXd sorted = columns(order, Eigen::all);
  const VectorXd sorted_target = target(order);
  std::vector<Range> ranges(
      folds.empty() ? 0 : static_cast<std::size_t>(*std::max_element(folds.begin(), folds.end())) + 1);
  for (const int fold : folds) ++ranges[static_cast<std::size_t>(fold)].count;
  for (std::size_t f = 1; f < ranges.size(); ++f) ranges[f].begin = ranges[f - 1].begin + ranges[f - 1].count;

  most = std::min(most, columns.cols());
  std::vector<Fold> all;
  all.reserve(ranges.size());
  for (const auto& range : ranges) all.emplace_back(sorted, sorted_target, range, penalty, most);
  const auto mean_over_folds = [&](auto of_fold, auto sum) {
    for (const auto& fold : all) sum += of_fold(fold);
    return decltype(sum)(sum / static_cast<double>(all.size()));
  };
  const Products products(sorted, ranges);
  std::vector<bool> is_chosen(static_cast<std::size_t>(columns.cols()), false);
  Selection selection;
  for (Index step = 0; step < most; ++step) {
    const double now = mean_over_folds([](const Fold& fold) { return fold.error(); }, 0.0);
    const auto chosen = least(mean_over_folds([](const Fold& fold) { return fold.errors(); },
                                              VectorXd(VectorXd::Zero(columns.cols()))),
                              now, is_chosen);
    const auto outside = products.outside(chosen);
    for (std::size_t f = 0; f < all.size(); ++f) all[f].choose(chosen, outside.col(static_cast<Index>(f)));
    is_chosen[static_cast<std::size_t>(chosen)] = true;
    selection.order.push_back(chosen);
    selection.errors.push_back(mean_over_folds([](const Fold& fold) { return fold.error(); }, 0.0));
  }
  return selection;
}

}  // namespace neph::predict
