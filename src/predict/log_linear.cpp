#include "predict/log_linear.hpp"

#include "predict/level_factors.hpp"
#include "predict/linear.hpp"

namespace neph::predict {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd LogLinear::log_mean(const Places& places) const {
  const auto scaled = scaling.apply(places);
  VectorXd mean = VectorXd::Constant(scaled.numbers.rows(), level);
  for (Index j = 0; j < slopes.size(); ++j) mean += slopes[j] * scaled.numbers.col(j);
  for (std::size_t c = 0; c < factors.size(); ++c)
    for (Index i = 0; i < mean.size(); ++i)
      if (const int code = places.levels(i, static_cast<Index>(c)); code >= 0 && code < factors[c].size())
        mean[i] += factors[c][code];
  return mean;
}

LogLinear fit_log_linear(const Places& places, const VectorXd& log_target, double penalty) {
  LogLinear model{.scaling = Scaling::of(places.numbers), .level = log_target.mean()};
  const auto scaled = model.scaling.apply(places);
  const Index numbers = scaled.numbers.cols();
  std::vector<Index> counts;
  Index columns = numbers;
  for (Index c = 0; c < places.levels.cols(); ++c) {
    const Index count = places.levels.rows() == 0 ? 0 : places.levels.col(c).maxCoeff() + 1;
    counts.push_back(count > most_levels_with_factors ? 0 : std::max<Index>(0, count));
    columns += counts.back();
  }
  MatrixXd all = MatrixXd::Zero(log_target.size(), columns);
  all.leftCols(numbers) = scaled.numbers;
  Index begin = numbers;
  for (std::size_t c = 0; c < counts.size(); begin += counts[c++])
    for (Index i = 0; i < all.rows(); ++i)
      if (const int code = places.levels(i, static_cast<Index>(c)); code >= 0 && code < counts[c])
        all(i, begin + code) = 1;
  const VectorXd solution =
      ridge(all, log_target.array() - model.level, VectorXd::Constant(columns, penalty));
  model.slopes = solution.head(numbers);
  begin = numbers;
  for (const auto count : counts) {
    model.factors.emplace_back(solution.segment(begin, count));
    begin += count;
  }
  return model;
}

}  // namespace neph::predict
