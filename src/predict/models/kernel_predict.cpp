#include "predict/models/kernel_predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index lanes = 32;  ///< different numbers of rows that are compared with all places together
constexpr std::size_t rows_of_a_sum = 8;    ///< that a sum over places should serve, or it takes too long
constexpr std::size_t most_kept = 4 << 20;  ///< numbers, of all groups that are kept
constexpr double root5 = 2.23606797749978969641;

/// Of lanes (rows) and places (columns): the Matern parts of squares of scaled distances.
void to_matern(Eigen::Array<double, lanes, Eigen::Dynamic>& squares) {
  for (Index place = 0; place < squares.cols(); ++place) {
    auto column = squares.col(place);
    const Eigen::Array<double, lanes, 1> s = column.sqrt();
    column = (1 + s + column * (1.0 / 3)) * (-s).exp();
  }
}

using Rows = std::vector<std::size_t>;

/// Below 0: the first row goes first. The last column counts first: the last numbers are those of a network,
/// whose rows share its level too.
template <class Matrix>
int order_in(const Matrix& all, std::size_t first, std::size_t second) {
  const auto a = static_cast<Index>(first), b = static_cast<Index>(second);
  for (Index j = all.cols(); j-- > 0;)
    if (all(a, j) != all(b, j)) return all(a, j) < all(b, j) ? -1 : 1;
  return 0;
}

template <class First, class Second>
void sort_by(const First& first, const Second& second, Rows& rows) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    const int order = order_in(first, a, b);
    return order != 0 ? order < 0 : order_in(second, a, b) < 0;
  });
}

/// Whether so many rows in the order of their numbers share these, and levels with those around them, that
/// what is compared once is added up for several.
bool share_numbers(const Rows& rows, const FeatureMatrix& places) {
  Index different = 0;
  std::size_t combinations = 0;
  std::set<std::vector<int>> of_tile;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || order_in(places.numbers, rows[i - 1], rows[i]) != 0) {
      if (different++ % lanes == 0) of_tile.clear();
    }
    const Eigen::RowVectorXi levels = places.levels.row(static_cast<Index>(rows[i]));
    if (of_tile.emplace(levels.begin(), levels.end()).second) ++combinations;
  }
  return 2 * different <= std::ssize(rows) && rows_of_a_sum * combinations <= rows.size();
}

}  // namespace

void sort_by_features(Rows& rows, const FeatureMatrix& places) {
  sort_by(places.numbers, places.levels, rows);
  if (!share_numbers(rows, places)) sort_by(places.levels, places.numbers, rows);
}

/// What is the same for all rows with the same levels.
struct KernelPredictor::Group {
  VectorXd smooth;  ///< of each place
  VectorXd slope;   ///< of each number
  double offset = 0;
};

KernelPredictor::KernelPredictor(const FeatureMatrix& points, const VectorXd& weights, const Kernel& kernel)
    : points_(points),
      weights_(weights),
      kernel_(kernel),
      by_point_(points.numbers.transpose()),
      with_level_(static_cast<std::size_t>(points.levels.cols())),
      scale_(points.numbers.cols()) {
  for (Index j = 0; j < scale_.size(); ++j) scale_[j] = root5 / kernel.lengths[static_cast<std::size_t>(j)];
  const auto count = points.numbers.rows(), numbers = points.numbers.cols();
  by_place_.resize(numbers, count);
  std::unordered_map<std::string, Index> known;  // by the bytes of the numbers
  std::string bytes(static_cast<std::size_t>(numbers) * sizeof(double), '\0');
  VectorXd here(numbers);
  for (Index i = 0; i < count; ++i) {
    here = points.numbers.row(i).transpose().cwiseProduct(scale_);
    if (numbers > 0) std::memcpy(bytes.data(), here.data(), bytes.size());
    const auto place = known.emplace(bytes, std::ssize(known)).first->second;
    by_place_.col(place) = here;
    place_of_.push_back(place);
  }
  by_place_.conservativeResize(Eigen::NoChange, std::ssize(known));
  for (Index c = 0; c < points.levels.cols(); ++c)
    for (Index i = 0; i < count; ++i)
      if (points.levels(i, c) >= 0)
        with_level_[static_cast<std::size_t>(c)][points.levels(i, c)].push_back(i);
}

KernelPredictor::Group KernelPredictor::group_of(const Eigen::RowVectorXi& levels) const {
  const auto count = points_.numbers.rows(), numbers = points_.numbers.cols();
  const auto squared = [](double value) { return value * value; };
  double unlike = squared(kernel_.amplitude);  // where no level is the same
  for (const auto& own : kernel_.own) unlike *= own.likeness();
  VectorXd smooth = VectorXd::Constant(count, unlike),
           straight = VectorXd::Constant(count, squared(kernel_.slope)), offset = VectorXd::Zero(count);
  for (Index c = 0; c < levels.size(); ++c) {
    const auto& own = kernel_.own[static_cast<std::size_t>(c)];
    const auto alike = with_level_[static_cast<std::size_t>(c)].find(levels[c]);
    if (alike == with_level_[static_cast<std::size_t>(c)].end()) continue;
    for (const auto i : alike->second) {
      smooth[i] /= own.likeness();
      straight[i] += squared(own.slope);
      offset[i] += squared(own.offset);
    }
  }
  Group group{.smooth = VectorXd::Zero(places()), .slope = VectorXd::Zero(numbers)};
  for (Index i = 0; i < count; ++i) {  // all sums at once: one alone waits for each of its additions
    group.smooth[place_of_[static_cast<std::size_t>(i)]] += smooth[i] * weights_[i];
    group.slope += (straight[i] * weights_[i]) * by_point_.col(i);
    group.offset += offset[i] * weights_[i];
  }
  return group;
}

/// What was made for some levels is kept for the next rows with them.
class KernelPredictor::Groups {
 public:
  explicit Groups(const KernelPredictor& all) : all_(all) {}
  const Group& of(const Eigen::RowVectorXi& levels) {
    std::vector<int> key(levels.begin(), levels.end());
    const auto found = kept_.find(key);
    if (found != kept_.end()) return found->second;
    if (kept_.size() * static_cast<std::size_t>(all_.places()) > most_kept) kept_.clear();
    return kept_.emplace(std::move(key), all_.group_of(levels)).first->second;
  }

 private:
  const KernelPredictor& all_;
  std::map<std::vector<int>, Group> kept_;
};

/// Rows that stand one behind the other. Those with the same numbers share a lane.
class KernelPredictor::Tile {
 public:
  explicit Tile(const KernelPredictor& all)
      : all_(all), here_(Lanes::Zero(lanes, all.by_place_.rows())), parts_(lanes, all.places()) {}

  /// Takes as many rows from `begin` on as there are lanes for, and gives the first that is left.
  Index take(const FeatureMatrix& at, Index begin) {
    rows_.clear();
    Index row = begin;
    for (Index lane = -1; row < at.numbers.rows(); ++row) {
      if (lane < 0 || at.numbers.row(row) != at.numbers.row(row - 1)) {
        if (++lane == lanes) break;
        here_.row(lane) = (at.numbers.row(row).transpose().cwiseProduct(all_.scale_)).transpose().array();
      }
      rows_.push_back({row, lane});
    }
    parts_.setZero();
    for (Index place = 0; place < all_.places(); ++place)
      for (Index j = 0; j < here_.cols(); ++j)
        parts_.col(place) += (here_.col(j) - all_.by_place_(j, place)).square();
    to_matern(parts_);
    return row;
  }

  void add_sums(const FeatureMatrix& at, Groups& groups, VectorXd& sums) {
    sort_by_levels(at.levels);
    const Group* group = nullptr;
    Index before = 0;
    for (const auto& [row, lane] : rows_) {
      if (!group || at.levels.row(row) != at.levels.row(before)) {
        group = &groups.of(at.levels.row(row));
        sums_ = parts_.matrix() * group->smooth;
      }
      before = row;
      double straight = group->offset;
      for (Index j = 0; j < here_.cols(); ++j) straight += group->slope[j] * at.numbers(row, j);
      sums[row] = sums_[lane] + straight;
    }
  }

 private:
  struct Row {
    Index row, lane;
  };
  void sort_by_levels(const Eigen::MatrixXi& levels) {
    std::sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
      for (Index c = 0; c < levels.cols(); ++c)
        if (levels(a.row, c) != levels(b.row, c)) return levels(a.row, c) < levels(b.row, c);
      return a.row < b.row;
    });
  }

  using Lanes = Eigen::Array<double, lanes, Eigen::Dynamic>;
  const KernelPredictor& all_;
  Lanes here_, parts_;  ///< lanes by numbers, lanes by places
  Eigen::Matrix<double, lanes, 1> sums_;
  std::vector<Row> rows_;
};

VectorXd KernelPredictor::at(const FeatureMatrix& scaled) const {
  VectorXd sums(scaled.numbers.rows());
  Groups groups(*this);
  Tile tile(*this);
  for (Index begin = 0; begin < sums.size();) {
    begin = tile.take(scaled, begin);
    tile.add_sums(scaled, groups, sums);
  }
  return sums;
}

}  // namespace neph::predict
