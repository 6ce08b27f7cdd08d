// Whether the parts of a model that was read fit together.
#include <algorithm>
#include <cmath>

#include "predict/features/network_numbers.hpp"
#include "predict/model_file/model_parts.hpp"

namespace neph::predict {

using Eigen::Index;

namespace {

Status consistent(bool holds, const char* what) {
  if (holds) return {};
  return fail(ErrorCode::corrupt, "its parts contradict each other: {}", what);
}

Status check_matrix(const FeatureMatrix& matrix, Index numbers, Index categories) {
  return consistent(matrix.numbers.cols() == numbers && matrix.levels.cols() == categories &&
                        matrix.numbers.rows() == matrix.levels.rows(),
                    "rows and columns of features");
}

/// Of a smooth maximum: as MemberSpec says.
bool is_power(double power) { return power >= 1 && power <= 64; }

bool are_columns(const std::vector<Index>& columns, Index below) {
  return std::ranges::is_sorted(columns) && std::ranges::adjacent_find(columns) == columns.end() &&
         (columns.empty() || (columns.front() >= 0 && columns.back() < below));
}

bool has_lengths(const Kernel& kernel) {
  const auto is_length = [](double length) { return std::isfinite(length) && length > 0; };
  const auto has_own = [](const Kernel::Own& own) { return own.length > 0 && own.likeness() > 0; };
  return std::ranges::all_of(kernel.lengths, is_length) && std::ranges::all_of(kernel.own, has_own);
}

/// Whether a member fits together, and to what it sees of the table's columns.
struct MemberCheck {
  const Member& member;
  const Inputs& inputs;  ///< as the members see them, of no rows
  Index numbers = inputs.matrix.numbers.cols(), categories = inputs.matrix.levels.cols();

  Status operator()() const {
    const auto residuals = member.spec.residuals;
    NEPH_CHECK(consistent(member.process.has_value() == (residuals == ResidualPolicy::process) &&
                              member.trees.has_value() == (residuals == ResidualPolicy::trees),
                          "what follows the residuals"));
    const bool sees_layers = member.spec.backbone == Backbone::layers;
    if (member.process)
      NEPH_CHECK(check(*member.process, numbers + (sees_layers ? inputs.mean_layer.cols() : 0)));
    if (member.trees) NEPH_CHECK(consistent(member.trees->are_of(numbers, categories), "columns of trees"));
    return std::visit([&](const auto& backbone) { return check(backbone); }, member.backbone);
  }

  Status check(const GaussianProcess& process, Index columns) const {
    NEPH_CHECK(check(process.scaling, columns));
    NEPH_CHECK(check_matrix(process.rows, columns, categories));
    return consistent(process.weights.size() == process.rows.rows() && process.weights.size() > 0 &&
                          std::ssize(process.kernel.lengths) == columns &&
                          std::ssize(process.kernel.own) == categories && has_lengths(process.kernel),
                      "a process and its rows");
  }
  static Status check(const Scaling& scaling, Index columns) {
    return consistent(scaling.center.size() == columns && scaling.width.size() == columns &&
                          (scaling.width.array() != 0).all(),
                      "scaling");
  }
  Status check(const LogLinear& powers) const {
    NEPH_CHECK(check(powers.scaling, numbers));
    return consistent(powers.slopes.size() == numbers && std::ssize(powers.factors) <= categories, "slopes");
  }
  Status check(const WorkModel& work) const {
    const auto terms = inputs.work.cols();
    const bool has_own = !work.own_category || (*work.own_category >= 0 && *work.own_category < categories &&
                                                work.own.cols() == terms);
    return consistent(terms > 0 && work.coefficients.size() == terms && has_own, "coefficients of terms");
  }
  Status check(const UserTermModel& model) const {
    const auto& values = inputs.user_terms;
    return consistent(model.work.size() == values.work.cols() &&
                          model.latency.size() == values.latency.cols() &&
                          model.work.size() + model.latency.size() > 0 && is_power(model.power) &&
                          std::ssize(model.factors) <= categories,
                      "coefficients of the user's terms");
  }
};

constexpr std::int64_t most_rows = 1 << 30;  ///< of a table

Status check_measured(const Points& measured) {
  const auto count = measured.target.size();
  const auto are_all = [](const std::vector<double>& values, auto&& holds) {
    return std::all_of(values.begin(), values.end(), holds);
  };
  NEPH_CHECK(
      consistent(count > 0 && measured.features.rows == count && measured.repeats.size() == count &&
                     measured.deviations.size() == count && std::isfinite(measured.noise) &&
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

Status ModelParts::complete(Model& model) {
  NEPH_CHECK(check_measured(model.measured_));
  NEPH_CHECK(find_roles(model.design_, model.measured_.features));
  NEPH_CHECK(consistent(model.know_points().has_value(), "the design and what was measured"));
  return check(model);
}

Status ModelParts::find_roles(Design& design, const table::Table& points) {
  table::Table nothing{.source = "the model"};
  for (const auto& number : design.numbers_) nothing.columns.push_back({.name = number.column});
  for (const auto& category : design.categories_) nothing.columns.push_back({.name = category.column});
  NEPH_TRY(design.user_terms_, UserTerms::parse(design.roles_.terms, nothing));
  const auto machine =
      std::ranges::find(design.categories_, design.roles_.hardware.machine, &Design::Category::column);
  if (machine == design.categories_.end()) return {};
  design.machine_ = static_cast<std::size_t>(machine - design.categories_.begin());
  design.learn_machines(points);
  return {};
}

Status ModelParts::check(const Model& model) {
  const auto& design = model.design_;
  const auto numbers = model.points_.matrix.numbers.cols(), categories = model.points_.matrix.levels.cols();
  const auto ranged = model.points_.ranged.cols();
  NEPH_CHECK(consistent(model.points_.ranged.allFinite(), "the design and its numbers"));
  table::Refusals refused;
  const auto located = design.locate(model.measured_.features, refused);
  NEPH_CHECK(consistent(located && refused.empty(), "what was measured"));

  const auto& columns = model.ensemble_.columns;
  const auto& members = model.ensemble_.members;
  NEPH_CHECK(consistent(are_columns(columns.numbers, numbers) && are_columns(columns.categories, categories),
                        "which columns are seen"));
  NEPH_CHECK(consistent(
      !model.scores_.scores.empty() && !members.empty() && members.size() == model.specs_.size(), "members"));
  NEPH_CHECK(consistent(model.origin_.rows >= 0 && model.origin_.rows <= most_rows, "how many rows"));
  for (const auto& score : model.scores_.scores) {
    const auto [kind, column] = score.shift;
    NEPH_CHECK(
        consistent(score.errors.size() == std::ssize(members) && score.errors.minCoeff() > 0 &&
                       score.trials > 0 && score.trials <= most_rows && score.median > 0 &&
                       score.distance >= 0 && score.group >= -1 && score.group <= most_rows && column >= -1 &&
                       (kind == ShiftKind::inside || column < (is_of_category(kind) ? categories : ranged)),
                   "what trials said"));
  }
  const auto own = seen(columns, rows_of(model.points_, {}));
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i]) continue;
    NEPH_CHECK(consistent(members[i]->spec == model.specs_[i], "members"));
    NEPH_CHECK((MemberCheck{*members[i], own}()));
  }
  return {};
}

}  // namespace neph::predict
