// Columns that follow from several others together: GPUs from the degrees of three kinds of parallelism.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "table/table.hpp"

namespace neph::predict {

/// Sums of the columns' numbers, or of their logarithms, that are the same in all measured rows.
class Relations {
 public:
  /// By the eigenvectors of the standardised columns' products, their right singular vectors (Golub and Van
  /// Loan, Matrix Computations, 2.4), once of values and once of logarithms. None of a table with fewer than
  /// two rows for each column, where they would be chance. Columns with text, empty cells or one value are
  /// left out.
  explicit Relations(const table::Table& points);

  /// Whether all hold, as nearly as they do in the points, for a row put together from theirs: `taken_from`
  /// has for each column of the table the point whose value it has.
  bool hold(const std::vector<std::size_t>& taken_from) const;

 private:
  struct Sums {
    std::vector<std::size_t> columns;
    Eigen::MatrixXd values;    ///< points by those columns, standardised
    Eigen::MatrixXd weights;   ///< columns by sums, each of which is nearly 0 in all points
    Eigen::RowVectorXd slack;  ///< how far from 0 each may be
  };
  static Sums sums_of(const table::Table& points, bool logarithms);

  std::vector<Sums> all_;
};

}  // namespace neph::predict
