#include "predict/ensemble/model.hpp"

#include <ranges>

#include <fmt/ranges.h>

#include "core/fnv1a.hpp"
#include "core/units.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

std::vector<std::size_t> counts_of(const Eigen::VectorXi& levels, std::size_t known) {
  std::vector<std::size_t> counts(known, 0);
  for (const int level : levels)
    if (level >= 0) ++counts[static_cast<std::size_t>(level)];
  return counts;
}

std::string hash_of(const Points& points) {
  std::string all;
  for (std::size_t row = 0; row < points.target.size(); ++row) {
    for (const auto& column : points.features.columns) all += column.text(row) + "\t";
    all += fmt::format("{}\n", points.target[row]);
  }
  return fmt::format("{:016x}", fnv1a(all));
}

/// There are many trials, and each begins at the kernel of all rows.
const GaussianProcessSettings of_trials{.most_rows_for_kernel = 200, .most_rows = 1000, .most_steps = 10};

}  // namespace

MemberContext Model::context() const {
  MemberContext context{.knows_machines = design_.knows_machines(), .is_rate = is_rate(origin_.target)};
  if (design_.machine()) context.machine = static_cast<Index>(*design_.machine());
  return context;
}

VectorXd Model::log_target() const {
  return Eigen::Map<const VectorXd>(measured_.target.data(), std::ssize(measured_.target)).array().log();
}

Status Model::know_points() {
  NEPH_TRY(points_, design_.apply(measured_.features));
  low_ = points_.ranged.colwise().minCoeff();
  high_ = points_.ranged.colwise().maxCoeff();
  counts_.clear();
  for (std::size_t c = 0; c < design_.categories().size(); ++c)
    counts_.push_back(
        counts_of(points_.matrix.levels.col(static_cast<Index>(c)), design_.categories()[c].levels.size()));
  specs_ = specs_of(method_, design_);
  return {};
}

Result<Model> Model::fit(const Profile& profile, const FitOptions& options) {
  if (profile.points.target.size() < fewest_points)
    return fail(ErrorCode::invalid_argument, "{} are too few to fit anything to; {} are the least",
                counted(std::ssize(profile.points.target), "different row"), fewest_points);
  NEPH_TRY(auto design, Design::learn(profile.points.features, options.roles));
  Model model(std::move(design));
  model.measured_ = profile.points;
  model.method_ = options.method;
  NEPH_CHECK(model.know_points());
  model.origin_ = {.source = profile.points.features.source,
                   .target = profile.target,
                   .rows = profile.rows,
                   .points = std::ssize(profile.points.target),
                   .hash = hash_of(profile.points)};
  auto context = model.context();
  NEPH_TRY(model.ensemble_, Ensemble::fit(model.specs_, context, model.points_, model.log_target(), {},
                                          nullptr, options.threads));

  context.process = of_trials;
  model.trials_ =
      run_trials(model.specs_, context, model.points_, model.log_target(), &model.ensemble_,
                 {.units = model.units(), .threads = options.threads, .progress = options.progress});
  model.scores_ = ShiftScores::learn(model.trials_);
  return model;
}

std::vector<std::string> Model::add_constants(table::Table& rows) const {
  std::vector<std::string> added;
  for (const auto& column : measured_.features.columns) {
    const auto found = rows.find(column.name);
    const auto is_as_first = [&](std::size_t row) { return column.text(row) == column.text(0); };
    if (found || found.error().code != ErrorCode::not_found ||
        !std::ranges::all_of(std::views::iota(std::size_t{0}, column.rows()), is_as_first))
      continue;
    added.push_back(fmt::format("{} {}", column.name, column.is_empty(0) ? "empty" : column.text(0)));
    const table::Table alone{.source = {}, .columns = {column}, .rows = column.rows(), .unread = {}};
    rows.columns.push_back(rows_of(alone, std::vector<std::size_t>(rows.rows, 0)).columns.front());
  }
  return added;
}

const std::string& Model::column_of(const Shift& shift) const {
  static const std::string any = "any column";
  if (shift.column < 0) return any;
  return is_of_category(shift.kind) ? design_.categories()[static_cast<std::size_t>(shift.column)].column
                                    : design_.ranged_name(shift.column);
}

std::string Model::words(std::span<const Shift> of_same_kind) const {
  constexpr std::array where{"inside the range",
                             "above the range of ",
                             "below the range of ",
                             "new value of constant column ",
                             "between the measured values of ",
                             "unseen category of ",
                             "few points of a category of "};  // in the order of ShiftKind
  const auto kind = of_same_kind.front().kind;
  std::vector<std::string> columns;
  if (kind != ShiftKind::inside)
    for (const auto& shift : of_same_kind) columns.push_back(column_of(shift));
  return fmt::format("{}{}", where.at(static_cast<std::size_t>(kind)), fmt::join(columns, ", "));
}

}  // namespace neph::predict
