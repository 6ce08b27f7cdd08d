#include "predict/models/member.hpp"

#include <fmt/format.h>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// That a backbone is fitted to. It has a few dozen numbers at most, which more rows make no better.
constexpr std::size_t most_rows_of_backbone = 5000;

Result<Member::BackboneModel> fit_backbone(const MemberSpec& spec, const MemberContext& context,
                                           const Inputs& inputs, const VectorXd& log_target) {
  if (static_cast<std::size_t>(log_target.size()) > most_rows_of_backbone) {
    const auto rows = drawn_rows(static_cast<std::size_t>(log_target.size()), most_rows_of_backbone);
    return fit_backbone(spec, context, rows_of(inputs, rows), rows_of(log_target, rows));
  }
  switch (spec.backbone) {
    case Backbone::level:
      return constant_level(inputs.matrix, log_target);
    case Backbone::log_linear:
      return fit_log_linear(inputs.matrix, log_target);
    case Backbone::user_terms:
      return fit_user_terms(inputs.user_terms, inputs.matrix.levels, log_target, spec.power);
    case Backbone::layers:
      break;
  }
  if (inputs.work.cols() == 0) return fail(ErrorCode::invalid_argument, "there are no terms of work to fit");
  return fit_work(inputs.work, inputs.matrix.levels, log_target,
                  {.own_category = context.machine, .are_at_speed = context.knows_machines});
}

/// Behind the work of layers a process learns what their sizes change; a log-linear backbone would draw
/// straight lines through them, far beyond the few networks that there are.
FeatureMatrix followed(const MemberSpec& spec, const Inputs& inputs) {
  auto matrix = inputs.matrix;
  if (spec.backbone != Backbone::layers) return matrix;
  matrix.numbers.conservativeResize(Eigen::NoChange, matrix.numbers.cols() + inputs.mean_layer.cols());
  matrix.numbers.rightCols(inputs.mean_layer.cols()) = inputs.mean_layer;
  return matrix;
}

/// Members learn what a time is beside what its machine's data sheet says. The work of layers has the
/// machine's speed in it.
VectorXd log_speed_of(const MemberSpec& spec, const Inputs& inputs) {
  if (spec.backbone == Backbone::layers || inputs.log_speed.size() == 0) return VectorXd::Zero(inputs.rows());
  return inputs.log_speed;
}

struct MeanOf {
  const Inputs& at;
  VectorXd operator()(const LogLinear& model) const { return model.log_mean(at.matrix); }
  VectorXd operator()(const WorkModel& model) const { return model.log_mean(at.work, at.matrix.levels); }
  VectorXd operator()(const UserTermModel& model) const {
    return model.log_mean(at.user_terms, at.matrix.levels);
  }
};

}  // namespace

std::string to_string(const MemberSpec& spec) {
  constexpr std::array behind{"", " + GP", " + trees"};
  const auto* const process = behind.at(static_cast<std::size_t>(spec.residuals));
  if (spec.backbone == Backbone::level) return std::string(process).substr(3);
  auto text = std::string(enum_name(spec.backbone));
  if (spec.power != 1) text += fmt::format(" (smooth maximum {})", spec.power);
  return text + process;
}

Result<Member> Member::fit(const MemberSpec& spec, const MemberContext& context, const Inputs& inputs,
                           const VectorXd& log_target) {
  Member member{.spec = spec};
  const VectorXd target = log_target + log_speed_of(spec, inputs);
  NEPH_TRY(member.backbone, fit_backbone(spec, context, inputs, target));
  if (spec.residuals == ResidualPolicy::none) return member;
  const VectorXd residuals = target - std::visit(MeanOf{inputs}, member.backbone);
  if (spec.residuals == ResidualPolicy::trees) {
    NEPH_TRY(member.trees, BoostedTrees::grow(inputs.matrix, residuals));
    return member;
  }
  NEPH_TRY(member.process, GaussianProcess::fit(followed(spec, inputs), residuals, context.process));
  return member;
}

VectorXd Member::log_mean(const Inputs& at) const {
  VectorXd mean = std::visit(MeanOf{at}, backbone) - log_speed_of(spec, at);
  if (trees) mean += trees->values(at.matrix);
  if (process) mean += process->mean(followed(spec, at));
  return mean;
}

}  // namespace neph::predict
