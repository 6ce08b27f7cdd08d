// A member of the ensemble: a backbone that says what a time is made of, and what follows its residuals.
#pragma once

#include <string>
#include <variant>

#include "core/describe.hpp"
#include "predict/features/design.hpp"
#include "predict/models/boosted_trees.hpp"
#include "predict/models/gaussian_process.hpp"
#include "predict/models/log_linear.hpp"
#include "predict/models/user_term_model.hpp"
#include "predict/models/work_model.hpp"

namespace neph::predict {

enum class Backbone {
  level,       ///< the same for all rows
  log_linear,  ///< powers of quantities, factors of categories
  layers,      ///< terms of the network's layers, with rates of each machine
  user_terms,  ///< terms that the user gives
};
constexpr auto enum_names(Backbone) {
  return std::array{Named{Backbone::level, "level"}, Named{Backbone::log_linear, "log-linear"},
                    Named{Backbone::layers, "layers"}, Named{Backbone::user_terms, "user terms"}};
}

/// What follows the residuals of a backbone.
enum class ResidualPolicy {
  none,
  process,
  trees,
};
constexpr auto enum_names(ResidualPolicy) {
  return std::array{Named{ResidualPolicy::none, "none"}, Named{ResidualPolicy::process, "process"},
                    Named{ResidualPolicy::trees, "trees"}};
}

struct MemberSpec {
  Backbone backbone = Backbone::log_linear;
  ResidualPolicy residuals = ResidualPolicy::process;
  double power = 1;  ///< of a sum of user terms
  bool operator==(const MemberSpec&) const = default;
};
template <class Visit, Describes<MemberSpec> Self>
void describe(Visit&& v, Self& s) {
  v("backbone", s.backbone, "what a time is made of");
  v("residuals", s.residuals, "what follows the residuals");
  v("power", s.power, "1: terms add up; more: the largest one rules", between(1, 64));
}
/// "log-linear + GP"
std::string to_string(const MemberSpec& spec);

/// What a member may know of the table beside its inputs.
struct MemberContext {
  std::optional<Eigen::Index> machine;  ///< category whose levels have rates of their own
  bool knows_machines = false;          ///< WorkSettings::are_at_speed
  bool is_rate = false;                 ///< the target is work in a time
  GaussianProcessSettings process;
};

struct Member {
  using BackboneModel = std::variant<LogLinear, WorkModel, UserTermModel>;
  MemberSpec spec;
  BackboneModel backbone;
  std::optional<GaussianProcess> process;
  std::optional<BoostedTrees> trees;

  /// Errors: those of GaussianProcess and BoostedTrees; invalid_argument (no terms where the backbone needs
  /// them).
  static Result<Member> fit(const MemberSpec& spec, const MemberContext& context, const Inputs& inputs,
                            const Eigen::VectorXd& log_target);
  Eigen::VectorXd log_mean(const Inputs& at) const;
};

}  // namespace neph::predict
