#include "predict/kernel_sum.hpp"

#include <array>
#include <cmath>

#include "predict/steady_math.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index rows_at_once = 32;
constexpr double root5 = 2.23606797749978969641;

/// Rows that are compared with all points together.
struct Tile {
  const double* points;      ///< of each point its numbers
  const double* smooth;      ///< of each point what its Matern part is multiplied by
  Index count, numbers;      ///< of points, and of numbers of each
  std::vector<double> here;  ///< of each number those of the rows
  std::array<double, rows_at_once> sums{};
};

/// The loops over rows are what the compiler makes wide instructions of; every row has its own sums, so that
/// their width changes no bit.
[[gnu::always_inline]] inline void compare(Tile& tile) {
  std::array<double, rows_at_once> squares, sums = tile.sums;
  for (Index i = 0; i < tile.count; ++i) {
    const double* point = tile.points + i * tile.numbers;
    const double* here = tile.here.data();
    squares.fill(0);
    for (Index j = 0; j < tile.numbers; ++j, here += rows_at_once) {
      const double there = point[j];
      for (std::size_t k = 0; k < rows_at_once; ++k) squares[k] += (there - here[k]) * (there - here[k]);
    }
    const double smooth = tile.smooth[i];
    for (std::size_t k = 0; k < rows_at_once; ++k) {
      const double s = root5 * std::sqrt(squares[k]);
      sums[k] += smooth * ((1 + s + 5.0 / 3 * squares[k]) * steady::exp_within(-s));
    }
  }
  tile.sums = sums;
}

using Compare = void (*)(Tile&);
void compare_anywhere(Tile& tile) { compare(tile); }
#ifdef __x86_64__
[[gnu::target("avx2")]] void compare_by_4(Tile& tile) { compare(tile); }
[[gnu::target("avx512f,avx512dq")]] void compare_by_8(Tile& tile) { compare(tile); }

Compare widest(int most_lanes) {
  if (most_lanes >= 8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return compare_by_8;
  return most_lanes >= 4 && __builtin_cpu_supports("avx2") ? compare_by_4 : compare_anywhere;
}
#else
Compare widest(int) { return compare_anywhere; }
#endif

/// The same order of additions everywhere.
double steady_sum(const VectorXd& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

/// What is the same for all rows with the same levels.
struct KernelSum::Group {
  VectorXd smooth;  ///< of each point
  VectorXd slope;   ///< of each number
  double offset = 0;
};

/// Rows from `begin` to before `end`, all with the same levels.
struct KernelSum::Rows {
  const Places& at;
  Index begin, end;
  Compare compare;
};

KernelSum::KernelSum(const Places& points, const VectorXd& weights, const Kernel& kernel)
    : points_(points), weights_(weights), kernel_(kernel), by_point_(points.numbers.transpose()) {
  for (Index j = 0; j < by_point_.rows(); ++j)
    by_point_.row(j) /= kernel.lengths[static_cast<std::size_t>(j)];
}

KernelSum::Group KernelSum::group_of(const Eigen::RowVectorXi& levels) const {
  const auto count = points_.numbers.rows();
  Group group{.smooth = VectorXd::Constant(count, kernel_.amplitude * kernel_.amplitude),
              .slope = VectorXd::Zero(points_.numbers.cols())};
  VectorXd straight = VectorXd::Constant(count, kernel_.slope * kernel_.slope),
           offset = VectorXd::Zero(count);
  for (Index c = 0; c < levels.size(); ++c) {
    const auto& own = kernel_.own[static_cast<std::size_t>(c)];
    if (levels[c] < 0) continue;
    for (Index i = 0; i < count; ++i) {
      if (points_.levels(i, c) != levels[c]) continue;
      group.smooth[i] += own.amplitude * own.amplitude;
      straight[i] += own.slope * own.slope;
      offset[i] += own.offset * own.offset;
    }
  }
  group.smooth.array() *= weights_.array();
  straight.array() *= weights_.array();
  group.offset = steady_sum(offset.cwiseProduct(weights_));
  for (Index j = 0; j < group.slope.size(); ++j)
    group.slope[j] = steady_sum(straight.cwiseProduct(points_.numbers.col(j)));
  return group;
}

void KernelSum::add(const Group& group, const Rows& all, VectorXd& sums) const {
  const auto numbers = points_.numbers.cols();
  Tile tile{by_point_.data(), group.smooth.data(), points_.numbers.rows(), numbers,
            std::vector<double>(static_cast<std::size_t>(numbers * rows_at_once))};
  for (Index first = all.begin; first < all.end; first += rows_at_once) {
    const auto rows = std::min(rows_at_once, all.end - first);
    for (Index j = 0; j < numbers; ++j)
      for (Index k = 0; k < rows_at_once; ++k)  // behind the last row the last one again
        tile.here[static_cast<std::size_t>(j * rows_at_once + k)] =
            all.at.numbers(first + std::min(k, rows - 1), j) / kernel_.lengths[static_cast<std::size_t>(j)];
    tile.sums.fill(0);
    all.compare(tile);
    for (Index k = 0; k < rows; ++k) {
      double sum = tile.sums[static_cast<std::size_t>(k)] + group.offset;
      for (Index j = 0; j < numbers; ++j) sum += group.slope[j] * all.at.numbers(first + k, j);
      sums[first + k] = sum;
    }
  }
}

VectorXd KernelSum::at(const Places& scaled, int most_lanes) const {
  VectorXd sums = VectorXd::Zero(scaled.numbers.rows());
  for (Index begin = 0, end = 0; begin < sums.size(); begin = end) {
    const Eigen::RowVectorXi levels = scaled.levels.row(begin);
    for (end = begin + 1; end < sums.size() && scaled.levels.row(end) == levels; ++end) {
    }
    add(group_of(levels), {scaled, begin, end, widest(most_lanes)}, sums);
  }
  return sums;
}

}  // namespace neph::predict
