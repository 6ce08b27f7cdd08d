#include "predict/boosting.hpp"

#include <cmath>
#include <numeric>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::uint64_t seed = 1;
constexpr std::size_t fewest_watched = 5;

struct Parts {
  std::vector<std::size_t> grown, watched;
};

Parts parts_of(std::size_t count, std::size_t share_watched) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Random random(seed);
  shuffle(rows, random);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(count / share_watched);
  return {{middle, rows.end()}, {rows.begin(), middle}};
}

/// Trees grown on most rows, up to where the others are predicted best.
Result<Trees> watched_trees(const Places& places, const VectorXd& target, const BoostingSettings& settings) {
  const auto parts = parts_of(static_cast<std::size_t>(target.size()), settings.share_watched);
  if (parts.watched.size() < fewest_watched)
    return Trees{.levels = LevelColumns::learn(places.levels, target)};
  const auto grown_target = rows_of(target, parts.grown), watched_target = rows_of(target, parts.watched);
  const auto grown_places = rows_of(places, parts.grown);
  auto levels = LevelColumns::learn(grown_places.levels, grown_target);
  NEPH_TRY(const auto grown, BoosterRows::of(levels.of(grown_places), grown_target));
  NEPH_TRY(const auto watched, BoosterRows::of(levels.of(rows_of(places, parts.watched)), watched_target));
  const BoosterRows* others[] = {&watched};
  NEPH_TRY(auto booster, Booster::on(grown, others, settings.booster));
  int best = 0;
  double least = std::sqrt(watched_target.squaredNorm() / static_cast<double>(watched_target.size()));
  for (int count = 1; count <= settings.most_trees && count <= best + settings.patience; ++count) {
    NEPH_CHECK(booster.grow(grown));
    NEPH_TRY(const auto error, booster.error(watched));
    if (error < (1 - settings.least_gain) * least) {
      least = error;
      best = count;
    }
  }
  NEPH_TRY(auto trees, booster.trees(static_cast<std::size_t>(best)));
  trees.levels = std::move(levels);
  return trees;
}

}  // namespace

Result<Trees> boost(const Places& places, const VectorXd& target, const BoostingSettings& settings) {
  if (target.size() == 0 || target.size() != places.numbers.rows())
    return fail(ErrorCode::invalid_argument, "trees need rows, each with a target");
  if (!target.allFinite() || !places.numbers.allFinite())
    return fail(ErrorCode::invalid_argument, "trees need finite numbers");
  NEPH_TRY(auto watched, watched_trees(places, target, settings));
  if (!settings.on_all_rows) return watched;
  auto levels = LevelColumns::learn(places.levels, target);
  NEPH_TRY(const auto rows, BoosterRows::of(levels.of(places), target));
  NEPH_TRY(auto booster, Booster::on(rows, {}, settings.booster));
  for (std::size_t i = 0; i < watched.roots.size(); ++i) NEPH_CHECK(booster.grow(rows));
  NEPH_TRY(auto trees, booster.trees(watched.roots.size()));
  trees.levels = std::move(levels);
  return trees;
}

}  // namespace neph::predict
