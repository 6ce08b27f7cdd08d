#include "predict/kernel_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_map>

#include "predict/steady_math.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index lanes = 32;  ///< rows that are compared with all places together
constexpr double root5 = 2.23606797749978969641;

/// What is compared, one behind the other: of each place its numbers; of each number those of the rows; of
/// each place what the rows multiply its Matern part by.
struct Compared {
  const double* places;
  Index count, numbers;
  const double* here;
  const double* smooth;
  double* sums;
};

/// The loops over lanes are what the compiler makes wide instructions of.
[[gnu::always_inline]] inline void compare(const Compared& what) {
  std::array<double, lanes> squares, sums{};
  for (Index i = 0; i < what.count; ++i) {
    squares.fill(0);
    for (Index j = 0; j < what.numbers; ++j) {
      const double there = what.places[i * what.numbers + j];
      const double* here = what.here + j * lanes;
      for (std::size_t k = 0; k < lanes; ++k) squares[k] += (there - here[k]) * (there - here[k]);
    }
    const double* smooth = what.smooth + i * lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double s = std::sqrt(squares[k]);
      sums[k] += smooth[k] * ((1 + s + squares[k] * (1.0 / 3)) * steady::decay(s));
    }
  }
  std::copy(sums.begin(), sums.end(), what.sums);
}

using Compare = void (*)(const Compared&);
void compare_anywhere(const Compared& what) { compare(what); }
#ifdef __x86_64__
[[gnu::target("avx512f,avx512dq")]] void compare_by_8(const Compared& what) { compare(what); }

/// What every x86 that this is built for can is the compiler's own choice.
Compare widest(bool allowed) {
  const bool can = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  return allowed && can ? compare_by_8 : compare_anywhere;
}
#else
Compare widest(bool) { return compare_anywhere; }
#endif

/// The same order of additions everywhere.
double steady_sum(const VectorXd& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

void sort_by_levels(std::vector<std::size_t>& rows, const Eigen::MatrixXi& levels) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    for (Index c = 0; c < levels.cols(); ++c) {
      const int here = levels(static_cast<Index>(a), c), there = levels(static_cast<Index>(b), c);
      if (here != there) return here < there;
    }
    return false;
  });
}

/// What is the same for all rows with the same levels.
struct KernelSum::Group {
  Eigen::RowVectorXi levels;
  VectorXd smooth;  ///< of each place
  VectorXd slope;   ///< of each number
  double offset = 0;
};

KernelSum::KernelSum(const Places& points, const VectorXd& weights, const Kernel& kernel)
    : points_(points), weights_(weights), kernel_(kernel), scale_(points.numbers.cols()) {
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
}

KernelSum::Group KernelSum::group_of(const Eigen::RowVectorXi& levels) const {
  const auto count = points_.numbers.rows();
  const auto squared = [](double value) { return value * value; };
  VectorXd smooth = VectorXd::Constant(count, squared(kernel_.amplitude)),
           straight = VectorXd::Constant(count, squared(kernel_.slope)), offset = VectorXd::Zero(count);
  for (Index c = 0; c < levels.size(); ++c) {
    const auto& own = kernel_.own[static_cast<std::size_t>(c)];
    if (levels[c] < 0) continue;
    for (Index i = 0; i < count; ++i) {
      if (points_.levels(i, c) != levels[c]) continue;
      smooth[i] += squared(own.amplitude);
      straight[i] += squared(own.slope);
      offset[i] += squared(own.offset);
    }
  }
  Group group{.levels = levels,
              .smooth = VectorXd::Zero(places()),
              .slope = VectorXd(points_.numbers.cols()),
              .offset = steady_sum(offset.cwiseProduct(weights_))};
  for (Index i = 0; i < count; ++i)
    group.smooth[place_of_[static_cast<std::size_t>(i)]] += smooth[i] * weights_[i];
  straight.array() *= weights_.array();
  for (Index j = 0; j < group.slope.size(); ++j)
    group.slope[j] = steady_sum(straight.cwiseProduct(points_.numbers.col(j)));
  return group;
}

/// Rows on their way through the comparison, one a lane.
class KernelSum::Tile {
 public:
  explicit Tile(const KernelSum& all)
      : all_(all),
        here_(MatrixXd::Zero(lanes, all.by_place_.rows())),
        smooth_(MatrixXd::Zero(lanes, all.places())),
        straight_(VectorXd::Zero(lanes)),
        sums_(lanes) {}

  void set(Index lane, const Places& at, Index row, const Group& group, Index group_number) {
    straight_[lane] = group.offset;
    for (Index j = 0; j < here_.cols(); ++j) {
      straight_[lane] += group.slope[j] * at.numbers(row, j);
      here_(lane, j) = at.numbers(row, j) * all_.scale_[j];
    }
    auto& in_lane = group_in_[static_cast<std::size_t>(lane)];
    if (in_lane != group_number) smooth_.row(lane) = group.smooth.transpose();
    in_lane = group_number;
  }
  const VectorXd& sums(Compare with) {
    with({all_.by_place_.data(), all_.places(), here_.cols(), here_.data(), smooth_.data(), sums_.data()});
    sums_ += straight_;
    return sums_;
  }

 private:
  const KernelSum& all_;
  MatrixXd here_, smooth_;  ///< lanes by numbers, lanes by places
  VectorXd straight_, sums_;
  std::array<Index, lanes> group_in_{};  ///< 0: none yet
};

VectorXd KernelSum::at(const Places& scaled, bool by_widest) const {
  const auto with = widest(by_widest);
  std::vector<std::size_t> order(static_cast<std::size_t>(scaled.numbers.rows()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_by_levels(order, scaled.levels);
  VectorXd sums(scaled.numbers.rows());
  Tile tile(*this);
  Group group;
  Index groups = 0;
  for (Index begin = 0; begin < sums.size(); begin += lanes) {
    const auto rows = std::min(lanes, sums.size() - begin);
    for (Index lane = 0; lane < rows; ++lane) {
      const auto row = static_cast<Index>(order[static_cast<std::size_t>(begin + lane)]);
      if (groups == 0 || group.levels != scaled.levels.row(row)) {
        group = group_of(scaled.levels.row(row));
        ++groups;
      }
      tile.set(lane, scaled, row, group, groups);
    }
    const auto& of_lanes = tile.sums(with);
    for (Index lane = 0; lane < rows; ++lane)
      sums[static_cast<Index>(order[static_cast<std::size_t>(begin + lane)])] = of_lanes[lane];
  }
  return sums;
}

}  // namespace neph::predict
