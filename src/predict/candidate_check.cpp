#include "predict/candidate_check.hpp"

#include <algorithm>
#include <cmath>

namespace neph::predict {
namespace {

using Eigen::Index;

/// Of a smooth maximum: as CandidateSpec says.
bool is_power(double power) { return power >= 1 && power <= 64; }

bool are_places(const std::vector<Index>& columns, Index below) {
  return std::ranges::is_sorted(columns) && std::ranges::adjacent_find(columns) == columns.end() &&
         (columns.empty() || (columns.front() >= 0 && columns.back() < below));
}

bool is_finite(const Kernel& kernel) {
  return std::isfinite(kernel.amplitude) && std::isfinite(kernel.slope) && std::isfinite(kernel.noise) &&
         std::ranges::all_of(kernel.lengths,
                             [](double length) { return std::isfinite(length) && length > 0; }) &&
         std::ranges::all_of(kernel.own, [](const Kernel::Own& own) {
           return std::isfinite(own.offset) && std::isfinite(own.amplitude) && std::isfinite(own.slope);
         });
}

class Checking {
 public:
  Checking(const Candidate& candidate, const Design& design, const Inputs& inputs)
      : candidate_(candidate),
        design_(design),
        inputs_(inputs),
        numbers_(inputs.places.numbers.cols()),
        categories_(inputs.places.levels.cols()) {}

  Status operator()() {
    NEPH_CHECK(consistent(candidate_.process().has_value() == candidate_.spec().has_process, "a process"));
    if (const auto& sight = candidate_.sight()) {
      NEPH_CHECK(consistent(are_places(sight->numbers, numbers_) &&
                                are_places(sight->categories, categories_) &&
                                !std::holds_alternative<FeatureSum>(candidate_.model()),
                            "which columns are seen"));
      numbers_ = std::ssize(sight->numbers);
      categories_ = std::ssize(sight->categories);
    }
    const bool sees_layers = candidate_.spec().backbone == Backbone::layers;
    if (candidate_.process())
      NEPH_CHECK(check(*candidate_.process(), numbers_ + (sees_layers ? inputs_.mean_layer.cols() : 0)));
    return std::visit([&](const auto& model) { return check(model); }, candidate_.model());
  }

 private:
  Status check(const Process& process, Index columns) const {
    NEPH_CHECK(check(process.scaling(), columns));
    const auto kinds = categories_ + pairs_of(categories_);
    NEPH_CHECK(check_places(process.scaled_places(), columns, kinds));
    return consistent(process.weights().size() == process.scaled_places().numbers.rows() &&
                          process.weights().size() > 0 && std::ssize(process.kernel().lengths) == columns &&
                          std::ssize(process.kernel().own) == kinds && process.weights().allFinite() &&
                          is_finite(process.kernel()),
                      "a process and its rows");
  }
  static Status check(const Scaling& scaling, Index columns) {
    return consistent(scaling.center.size() == columns && scaling.width.size() == columns &&
                          scaling.center.allFinite() && scaling.width.allFinite() &&
                          (scaling.width.array() != 0).all(),
                      "scaling");
  }
  Status check(const LogLinear& powers) const {
    NEPH_CHECK(check(powers.scaling, numbers_));
    return consistent(
        powers.slopes.size() == numbers_ && powers.slopes.allFinite() && std::isfinite(powers.level) &&
            std::ssize(powers.factors) <= categories_ &&
            std::ranges::all_of(powers.factors, [](const auto& each) { return each.allFinite(); }),
        "slopes");
  }
  Status check(const Candidate::Boosted& boosted) const {
    NEPH_CHECK(check(boosted.powers));
    return consistent(
        std::ssize(boosted.trees.levels.effects) == categories_ && boosted.trees.are_sound(numbers_),
        "nodes of trees");
  }
  Status check(const Candidate::Monomials& found) const {
    for (const auto& term : found.powers)
      NEPH_CHECK(consistent(std::ssize(term) == inputs_.log_quantities.cols(), "powers of a term"));
    return check(found.work, std::ssize(found.powers));
  }
  Status check(const WorkModel& work) const { return check(work, inputs_.work.cols()); }
  Status check(const WorkModel& work, Index terms) const {
    const bool has_own = !work.own_category || (*work.own_category >= 0 && *work.own_category < categories_ &&
                                                work.own.cols() == terms);
    return consistent(terms > 0 && work.coefficients.size() == terms && work.coefficients.allFinite() &&
                          work.own.allFinite() && std::ssize(work.factors) <= categories_ && has_own &&
                          is_power(work.power),
                      "coefficients of terms");
  }
  Status check(const GivenModel& given) const {
    return consistent(given.work.size() == inputs_.given.work.cols() && given.work.allFinite() &&
                          given.latency.size() == inputs_.given.latency.cols() && given.latency.allFinite() &&
                          given.work.size() + given.latency.size() > 0 && is_power(given.power) &&
                          std::ssize(given.factors) <= categories_,
                      "coefficients of given terms");
  }
  Status check(const FeatureSum& sum) const {
    NEPH_CHECK(consistent(sum.slopes.size() == std::ssize(sum.features) &&
                              sum.centers.size() == sum.slopes.size() && sum.slopes.allFinite() &&
                              sum.centers.allFinite() && std::isfinite(sum.level) &&
                              std::isfinite(sum.log_unit) && std::isfinite(sum.log_least),
                          "slopes of features"));
    constexpr int most_exponent = 100;  // far above any degree
    for (const auto& feature : sum.features) {
      bool holds = std::ssize(feature.powers) == inputs_.log_quantities.cols() &&
                   std::ssize(feature.plain_powers) == inputs_.plain.cols() &&
                   feature.levels.size() == design_.categories().size() && feature.logarithm >= -1 &&
                   feature.logarithm < inputs_.log_quantities.cols() && std::isfinite(feature.log_origin);
      for (const int power : feature.plain_powers) holds &= power >= 0 && power <= most_exponent;
      NEPH_CHECK(consistent(holds, "factors of a feature"));
      for (std::size_t c = 0; c < feature.levels.size(); ++c)
        NEPH_CHECK(consistent(feature.levels[c] < std::ssize(design_.categories()[c].levels),
                              "levels of a feature"));
    }
    return {};
  }

  const Candidate& candidate_;
  const Design& design_;
  const Inputs& inputs_;
  Index numbers_, categories_;  ///< that it sees
};

}  // namespace

Status consistent(bool holds, const char* what) {
  if (holds) return {};
  return fail(ErrorCode::corrupt, "its parts contradict each other: {}", what);
}

Status check_places(const Places& places, Index numbers, Index categories) {
  return consistent(places.numbers.cols() == numbers && places.levels.cols() == categories &&
                        places.numbers.rows() == places.levels.rows() && places.numbers.allFinite(),
                    "rows and columns of places");
}

Status check_candidate(const Candidate& candidate, const Design& design, const Inputs& inputs) {
  return Checking(candidate, design, inputs)();
}

}  // namespace neph::predict
