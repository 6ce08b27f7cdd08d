// Whether the parts of a model that was read fit together.
#include <algorithm>
#include <cmath>

#include "predict/model_parts.hpp"

namespace neph::predict {

using Eigen::Index;

namespace {

/// Of a smooth maximum: as CandidateSpec says.
bool is_power(double power) { return power >= 1 && power <= 64; }

constexpr std::int64_t most_rows = 1 << 30;  ///< of a table

Status consistent(bool holds, const char* what) {
  if (holds) return {};
  return fail(ErrorCode::corrupt, "its parts contradict each other: {}", what);
}

Status check_places(const Places& places, Index numbers, Index categories) {
  return consistent(places.numbers.cols() == numbers && places.levels.cols() == categories &&
                        places.numbers.rows() == places.levels.rows() && places.numbers.allFinite(),
                    "rows and columns of places");
}

/// `inputs`: of no rows.
Status check_features(const FeatureSum& sum, const Inputs& inputs, const Design& design) {
  NEPH_CHECK(consistent(sum.slopes.size() == std::ssize(sum.features) &&
                            sum.centers.size() == sum.slopes.size() && sum.slopes.allFinite() &&
                            sum.centers.allFinite() && std::isfinite(sum.level) &&
                            std::isfinite(sum.log_unit) && std::isfinite(sum.log_least),
                        "slopes of features"));
  constexpr int most_exponent = 100;  // far above any degree
  for (const auto& feature : sum.features) {
    bool holds = std::ssize(feature.powers) == inputs.log_quantities.cols() &&
                 std::ssize(feature.plain_powers) == inputs.plain.cols() &&
                 feature.levels.size() == design.categories().size() && feature.logarithm >= -1 &&
                 feature.logarithm < inputs.log_quantities.cols() && std::isfinite(feature.log_origin);
    for (const int power : feature.plain_powers) holds &= power >= 0 && power <= most_exponent;
    NEPH_CHECK(consistent(holds, "factors of a feature"));
    for (std::size_t c = 0; c < feature.levels.size(); ++c)
      NEPH_CHECK(
          consistent(feature.levels[c] < std::ssize(design.categories()[c].levels), "levels of a feature"));
  }
  return {};
}

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
  NEPH_TRY(const auto inputs, design.apply(columns_of(design)));
  const auto all_numbers = inputs.places.numbers.cols(), categories = inputs.places.levels.cols();
  const auto ranged = inputs.ranged.cols(), terms = inputs.work.cols(),
             quantities = inputs.log_quantities.cols();
  NEPH_CHECK(consistent(std::ssize(design.ranged_names_) == ranged && model.low_.size() == ranged &&
                            model.high_.size() == ranged,
                        "ranges of the numbers"));
  for (std::size_t j = 0; j < design.numbers_.size(); ++j)
    NEPH_CHECK(consistent(design.ranged_names_[j] == design.numbers_[j].column, "names of the numbers"));
  NEPH_CHECK(check_places(model.points_.places, all_numbers, categories));
  NEPH_CHECK(consistent(model.points_.ranged.cols() == ranged &&
                            model.points_.ranged.rows() == model.points_.places.numbers.rows(),
                        "the points' numbers"));
  NEPH_CHECK(check_measured(model.measured_, model.points_.places.numbers.rows()));
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
            standing.median > 0 && std::isfinite(standing.reach) && standing.distance >= 0 &&
            std::isfinite(standing.distance) && standing.group >= -1 && standing.group <= most_rows &&
            column >= -1 && (situation == Situation::inside || column < (is_of_level ? categories : ranged)),
        "what trials said"));
  }
  const auto check_work = [&](const WorkModel& work, Index own_terms) {
    const bool has_own = !work.own_category || (*work.own_category >= 0 && *work.own_category < categories &&
                                                work.own.cols() == own_terms);
    return consistent(own_terms > 0 && work.coefficients.size() == own_terms &&
                          std::ssize(work.factors) <= categories && has_own && is_power(work.power),
                      "coefficients of terms");
  };
  const auto check_given = [&](const GivenModel& given) {
    return consistent(given.work.size() == inputs.given.work.cols() && given.work.allFinite() &&
                          given.latency.size() == inputs.given.latency.cols() && given.latency.allFinite() &&
                          given.work.size() + given.latency.size() > 0 && is_power(given.power) &&
                          std::ssize(given.factors) <= categories,
                      "coefficients of given terms");
  };
  const auto check_scaling = [&](const Scaling& scaling, Index columns) {
    return consistent(scaling.center.size() == columns && scaling.width.size() == columns, "scaling");
  };
  const auto check_process = [&](const Process& process, Index columns) -> Status {
    NEPH_CHECK(check_scaling(process.scaling_, columns));
    NEPH_CHECK(check_places(process.places_, columns, categories + pairs_of(categories)));
    return consistent(process.weights_.size() == process.places_.numbers.rows() &&
                          process.weights_.size() > 0 && std::ssize(process.kernel_.lengths) == columns &&
                          std::ssize(process.kernel_.own) == categories + pairs_of(categories),
                      "a process and its rows");
  };
  const auto check_powers = [&](const LogLinear& powers, Index numbers) -> Status {
    NEPH_CHECK(check_scaling(powers.scaling, numbers));
    return consistent(powers.slopes.size() == numbers && std::ssize(powers.factors) <= categories, "slopes");
  };
  for (const auto& candidate : model.candidates_) {
    NEPH_CHECK(consistent(candidate.process_.has_value() == candidate.spec_.has_process, "a process"));
    const bool sees_layers = candidate.spec_.backbone == Backbone::layers;
    const auto& seen = candidate.seen_;
    NEPH_CHECK(consistent(std::ranges::all_of(seen, [&](Index j) { return j >= 0 && j < all_numbers; }) &&
                              std::ssize(seen) <= all_numbers,
                          "which numbers are seen"));
    const Index numbers = seen.empty() ? all_numbers : std::ssize(seen);
    if (candidate.process_)
      NEPH_CHECK(check_process(*candidate.process_, numbers + (sees_layers ? inputs.mean_layer.cols() : 0)));
    if (const auto* powers = std::get_if<LogLinear>(&candidate.model_)) {
      NEPH_CHECK(check_powers(*powers, numbers));
    } else if (const auto* boosted = std::get_if<Candidate::Boosted>(&candidate.model_)) {
      NEPH_CHECK(check_powers(boosted->powers, numbers));
      NEPH_CHECK(consistent(
          std::ssize(boosted->trees.levels.effects) == categories && boosted->trees.are_sound(numbers),
          "nodes of trees"));
    } else if (const auto* work = std::get_if<WorkModel>(&candidate.model_)) {
      NEPH_CHECK(check_work(*work, terms));
    } else if (const auto* given = std::get_if<GivenModel>(&candidate.model_)) {
      NEPH_CHECK(check_given(*given));
    } else if (const auto* sum = std::get_if<FeatureSum>(&candidate.model_)) {
      NEPH_CHECK(check_features(*sum, inputs, design));
    } else {
      const auto& found = std::get<Candidate::Monomials>(candidate.model_);
      for (const auto& term : found.powers)
        NEPH_CHECK(consistent(std::ssize(term) == quantities, "powers of a term"));
      NEPH_CHECK(check_work(found.work, std::ssize(found.powers)));
    }
  }
  return {};
}

}  // namespace neph::predict
