#include "predict/lattuada.hpp"

#include <limits>
#include <numeric>

#include "core/random.hpp"
#include "predict/forward_selection.hpp"
#include "predict/linear.hpp"

namespace neph::predict {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<int> drawn_folds(std::size_t rows, int folds) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(1);
  shuffle(order, random);
  std::vector<int> all(rows);
  for (std::size_t i = 0; i < rows; ++i)
    all[order[i]] = static_cast<int>(i % static_cast<std::size_t>(folds));
  return all;
}

FeatureSum fit_lattuada(const Inputs& whole, const VectorXd& log_target, const LattuadaSettings& settings) {
  const auto rows = rows_for(products_up_to(settings.degree, whole), whole);
  return fit_lattuada(rows_of(whole, rows), rows_of(log_target, rows),
                      drawn_folds(rows.size(), std::min(settings.folds, static_cast<int>(rows.size()))),
                      settings);
}

FeatureSum fit_lattuada(const Inputs& inputs, const VectorXd& log_target, const std::vector<int>& folds,
                        const LattuadaSettings& settings) {
  auto [times, sum] = times_of(log_target);
  if (times.size() < 2) return sum;
  const auto all = standardised(products_up_to(settings.degree, inputs), inputs);
  const auto most = std::min<Index>(times.size() - 1, static_cast<Index>(settings.most_chosen));
  Selection best;
  double penalty = 0, least = std::numeric_limits<double>::infinity();
  for (const double tried : settings.penalties) {
    auto selection = select_forward(all.columns, times, folds, tried, most);
    if (!(selection.least_error() < least)) continue;
    least = selection.least_error();
    penalty = tried;
    best = std::move(selection);
  }
  best.order.resize(best.best());
  const MatrixXd chosen = all.columns(Eigen::all, best.order);
  sum.slopes = ridge(chosen, times.array() - sum.level, VectorXd::Constant(chosen.cols(), penalty))
                   .cwiseQuotient(all.widths(best.order));
  sum.centers = all.centers(best.order);
  for (const auto j : best.order) sum.features.push_back(all.features[static_cast<std::size_t>(j)]);
  return sum;
}

}  // namespace neph::predict
