// Rows as models see them: numbers, and categories as whole numbers.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace neph::predict {

inline double squared(double value) { return value * value; }

/// Levels: one column per category; -1: unseen.
struct FeatureMatrix {
  Eigen::MatrixXd numbers;  ///< rows by columns
  Eigen::MatrixXi levels;   ///< rows by category columns
  Eigen::Index rows() const { return numbers.rows(); }
};

/// In the order given. Of a matrix without columns nobody needs to have made rows.
template <class Matrix>
Matrix some_rows(const Matrix& all, std::span<const std::size_t> rows) {
  Matrix some(static_cast<Eigen::Index>(rows.size()), all.cols());
  if (all.cols() == 0) return some;
  for (Eigen::Index i = 0; i < some.rows(); ++i)
    some.row(i) = all.row(static_cast<Eigen::Index>(rows[static_cast<std::size_t>(i)]));
  return some;
}
FeatureMatrix rows_of(const FeatureMatrix& matrix, std::span<const std::size_t> rows);
Eigen::VectorXd rows_of(const Eigen::VectorXd& values, std::span<const std::size_t> rows);

/// All rows, or a draw of `most`: one of each of so many runs of neighbours, so that of rows that are sorted
/// some of all kinds are drawn. The same for the same number of rows. `staying`: rows, sorted, that any draw
/// has.
std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t most,
                                    const std::vector<std::size_t>& staying = {});

/// The same of the rows that are given, in their order.
std::vector<std::size_t> drawn_from(const std::vector<std::size_t>& rows, std::size_t most);

/// How many levels a category of the rows has: one more than the largest.
Eigen::Index level_count(const FeatureMatrix& matrix, Eigen::Index category);

/// How numbers are brought to mean 0 and deviation 1.
struct Scaling {
  Eigen::RowVectorXd center, width;
  static Scaling of(const Eigen::MatrixXd& numbers);
  FeatureMatrix apply(const FeatureMatrix& matrix) const;
};

}  // namespace neph::predict
