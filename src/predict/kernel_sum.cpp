#include "predict/kernel_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "predict/steady_math.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index lanes = 32;  ///< different numbers of rows that are compared with all places together
constexpr std::size_t rows_of_a_sum = 8;    ///< that a sum over places should serve, or it takes too long
constexpr std::size_t most_kept = 4 << 20;  ///< numbers, of all groups that are kept
constexpr double root5 = 2.23606797749978969641;

/// What is compared, one behind the other: of each place its numbers; of each number those of the lanes; and
/// what comes of it, of each place the Matern parts of the lanes.
struct Compared {
  const double* places;
  Index count, numbers;
  const double* here;
  double* parts;
};

/// The loops over lanes are what the compiler makes wide instructions of.
[[gnu::always_inline]] inline void compare(const Compared& what) {
  std::array<double, lanes> squares;
  for (Index i = 0; i < what.count; ++i) {
    squares.fill(0);
    for (Index j = 0; j < what.numbers; ++j) {
      const double there = what.places[i * what.numbers + j];
      const double* here = what.here + j * lanes;
      for (std::size_t k = 0; k < lanes; ++k) squares[k] += (there - here[k]) * (there - here[k]);
    }
    double* parts = what.parts + i * lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double s = std::sqrt(squares[k]);
      parts[k] = (1 + s + squares[k] * (1.0 / 3)) * steady::decay(s);
    }
  }
}

/// Of each lane the sum over places of its Matern parts times `smooth`.
[[gnu::always_inline]] inline void add_up(const double* parts, const double* smooth, Index count,
                                          double* sums_of_lanes) {
  std::array<double, lanes> sums{};
  for (Index i = 0; i < count; ++i)
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += smooth[i] * parts[i * lanes + static_cast<Index>(k)];
  std::copy(sums.begin(), sums.end(), sums_of_lanes);
}

void compare_anywhere(const Compared& what) { compare(what); }
void add_up_anywhere(const double* parts, const double* smooth, Index count, double* sums_of_lanes) {
  add_up(parts, smooth, count, sums_of_lanes);
}

/// How lanes are gone through.
struct Loops {
  decltype(compare_anywhere)* compare = compare_anywhere;
  decltype(add_up_anywhere)* add_up = add_up_anywhere;
};
#ifdef __x86_64__
[[gnu::target("avx512f,avx512dq")]] void compare_by_8(const Compared& what) { compare(what); }
[[gnu::target("avx512f,avx512dq")]] void add_up_by_8(const double* parts, const double* smooth, Index count,
                                                     double* sums_of_lanes) {
  add_up(parts, smooth, count, sums_of_lanes);
}

[[gnu::target("avx2")]] void compare_by_4(const Compared& what) { compare(what); }
[[gnu::target("avx2")]] void add_up_by_4(const double* parts, const double* smooth, Index count,
                                         double* sums_of_lanes) {
  add_up(parts, smooth, count, sums_of_lanes);
}

Loops widest(bool allowed) {
  if (!allowed) return {};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return {compare_by_8, add_up_by_8};
  return __builtin_cpu_supports("avx2") ? Loops{compare_by_4, add_up_by_4} : Loops{};
}
#else
Loops widest(bool) { return {}; }
#endif

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
bool share_numbers(const Rows& rows, const Places& places) {
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

void sort_by_places(Rows& rows, const Places& places) {
  sort_by(places.numbers, places.levels, rows);
  if (!share_numbers(rows, places)) sort_by(places.levels, places.numbers, rows);
}

/// What is the same for all rows with the same levels.
struct KernelSum::Group {
  VectorXd smooth;  ///< of each place
  VectorXd slope;   ///< of each number
  double offset = 0;
};

KernelSum::KernelSum(const Places& points, const VectorXd& weights, const Kernel& kernel)
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

KernelSum::Group KernelSum::group_of(const Eigen::RowVectorXi& levels) const {
  const auto count = points_.numbers.rows(), numbers = points_.numbers.cols();
  const auto squared = [](double value) { return value * value; };
  VectorXd smooth = VectorXd::Constant(count, squared(kernel_.amplitude)),
           straight = VectorXd::Constant(count, squared(kernel_.slope)), offset = VectorXd::Zero(count);
  for (Index c = 0; c < levels.size(); ++c) {
    const auto& own = kernel_.own[static_cast<std::size_t>(c)];
    const auto alike = with_level_[static_cast<std::size_t>(c)].find(levels[c]);
    if (alike == with_level_[static_cast<std::size_t>(c)].end()) continue;
    for (const auto i : alike->second) {
      smooth[i] += squared(own.amplitude);
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
class KernelSum::Groups {
 public:
  explicit Groups(const KernelSum& all) : all_(all) {}
  const Group& of(const Eigen::RowVectorXi& levels) {
    std::vector<int> key(levels.begin(), levels.end());
    const auto found = kept_.find(key);
    if (found != kept_.end()) return found->second;
    if (kept_.size() * static_cast<std::size_t>(all_.places()) > most_kept) kept_.clear();
    return kept_.emplace(std::move(key), all_.group_of(levels)).first->second;
  }

 private:
  const KernelSum& all_;
  std::map<std::vector<int>, Group> kept_;
};

/// Rows that stand one behind the other. Those with the same numbers share a lane.
class KernelSum::Tile {
 public:
  Tile(const KernelSum& all, const Loops& loops)
      : all_(all),
        loops_(loops),
        here_(MatrixXd::Zero(lanes, all.by_place_.rows())),
        parts_(lanes, all.places()),
        sums_(lanes) {}

  /// Takes as many rows from `begin` on as there are lanes for, and gives the first that is left.
  Index take(const Places& at, Index begin) {
    rows_.clear();
    Index row = begin;
    for (Index lane = -1; row < at.numbers.rows(); ++row) {
      if (lane < 0 || at.numbers.row(row) != at.numbers.row(row - 1)) {
        if (++lane == lanes) break;
        here_.row(lane) = at.numbers.row(row).transpose().cwiseProduct(all_.scale_).transpose();
      }
      rows_.push_back({row, lane});
    }
    loops_.compare({all_.by_place_.data(), all_.places(), here_.cols(), here_.data(), parts_.data()});
    return row;
  }

  void add_sums(const Places& at, Groups& groups, VectorXd& sums) {
    sort_by_levels(at.levels);
    const Group* group = nullptr;
    Index before = 0;
    for (const auto& [row, lane] : rows_) {
      if (!group || at.levels.row(row) != at.levels.row(before)) {
        group = &groups.of(at.levels.row(row));
        loops_.add_up(parts_.data(), group->smooth.data(), all_.places(), sums_.data());
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

  const KernelSum& all_;
  Loops loops_;
  MatrixXd here_, parts_;  ///< lanes by numbers, lanes by places
  VectorXd sums_;
  std::vector<Row> rows_;
};

VectorXd KernelSum::at(const Places& scaled, bool by_widest) const {
  VectorXd sums(scaled.numbers.rows());
  Groups groups(*this);
  Tile tile(*this, widest(by_widest));
  for (Index begin = 0; begin < sums.size();) {
    begin = tile.take(scaled, begin);
    tile.add_sums(scaled, groups, sums);
  }
  return sums;
}

}  // namespace neph::predict
