#include "predict/models/comparison.hpp"

#include "predict/models/wide_loops.hpp"

namespace neph::predict {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd in_lengths(const MatrixXd& numbers, const Kernel& kernel) {
  const auto lengths = Eigen::Map<const VectorXd>(kernel.lengths.data(), std::ssize(kernel.lengths));
  return numbers * (std::sqrt(5.0) * lengths.cwiseInverse()).asDiagonal();
}

Comparison::Comparison(const FeatureMatrix& rows, const Kernel& kernel)
    : rows_(rows),
      kernel_(kernel),
      scaled_(in_lengths(rows.numbers, kernel)),
      levels_(rows.levels.cast<double>()) {}

ArrayXd Comparison::have_level(const Comparison& at, Index category, Index row, Index first) const {
  const double level = at.levels_(row, category) < 0 ? std::nan("") : at.levels_(row, category);
  return levels_.col(category).tail(rows_.rows() - first).unaryExpr([level](double other) {
    return other == level ? 1.0 : 0.0;
  });
}

Compared Comparison::compare(const Comparison& at, Index row, Index first) const {
  const auto count = rows_.rows() - first;
  Compared all{ArrayXd(count), ArrayXd(count), ArrayXd::Constant(count, squared(kernel_.amplitude)),
               ArrayXd::Zero(count)};
  const VectorXd here = at.scaled_.row(row);
  fastest_loops().compare(here.data(), scaled_.data() + first, rows_.rows(), count, here.size(),
                          all.matern.data(), all.slope.data());
  ArrayXd straight = ArrayXd::Constant(count, squared(kernel_.slope));  // what x . x' is multiplied by
  for (Index c = 0; c < rows_.levels.cols(); ++c) {
    const auto& own = kernel_.own[static_cast<std::size_t>(c)];
    const auto same = have_level(at, c, row, first);
    all.covariance += squared(own.offset) * same;
    straight += squared(own.slope) * same;
    all.smooth *= own.likeness() + (1 - own.likeness()) * same;
  }
  const VectorXd products = rows_.numbers.bottomRows(count) * at.rows_.numbers.row(row).transpose();
  all.covariance += straight * products.array() + all.smooth * all.matern;
  return all;
}

}  // namespace neph::predict
