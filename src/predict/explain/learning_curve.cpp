#include "predict/explain/learning_curve.hpp"

#include <algorithm>
#include <numeric>

#include "core/random.hpp"

namespace neph::predict {
namespace {

constexpr std::size_t first_size = 20, last_size = 2560;
constexpr std::size_t few_points = 320;  ///< of more, one draw is much like another, and a fit takes longer
constexpr std::size_t most_predicted = 1000;  ///< of a draw: more say no more of a mean

std::vector<std::size_t> sizes_of(std::size_t points) {
  const auto end = std::min(points * 4 / 5, last_size);
  std::vector<std::size_t> sizes;
  for (auto size = first_size; size <= end; size *= 2) sizes.push_back(size);
  if (!sizes.empty() && 4 * end > 5 * sizes.back()) sizes.push_back(end);
  return sizes;
}

std::size_t draws_of(std::size_t size) { return size <= few_points ? 3 : 1; }

LearningPoint point_of(std::size_t size, const std::vector<double>& errors) {
  const auto [least, most] = std::ranges::minmax(errors);
  return {.points = static_cast<std::int64_t>(size),
          .draws = std::ssize(errors),
          .mean = std::reduce(errors.begin(), errors.end()) / static_cast<double>(errors.size()),
          .least = least,
          .most = most};
}

}  // namespace

Result<std::vector<LearningPoint>> learning_curve(const Profile& profile, const FitOptions& options,
                                                  std::uint64_t seed) {
  const auto points = profile.points.target.size();
  const auto sizes = sizes_of(points);
  std::vector<Split> splits;
  Random random(seed);
  for (const auto size : sizes)
    for (auto& split : samples(points, size, draws_of(size), random.bits())) {
      split.test = drawn_from(split.test, most_predicted);
      splits.push_back(std::move(split));
    }
  if (splits.empty()) return std::vector<LearningPoint>{};
  NEPH_TRY(const auto validated, validate(profile, splits, {options.method}, options));
  std::vector<LearningPoint> curve;
  std::size_t split = 0;
  for (const auto size : sizes) {
    std::vector<double> errors;
    for (std::size_t draw = 0; draw < draws_of(size); ++draw, ++split)
      if (const auto score = score_of(of_split(validated[0].rows, split)); score.rows > score.refused)
        errors.push_back(score.mean);
    if (!errors.empty()) curve.push_back(point_of(size, errors));
  }
  return curve;
}

}  // namespace neph::predict
