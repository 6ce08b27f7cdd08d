// Whether the parts of a model that was read fit together.
#include <algorithm>
#include <cmath>

#include "predict/candidate_check.hpp"
#include "predict/model_parts.hpp"

namespace neph::predict {

using Eigen::Index;

namespace {

constexpr std::int64_t most_rows = 1 << 30;  ///< of a table

/// `rows`: points as the methods see them.
Status check_measured(const Points& measured, Index rows) {
  const auto count = static_cast<std::size_t>(rows);
  const auto are_all = [](const std::vector<double>& values, auto&& holds) {
    return std::all_of(values.begin(), values.end(), holds);
  };
  NEPH_CHECK(
      consistent(measured.features.rows == count && measured.target.size() == count &&
                     measured.repeats.size() == count && measured.deviations.size() == count &&
                     std::isfinite(measured.noise) &&
                     are_all(measured.target, [](double t) { return t > 0 && std::isfinite(t); }) &&
                     are_all(measured.deviations, [](double d) { return std::isfinite(d); }) &&
                     std::ranges::all_of(measured.repeats, [](int r) { return r >= 1 && r <= most_rows; }),
                 "what was measured"));
  for (const auto& column : measured.features.columns) {
    const bool is_known = std::all_of(column.codes.begin(), column.codes.end(), [&](std::int32_t code) {
      return code >= -1 && code < std::ssize(column.levels);
    });
    NEPH_CHECK(consistent(column.rows() == count && is_known, "columns of what was measured"));
  }
  return {};
}

}  // namespace

/// Whatever was edited, nothing may reach beyond a matrix later.
Status ModelParts::check(const Model& model) {
  const auto& design = model.design_;
  const auto applied = design.apply(columns_of(design));
  NEPH_CHECK(consistent(applied.has_value(), "the design and its columns"));
  const auto& inputs = *applied;
  const auto numbers = inputs.places.numbers.cols(), categories = inputs.places.levels.cols();
  const auto ranged = inputs.ranged.cols();
  NEPH_CHECK(consistent(std::ssize(design.ranged_names_) == ranged && model.low_.size() == ranged &&
                            model.high_.size() == ranged,
                        "ranges of the numbers"));
  for (std::size_t j = 0; j < design.numbers_.size(); ++j)
    NEPH_CHECK(consistent(design.ranged_names_[j] == design.numbers_[j].column, "names of the numbers"));
  NEPH_CHECK(check_places(model.points_.places, numbers, categories));
  NEPH_CHECK(consistent(model.points_.ranged.cols() == ranged &&
                            model.points_.ranged.rows() == model.points_.places.numbers.rows(),
                        "the points' numbers"));
  NEPH_CHECK(check_measured(model.measured_, model.points_.places.numbers.rows()));
  table::Refusals refused;
  const auto located = design.locate(model.measured_.features, refused);
  NEPH_CHECK(consistent(located && refused.empty(), "what was measured"));
  NEPH_CHECK(consistent(std::ssize(model.counts_) == categories, "counts of the categories"));
  for (std::size_t c = 0; c < model.counts_.size(); ++c)
    NEPH_CHECK(
        consistent(model.counts_[c].size() == design.categories_[c].levels.size(), "counts of levels"));

  const auto ways = static_cast<Index>(model.specs_.size() * departures);
  NEPH_CHECK(consistent(!model.blend_.standings().empty() && !model.candidates_.empty() &&
                            model.kept_.size() == model.candidates_.size(),
                        "candidates"));
  for (const auto place : model.kept_)
    NEPH_CHECK(consistent(place < model.specs_.size(), "which candidates were kept"));
  NEPH_CHECK(consistent(model.origin_.rows >= 0 && model.origin_.rows <= most_rows, "how many rows"));
  for (const auto& standing : model.blend_.standings()) {
    const auto [situation, column] = standing.condition;
    const bool is_of_level = situation == Situation::unseen || situation == Situation::few;
    NEPH_CHECK(consistent(
        standing.errors.size() == ways && standing.errors.allFinite() && standing.trials > 0 &&
            standing.trials <= most_rows && standing.median > 0 && std::isfinite(standing.median) &&
            std::isfinite(standing.reach) && std::isfinite(standing.p90) && standing.distance >= 0 &&
            std::isfinite(standing.distance) && standing.group >= -1 && standing.group <= most_rows &&
            column >= -1 && (situation == Situation::inside || column < (is_of_level ? categories : ranged)),
        "what trials said"));
  }
  for (const auto& candidate : model.candidates_) NEPH_CHECK(check_candidate(candidate, design, inputs));
  return {};
}

}  // namespace neph::predict
