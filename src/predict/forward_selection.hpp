// Sequential forward selection: again and again the column is added with which a ridge regression predicts
// parts of the rows best from the others (Whitney, A direct method of nonparametric measurement selection,
// IEEE Trans. Computers C-20(9), 1971; the wrapper approach of Kohavi and John, Artificial Intelligence
// 97(1-2), 1997).
//
// What is learned from rows - means, deviations, coefficients - is learned from those that are kept, fold by
// fold: that is, every error is that of rows that nothing was learned from.
//
// Nothing is fitted again for a candidate. Each fold has its Cholesky factorization over the chosen columns
// and for every column what it leaves of it; one more column is one more row of the factor, and a candidate's
// error then follows from two dot products (orthogonal least squares: Chen, Billings, Luo, Int. J. Control
// 50(5), 1989; of ridge: Chen, Chng, Alkadhimi, Int. J. Control 64(5), 1996).
//
// Cost: for n rows, p columns and k of them chosen 4 n p k multiplications and as many additions, k^2 p a
// fold, and one copy of the columns. No way can do with less than n p k: which column is chosen, and with it
// the products of one column with all others that are needed, is known only step by step.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace neph::predict {

struct Selection {
  std::vector<Eigen::Index> order;  ///< columns as they were chosen
  std::vector<double> errors;       ///< with that many of them: mean over folds of the mean squared error

  /// Chosen columns with which the error is least, the fewest of those with the same.
  std::size_t best() const;
  /// With those; infinite where there is no column.
  double least_error() const;
};

/// `columns`: rows by columns, none of which dwarfs another (standardised over all rows; each fold does so
/// again over its own). `folds`: of each row, 0 to one less than there are. `penalty`: of the squared
/// coefficients of standardised columns, above 0; the mean is free. Of columns that are equally good to
/// rounding the first is chosen. The same for the same numbers.
Selection select_forward(const Eigen::MatrixXd& columns, const Eigen::VectorXd& target,
                         const std::vector<int>& folds, double penalty, Eigen::Index most);

}  // namespace neph::predict
