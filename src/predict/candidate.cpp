#include "predict/candidate.hpp"

#include <fmt/format.h>

#include "predict/boosting.hpp"
#include "predict/ernest.hpp"
#include "predict/hold_out.hpp"
#include "predict/kernel_choice.hpp"
#include "predict/lattuada.hpp"
#include "predict/non_negative_sum.hpp"
#include "predict/screening.hpp"
#include "predict/stepwise.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index rows_per_term = 8;  ///< more terms than rows / 8 follow the noise
/// That a backbone is fitted to. It has a few dozen numbers at most, which more rows make no better, and its
/// cost grows with rows and terms.
constexpr std::size_t most_rows = 5000;
constexpr Index most_numbers = 24, most_categories = 12;  ///< that are looked at

using Rows = std::vector<std::size_t>;

struct Fitted {
  Inputs inputs;
  VectorXd log_target;
};
/// A draw of many rows.
Fitted drawn(const Inputs& inputs, const VectorXd& log_target) {
  const auto rows = drawn_rows(static_cast<std::size_t>(log_target.size()), most_rows);
  return {rows_of(inputs, rows), rows_of(log_target, rows)};
}

/// Those that a process follows. Few points at an end of a range say nothing unless they are among them.
Rows followed_rows(const Inputs& inputs, std::size_t most) {
  const auto count = static_cast<std::size_t>(inputs.rows());
  if (count <= most) return drawn_rows(count, most);
  return drawn_rows(count, most, rows_that_few_stand_for(inputs, most / 4));
}

Result<Candidate::Model> fit_monomials(const CandidateSpec& spec, const Inputs& inputs,
                                       const VectorXd& log_target) {
  const auto most = std::clamp<Index>(log_target.size() / rows_per_term, 2, spec.most_terms);
  Candidate::Monomials model;
  model.powers =
      choose_monomials(inputs.log_quantities, log_target, static_cast<std::size_t>(most), spec.power);
  WorkSettings settings{.power = spec.power};
  for (Index c = 0; c < inputs.places.levels.cols(); ++c) settings.factor_categories.push_back(c);
  NEPH_TRY(model.work, fit_work(monomials(inputs.log_quantities, model.powers), inputs.places.levels,
                                log_target, settings));
  return model;
}

Result<Candidate::Model> fit_trees(const CandidateContext& context, const Inputs& inputs,
                                   const VectorXd& log_target) {
  const auto some = drawn(inputs, log_target);
  Candidate::Boosted model{.powers = fit_log_linear(some.inputs.places, some.log_target)};
  NEPH_TRY(model.trees, boost(inputs.places, log_target - model.powers.log_mean(inputs.places),
                              {.on_all_rows = !context.is_trial}));
  return model;
}

Result<Candidate::Model> fit_backbone(const CandidateSpec& spec, const CandidateContext& context,
                                      const Inputs& inputs, const VectorXd& log_target) {
  if (spec.backbone != Backbone::trees && static_cast<std::size_t>(log_target.size()) > most_rows) {
    const auto some = drawn(inputs, log_target);
    return fit_backbone(spec, context, some.inputs, some.log_target);
  }
  switch (spec.backbone) {
    case Backbone::powers:
      return fit_log_linear(inputs.places, log_target);
    case Backbone::monomials:
      return fit_monomials(spec, inputs, log_target);
    case Backbone::given:
      return fit_given(inputs.given, inputs.places.levels, log_target, spec.power);
    case Backbone::lattuada:
      return fit_lattuada(inputs, log_target);
    case Backbone::nnls:
      return fit_nnls(inputs, log_target);
    case Backbone::stepwise:
      return fit_stepwise(inputs, log_target);
    case Backbone::ernest:
      return fit_ernest(inputs, log_target);
    case Backbone::trees:
      return fit_trees(context, inputs, log_target);
    case Backbone::layers:
      break;
  }
  if (inputs.work.cols() == 0) return fail(ErrorCode::invalid_argument, "there are no terms of work to fit");
  NEPH_TRY(
      auto model,
      fit_work(inputs.work, inputs.places.levels, log_target,
               {.power = spec.power, .own_category = context.machine, .speeds = context.machine_speeds}));
  return model;
}

/// The same rows, each of a network that nobody knows by name.
Inputs without_names(const Inputs& inputs) {
  auto nameless = inputs;
  nameless.places.levels.col(*nameless.network).setConstant(-1);
  nameless.network.reset();
  return nameless;
}

/// As a process sees them. Behind the work of layers it learns what their sizes change; a log-linear backbone
/// would draw straight lines through them, far beyond the few networks that there are.
Places followed(const CandidateSpec& spec, const Inputs& inputs) {
  auto places = inputs.places;
  if (spec.backbone != Backbone::layers) return places;
  places.numbers.conservativeResize(Eigen::NoChange, places.numbers.cols() + inputs.mean_layer.cols());
  places.numbers.rightCols(inputs.mean_layer.cols()) = inputs.mean_layer;
  return places;
}

std::optional<Index> place_of(const std::optional<Index>& column, const std::vector<Index>& columns) {
  if (!column) return std::nullopt;
  return std::ranges::lower_bound(columns, *column) - columns.begin();
}

Sight sight_of(const CandidateContext& context, const Inputs& inputs, const VectorXd& log_target) {
  Sight sight{strongest(inputs.places.numbers, log_target, most_numbers),
              strongest(inputs.places.levels, log_target, most_categories)};
  for (const auto& role : {context.machine, inputs.network})
    if (role && std::ranges::find(sight.categories, *role) == sight.categories.end())
      sight.categories.insert(std::ranges::upper_bound(sight.categories, *role), *role);
  return sight;
}

/// Of what only sums of features look at, and of ranges, nothing.
Inputs seen(const Sight& sight, const Inputs& inputs) {
  const Eigen::MatrixXd none(inputs.rows(), 0);
  return {.log_quantities = inputs.log_quantities,
          .places = {inputs.places.numbers(Eigen::all, sight.numbers),
                     inputs.places.levels(Eigen::all, sight.categories)},
          .plain = none,
          .work = inputs.work,
          .mean_layer = inputs.mean_layer,
          .given = inputs.given,
          .ranged = none,
          .network = place_of(inputs.network, sight.categories)};
}

struct MeanOf {
  const Inputs& at;
  VectorXd operator()(const LogLinear& model) const { return model.log_mean(at.places); }
  VectorXd operator()(const WorkModel& model) const { return model.log_mean(at.work, at.places.levels); }
  VectorXd operator()(const GivenModel& model) const { return model.log_mean(at.given, at.places.levels); }
  VectorXd operator()(const FeatureSum& model) const { return model.log_mean(at); }
  VectorXd operator()(const Candidate::Monomials& model) const {
    return model.work.log_mean(monomials(at.log_quantities, model.powers), at.places.levels);
  }
  VectorXd operator()(const Candidate::Boosted& model) const {
    return model.powers.log_mean(at.places) + model.trees.values(at.places);
  }
};

}  // namespace

bool needs_sight(const CandidateSpec& spec, const Inputs& inputs) {
  return !is_sum_of_features(spec.backbone) &&
         (inputs.places.numbers.cols() > most_numbers || inputs.places.levels.cols() > most_categories);
}

std::string to_string(const CandidateSpec& spec) {
  auto text = std::string(enum_name(spec.backbone));
  if (spec.backbone == Backbone::monomials) text = fmt::format("{} monomials", spec.most_terms);
  if (spec.backbone == Backbone::given) text = "given terms";
  if (!spec.names_networks) text += ", names hidden";
  if (spec.power != 1) text += fmt::format(", smooth maximum {}", spec.power);
  return text;
}

Result<Candidate> Candidate::fit(const CandidateSpec& spec, const CandidateContext& context,
                                 const Inputs& inputs, const VectorXd& log_target,
                                 const std::optional<Kernel>& first_guess) {
  if (!spec.names_networks && inputs.network)
    return fit(spec, context, without_names(inputs), log_target, first_guess);
  if (needs_sight(spec, inputs)) {
    auto sight = sight_of(context, inputs, log_target);
    auto own_context = context;
    own_context.machine = place_of(context.machine, sight.categories);
    NEPH_TRY(auto candidate, fitted(spec, own_context, seen(sight, inputs), log_target, {}));
    candidate.sight_ = std::move(sight);
    return candidate;
  }
  return fitted(spec, context, inputs, log_target, first_guess);
}

Result<Candidate> Candidate::fitted(const CandidateSpec& spec, const CandidateContext& context,
                                    const Inputs& inputs, const VectorXd& log_target,
                                    const std::optional<Kernel>& first_guess) {
  NEPH_TRY(auto model, fit_backbone(spec, context, inputs, log_target));
  if (!spec.has_process) return Candidate(spec, std::move(model), std::nullopt);
  const VectorXd rest = log_target - std::visit(MeanOf{inputs}, model);
  const auto rows = followed_rows(inputs, context.most_rows_of_process);
  NEPH_TRY(auto process, Process::fit(rows_of(followed(spec, inputs), rows), rows_of(rest, rows),
                                      {.most_rows_for_kernel = context.most_rows_for_kernel,
                                       .most_rows = context.most_rows_of_process,
                                       .least_noise = std::max(1e-3, context.noise),
                                       .first_guess = first_guess}));
  return Candidate(spec, std::move(model), std::move(process));
}

Eigen::MatrixXd Candidate::log_means(const Inputs& at, const AskedDepartures& asked) const {
  static_assert(departures == 3);
  if (!spec_.names_networks && at.network) return log_means(without_names(at), asked);
  return sight_ ? means(seen(*sight_, at), asked) : means(at, asked);
}

Eigen::MatrixXd Candidate::means(const Inputs& at, const AskedDepartures& asked) const {
  const VectorXd backbone = std::visit(MeanOf{at}, model_);
  Eigen::MatrixXd all = backbone.replicate(1, departures);
  if (!process_ || !(asked[1] || asked[2])) return all;
  const auto places = followed(spec_, at);
  const auto held = process_->within_range(places);
  const bool are_same = held.numbers == places.numbers;
  if (asked[1] || are_same) all.col(1) += process_->mean(held);
  if (are_same) {
    all.col(2) = all.col(1);
  } else if (asked[2]) {
    all.col(2) += process_->mean(places);
  }
  return all;
}

}  // namespace neph::predict
