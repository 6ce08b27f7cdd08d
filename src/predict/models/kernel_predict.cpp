#include "predict/models/kernel_predict.hpp"

#include <algorithm>
#include <map>

#include "predict/models/comparison.hpp"
#include "predict/models/wide_loops.hpp"

namespace neph::predict {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index most_kept = 4 << 20;  ///< numbers, of all groups that are kept

/// Below 0: the first row goes first. The last column counts first: the last numbers are those of a network,
/// whose rows share its level too.
template <class Matrix>
int order_in(const Matrix& all, std::size_t first, std::size_t second) {
  const auto a = static_cast<Index>(first), b = static_cast<Index>(second);
  for (Index j = all.cols(); j-- > 0;)
    if (all(a, j) != all(b, j)) return all(a, j) < all(b, j) ? -1 : 1;
  return 0;
}

/// Different numbers of points: points that differ in their levels alone are at one place, and share what
/// depends on the distance.
struct Places {
  MatrixXd numbers;          ///< places by numbers, in lengths
  std::vector<Index> point;  ///< place of each

  explicit Places(const MatrixXd& in_length) {
    std::map<std::vector<double>, Index> known;
    std::vector<Index> firsts;
    for (Index i = 0; i < in_length.rows(); ++i) {
      const auto row = in_length.row(i);
      const auto [found, is_new] = known.emplace(std::vector(row.begin(), row.end()), std::ssize(known));
      if (is_new) firsts.push_back(i);
      point.push_back(found->second);
    }
    numbers = in_length(firsts, Eigen::all);
  }
  Index count() const { return numbers.rows(); }
};

/// What is the same for all rows with the same levels.
struct Group {
  VectorXd smooth;  ///< of each place
  VectorXd slope;   ///< of each number
  double offset = 0;

  Group(const FeatureMatrix& points, const VectorXd& weights, const Kernel& kernel, const Places& places,
        const Eigen::RowVectorXi& levels) {
    const auto count = points.rows();
    ArrayXd parts = ArrayXd::Constant(count, squared(kernel.amplitude)),
            straight = ArrayXd::Constant(count, squared(kernel.slope));
    for (Index c = 0; c < levels.size(); ++c) {
      const auto& own = kernel.own[static_cast<std::size_t>(c)];
      for (Index i = 0; i < count; ++i) {
        if (levels[c] >= 0 && points.levels(i, c) == levels[c]) {
          straight[i] += squared(own.slope);
          offset += squared(own.offset) * weights[i];
        } else {
          parts[i] *= own.likeness();
        }
      }
    }
    slope = points.numbers.transpose() * (straight * weights.array()).matrix();
    smooth = VectorXd::Zero(places.count());
    for (Index i = 0; i < count; ++i)
      smooth[places.point[static_cast<std::size_t>(i)]] += parts[i] * weights[i];
  }
};

}  // namespace

void sort_by_features(std::vector<std::size_t>& rows, const FeatureMatrix& places) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    const int order = order_in(places.numbers, a, b);
    return order != 0 ? order < 0 : order_in(places.levels, a, b) < 0;
  });
}

VectorXd kernel_sums(const FeatureMatrix& points, const VectorXd& weights, const Kernel& kernel,
                     const FeatureMatrix& at) {
  const Places places(in_lengths(points.numbers, kernel));
  const auto in_length = in_lengths(at.numbers, kernel);
  std::map<std::vector<int>, Group> groups;
  VectorXd sums(at.rows()), matern(places.count()), unused(places.count());
  for (Index row = 0; row < sums.size(); ++row) {
    if (row == 0 || at.numbers.row(row) != at.numbers.row(row - 1)) {
      const VectorXd here = in_length.row(row);
      fastest_loops().compare(here.data(), places.numbers.data(), places.count(), places.count(), here.size(),
                              matern.data(), unused.data());
    }
    const Eigen::RowVectorXi levels = at.levels.row(row);
    std::vector<int> key(levels.begin(), levels.end());
    auto group = groups.find(key);
    if (group == groups.end()) {
      if (std::ssize(groups) * places.count() > most_kept) groups.clear();
      group = groups.emplace(std::move(key), Group(points, weights, kernel, places, levels)).first;
    }
    const auto& [smooth, slope, offset] = group->second;
    sums[row] = matern.dot(smooth) + at.numbers.row(row).dot(slope) + offset;
  }
  return sums;
}

}  // namespace neph::predict
