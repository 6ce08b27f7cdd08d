#include "predict/models/comparison.hpp"

#include <cmath>
#include <limits>

namespace neph::predict {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

const double root5 = std::sqrt(5.0);

double squared(double value) { return value * value; }

}  // namespace

ComparedRows::ComparedRows(const FeatureMatrix& places)
    : numbers(places.numbers), levels(places.levels.cast<double>()) {
  for (auto& level : levels.reshaped())
    if (level < 0) level = std::numeric_limits<double>::quiet_NaN();
}

void keep_same(const ComparedRows& rows, Index category, double level, Eigen::Ref<const ArrayXd> values,
               Eigen::Ref<ArrayXd> kept) {
  const double* levels = rows.levels.col(category).data() + rows.count() - values.size();
  const double* from = values.data();
  double* to = kept.data();
  for (Index i = 0; i < values.size(); ++i) to[i] = levels[i] == level ? from[i] : 0;
}

Comparison::Comparison(const ComparedRows& rows, const Kernel& kernel) : rows_(rows), kernel_(kernel) {
  for (auto* column :
       {&squares_, &products_, &smooth_, &straight_, &distances_, &decays_, &matern_, &slope_, &covariance_})
    column->resize(rows.count());
}

void Comparison::compare(const ComparedRows& at, Index row, Index first) {
  first_ = first;
  count_ = rows_.count() - first;
  measure(at, row);
  add_levels(at, row);
  const auto squares = squares_.head(count_), s = distances_.head(count_), decays = decays_.head(count_);
  distances_.head(count_) = root5 * squares.sqrt();
  decays_.head(count_) = (-s).exp();
  matern_.head(count_) = (1 + s + 5.0 / 3 * squares) * decays;
  slope_.head(count_) = (-5.0 / 6) * (1 + s) * decays;
  covariance_.head(count_) += smooth_.head(count_) * matern_.head(count_);
}

/// Squares of distances, and products.
void Comparison::measure(const ComparedRows& at, Index row) {
  squares_.head(count_).setZero();
  products_.head(count_).setZero();
  for (Index j = 0; j < rows_.numbers.cols(); ++j) {
    const auto there = rows_.numbers.col(j).tail(count_).array();
    const double here = at.numbers(row, j);
    squares_.head(count_) +=
        (there - here).square() * (1 / squared(kernel_.lengths[static_cast<std::size_t>(j)]));
    products_.head(count_) += there * here;
  }
}

/// What levels make of the smooth part, and what rows of the same level have in common beside it.
void Comparison::add_levels(const ComparedRows& at, Index row) {
  double* smooth = smooth_.data();
  double* straight = straight_.data();
  double* covariance = covariance_.data();
  smooth_.head(count_).setConstant(squared(kernel_.amplitude));
  straight_.head(count_).setConstant(squared(kernel_.slope));
  covariance_.head(count_).setZero();
  for (Index c = 0; c < rows_.levels.cols(); ++c) {
    const auto& own = kernel_.own[static_cast<std::size_t>(c)];
    const double offset = squared(own.offset), slope = squared(own.slope), likeness = own.likeness();
    const double* levels = rows_.levels.col(c).data() + first_;
    const double level = at.levels(row, c);
    for (Index i = 0; i < count_; ++i) {
      const bool same = levels[i] == level;
      covariance[i] += same ? offset : 0;
      straight[i] += same ? slope : 0;
      smooth[i] *= same ? 1 : likeness;
    }
  }
  covariance_.head(count_) += straight_.head(count_) * products_.head(count_);
}

}  // namespace neph::predict
