// Whether the parts of a model that was read fit together.
#include <cmath>

#include "predict/model_parts.hpp"

namespace neph::predict {

using Eigen::Index;

namespace {

Status consistent(bool holds, const char* what) {
  if (holds) return {};
  return fail(ErrorCode::corrupt, "its parts contradict each other: {}", what);
}

Status check_places(const Places& places, Index numbers, Index categories) {
  return consistent(places.numbers.cols() == numbers && places.levels.cols() == categories &&
                        places.numbers.rows() == places.levels.rows() && places.numbers.allFinite(),
                    "rows and columns of places");
}

}  // namespace

/// Whatever was edited, nothing may reach beyond a matrix later.
Status ModelParts::check(const Model& model) {
  const auto& design = model.design_;
  Table nothing{.source = "the model"};
  for (const auto& number : design.numbers_) nothing.columns.push_back({.name = number.column});
  for (const auto& category : design.categories_) nothing.columns.push_back({.name = category.column});
  NEPH_TRY(const auto inputs, design.apply(nothing));
  const auto numbers = inputs.places.numbers.cols(), categories = inputs.places.levels.cols();
  const auto ranged = inputs.ranged.cols(), terms = inputs.work.cols(),
             quantities = inputs.log_quantities.cols();
  NEPH_CHECK(consistent(std::ssize(design.ranged_names_) == ranged && model.low_.size() == ranged &&
                            model.high_.size() == ranged,
                        "ranges of the numbers"));
  NEPH_CHECK(check_places(model.points_.places, numbers, categories));
  NEPH_CHECK(consistent(model.points_.ranged.cols() == ranged &&
                            model.points_.ranged.rows() == model.points_.places.numbers.rows(),
                        "the points' numbers"));
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
  for (const auto& standing : model.blend_.standings())
    NEPH_CHECK(consistent(standing.errors.size() == ways && standing.errors.allFinite() &&
                              standing.trials > 0 && standing.median > 0 && std::isfinite(standing.reach),
                          "what trials said"));
  const auto check_work = [&](const WorkModel& work, Index own_terms) {
    const bool has_own = !work.own_category || (*work.own_category >= 0 && *work.own_category < categories &&
                                                work.own.cols() == own_terms);
    return consistent(work.coefficients.size() == own_terms && std::ssize(work.factors) <= categories &&
                          has_own && work.power > 0,
                      "coefficients of terms");
  };
  const auto check_scaling = [&](const Scaling& scaling) {
    return consistent(scaling.center.size() == numbers && scaling.width.size() == numbers, "scaling");
  };
  const auto check_process = [&](const Process& process) -> Status {
    NEPH_CHECK(check_scaling(process.scaling_));
    NEPH_CHECK(check_places(process.places_, numbers, categories));
    return consistent(process.weights_.size() == process.places_.numbers.rows() &&
                          process.weights_.size() > 0 && std::ssize(process.kernel_.lengths) == numbers &&
                          std::ssize(process.kernel_.own) == categories,
                      "a process and its rows");
  };
  const auto check_powers = [&](const LogLinear& powers) -> Status {
    NEPH_CHECK(check_scaling(powers.scaling));
    return consistent(powers.slopes.size() == numbers && std::ssize(powers.factors) <= categories, "slopes");
  };
  for (const auto& candidate : model.candidates_) {
    NEPH_CHECK(consistent(candidate.process_.has_value() == candidate.spec_.has_process, "a process"));
    if (candidate.process_) NEPH_CHECK(check_process(*candidate.process_));
    if (const auto* powers = std::get_if<LogLinear>(&candidate.model_)) {
      NEPH_CHECK(check_powers(*powers));
    } else if (const auto* boosted = std::get_if<Candidate::Boosted>(&candidate.model_)) {
      NEPH_CHECK(check_powers(boosted->powers));
      NEPH_CHECK(consistent(
          std::ssize(boosted->trees.levels.effects) == categories && boosted->trees.are_sound(numbers),
          "nodes of trees"));
    } else if (const auto* work = std::get_if<WorkModel>(&candidate.model_)) {
      NEPH_CHECK(check_work(*work, terms));
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
