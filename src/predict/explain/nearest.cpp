// The measured points that a row is most like.
#include <algorithm>
#include <numeric>

#include "predict/ensemble/model.hpp"
#include "predict/ensemble/parallel.hpp"
#include "predict/models/kernel_predict.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Rows = std::vector<std::size_t>;

/// Points that differ from a combination of levels in the same number of categories.
struct Alike {
  Rows points;
  MatrixXd numbers;
};

std::vector<Alike> by_differing_categories(const Eigen::RowVectorXi& levels, const Eigen::MatrixXi& of_points,
                                           const MatrixXd& numbers) {
  std::vector<Alike> all(static_cast<std::size_t>(levels.size()) + 1);
  for (Index point = 0; point < numbers.rows(); ++point) {
    const auto differing = (of_points.row(point).array() != levels.array()).count();
    all[static_cast<std::size_t>(differing)].points.push_back(static_cast<std::size_t>(point));
  }
  for (auto& alike : all) alike.numbers = some_rows(numbers, alike.points);
  return all;
}

/// Adds those of the least distances until there are `count`, the first of equal ones first.
void add_least(const Alike& alike, const Eigen::RowVectorXd& numbers, std::size_t count, Rows& nearest) {
  const auto wanted = std::min(count - nearest.size(), alike.points.size());
  if (wanted == 0) return;
  Eigen::ArrayXd distances = Eigen::ArrayXd::Zero(alike.numbers.rows());
  for (Index j = 0; j < numbers.size(); ++j)
    distances += (alike.numbers.col(j).array() - numbers[j]).square();
  std::vector<std::pair<double, std::size_t>> least;
  for (Index i = 0; i < distances.size(); ++i) {
    if (least.size() == wanted && !(distances[i] < least.back().first)) continue;
    if (least.size() == wanted) least.pop_back();
    const std::pair here{distances[i], alike.points[static_cast<std::size_t>(i)]};
    least.insert(std::upper_bound(least.begin(), least.end(), here), here);
  }
  for (const auto& [distance, point] : least) nearest.push_back(point);
}

}  // namespace

Result<std::vector<Rows>> Model::nearest(const table::Table& rows, std::size_t count,
                                         std::size_t threads) const {
  table::Refusals refused, of_measured;
  NEPH_TRY(const auto places, design_.locate(rows, refused));
  refused.insert(rows.unread.begin(), rows.unread.end());
  NEPH_TRY(const auto measured, design_.locate(measured_.features, of_measured));
  const Eigen::RowVectorXd range = high_ - low_;
  const Eigen::RowVectorXd width =
      (range.array() > 0).select(range, 1);  // of a constant any distance is alike
  const MatrixXd points = measured.numbers.array().rowwise() / width.array();
  const MatrixXd asked = places.numbers.array().rowwise() / width.array();
  const auto& levels = places.levels;
  Rows order(rows.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_by_features(order, {MatrixXd(levels.rows(), 0), levels});  // by the levels alone
  const auto jobs = in_jobs(order);
  std::vector<Rows> all(rows.rows);
  share_out(jobs.size(), threads, "nearest", [&](std::size_t job) {
    std::vector<Alike> alike;
    for (std::size_t i = 0; i < jobs[job].size(); ++i) {
      const auto row = static_cast<Index>(jobs[job][i]);
      if (i == 0 || levels.row(row) != levels.row(static_cast<Index>(jobs[job][i - 1])))
        alike = by_differing_categories(levels.row(row), measured.levels, points);
      if (refused.contains(jobs[job][i])) continue;
      for (const auto& each : alike) add_least(each, asked.row(row), count, all[jobs[job][i]]);
    }
  });
  return all;
}

}  // namespace neph::predict
