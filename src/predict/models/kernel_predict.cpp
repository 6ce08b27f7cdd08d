#include "predict/models/kernel_predict.hpp"

#include <algorithm>
#include <map>

#include "predict/models/comparison.hpp"
#include "predict/models/wide_loops.hpp"

namespace neph::predict {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t most_kept = 4 << 20;  ///< numbers, of all groups that are kept

double squared(double value) { return value * value; }

/// Below 0: the first row goes first. The last column counts first: the last numbers are those of a network,
/// whose rows share its level too.
template <class Matrix>
int order_in(const Matrix& all, std::size_t first, std::size_t second) {
  const auto a = static_cast<Index>(first), b = static_cast<Index>(second);
  for (Index j = all.cols(); j-- > 0;)
    if (all(a, j) != all(b, j)) return all(a, j) < all(b, j) ? -1 : 1;
  return 0;
}

}  // namespace

void sort_by_features(std::vector<std::size_t>& rows, const FeatureMatrix& places) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    const int order = order_in(places.numbers, a, b);
    return order != 0 ? order < 0 : order_in(places.levels, a, b) < 0;
  });
}

/// What is the same for all rows with the same levels.
struct KernelPredictor::Group {
  VectorXd smooth;  ///< of each place
  VectorXd slope;   ///< of each number
  double offset = 0;
};

KernelPredictor::KernelPredictor(const FeatureMatrix& points, const VectorXd& weights, const Kernel& kernel)
    : points_(points), weights_(weights), kernel_(kernel) {
  const auto numbers = in_lengths(points.numbers, kernel);
  std::map<std::vector<double>, Index> known;
  std::vector<Index> firsts;
  for (Index i = 0; i < numbers.rows(); ++i) {
    const auto row = numbers.row(i);
    const auto [found, is_new] = known.emplace(std::vector(row.begin(), row.end()), std::ssize(known));
    if (is_new) firsts.push_back(i);
    place_of_.push_back(found->second);
  }
  by_place_ = numbers(firsts, Eigen::all);
}

KernelPredictor::Group KernelPredictor::group_of(const Eigen::RowVectorXi& levels) const {
  const auto count = points_.rows();
  ArrayXd smooth = ArrayXd::Constant(count, squared(kernel_.amplitude)),
          straight = ArrayXd::Constant(count, squared(kernel_.slope)), offset = ArrayXd::Zero(count);
  for (Index c = 0; c < levels.size(); ++c) {
    const auto& own = kernel_.own[static_cast<std::size_t>(c)];
    for (Index i = 0; i < count; ++i) {
      if (levels[c] >= 0 && points_.levels(i, c) == levels[c]) {
        straight[i] += squared(own.slope);
        offset[i] += squared(own.offset);
      } else {
        smooth[i] *= own.likeness();
      }
    }
  }
  Group group{.smooth = VectorXd::Zero(places()),
              .slope = points_.numbers.transpose() * (straight * weights_.array()).matrix(),
              .offset = offset.matrix().dot(weights_)};
  for (Index i = 0; i < count; ++i)
    group.smooth[place_of_[static_cast<std::size_t>(i)]] += smooth[i] * weights_[i];
  return group;
}

VectorXd KernelPredictor::at(const FeatureMatrix& scaled) const {
  const auto in_length = in_lengths(scaled.numbers, kernel_);
  std::map<std::vector<int>, Group> groups;
  VectorXd sums(scaled.rows()), matern(places()), unused(places());
  for (Index row = 0; row < sums.size(); ++row) {
    if (row == 0 || scaled.numbers.row(row) != scaled.numbers.row(row - 1)) {
      const VectorXd here = in_length.row(row);
      fastest_loops().compare(here.data(), by_place_.data(), places(), places(), here.size(), matern.data(),
                              unused.data());
    }
    const Eigen::RowVectorXi levels = scaled.levels.row(row);
    std::vector<int> key(levels.begin(), levels.end());
    auto group = groups.find(key);
    if (group == groups.end()) {
      if (groups.size() * static_cast<std::size_t>(places()) > most_kept) groups.clear();
      group = groups.emplace(std::move(key), group_of(levels)).first;
    }
    const auto& [smooth, slope, offset] = group->second;
    sums[row] = matern.dot(smooth) + scaled.numbers.row(row).dot(slope) + offset;
  }
  return sums;
}

}  // namespace neph::predict
