#include "predict/ensemble/ensemble.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "predict/ensemble/parallel.hpp"
#include "predict/features/screening.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index most_numbers = 24, most_categories = 12;

std::optional<Index> index_of(const std::optional<Index>& column, const std::vector<Index>& columns) {
  if (!column) return std::nullopt;
  const auto found = std::ranges::find(columns, *column);
  if (found == columns.end()) return std::nullopt;
  return found - columns.begin();
}

FeatureSubset subset_for(const MemberContext& context, const Inputs& inputs, const VectorXd& log_target,
                         const Unseen& unseen) {
  FeatureSubset subset{strongest(inputs.matrix.numbers, log_target, most_numbers),
                       strongest(inputs.matrix.levels, log_target, most_categories)};
  auto& categories = subset.categories;
  if (context.machine && std::ranges::find(categories, *context.machine) == categories.end())
    categories.insert(std::ranges::upper_bound(categories, *context.machine), *context.machine);
  std::erase_if(categories, [&](Index c) { return std::ranges::find(unseen, c) != unseen.end(); });
  return subset;
}

/// For a member that sees `columns`: a kernel of another subset has lengths of other columns, and those that
/// both see stay.
std::optional<Kernel> guess_for(const Ensemble& known, std::size_t member, const FeatureSubset& columns) {
  const auto& like = known.members[member];
  if (!like || !like->process || columns.numbers != known.columns.numbers) return std::nullopt;
  auto kernel = like->process->kernel;
  const auto own = std::exchange(kernel.own, {});
  for (const auto category : columns.categories) {
    const auto place = index_of(category, known.columns.categories);
    if (!place) return std::nullopt;
    kernel.own.push_back(own[static_cast<std::size_t>(*place)]);
  }
  return kernel;
}

/// Whether each level of a category has one level of another.
bool follows(const Eigen::VectorXi& other, const Eigen::VectorXi& category) {
  std::map<int, int> known;
  for (Index row = 0; row < category.size(); ++row)
    if (known.try_emplace(category[row], other[row]).first->second != other[row]) return false;
  return true;
}

}  // namespace

std::vector<bool> machines_own(const Eigen::MatrixXi& levels, Index machine) {
  std::vector<bool> all;
  for (Index c = 0; c < levels.cols(); ++c) {
    const bool is_constant =
        (levels.col(c).array() == levels(0, c)).all();  // and not the machine's more than others'
    all.push_back(c == machine || (!is_constant && follows(levels.col(c), levels.col(machine))));
  }
  return all;
}

MachineRows machine_rows(const Inputs& inputs, FeatureSubset columns, const MemberContext& context,
                         const std::vector<bool>& machines_own) {
  const Index speeds = inputs.matrix.numbers.cols() - 2;
  std::erase_if(columns.categories, [&](Index c) { return machines_own[static_cast<std::size_t>(c)]; });
  std::erase_if(columns.numbers, [&](Index j) { return j >= speeds; });
  MachineRows rows{seen(columns, inputs).matrix, inputs.matrix.numbers.rightCols(2),
                   inputs.matrix.levels.col(*context.machine), inputs.machine_families};
  if (context.is_rate) rows.log_speeds *= -1;
  auto& numbers = rows.configurations.numbers;
  numbers.conservativeResize(Eigen::NoChange, numbers.cols() + inputs.mean_layer.cols());
  numbers.rightCols(inputs.mean_layer.cols()) = inputs.mean_layer;
  return rows;
}

Inputs seen(const FeatureSubset& subset, const Inputs& inputs) {
  const Eigen::MatrixXd none(inputs.rows(), 0);
  return {.matrix = {inputs.matrix.numbers(Eigen::all, subset.numbers),
                     inputs.matrix.levels(Eigen::all, subset.categories)},
          .work = inputs.work,
          .mean_layer = inputs.mean_layer,
          .user_terms = inputs.user_terms,
          .log_speed = inputs.log_speed,
          .machine_families = inputs.machine_families,
          .ranged = none,
          .refused = {},
          .unknown_machines = {}};
}

Result<Ensemble> Ensemble::fit(const std::vector<MemberSpec>& specs, MemberContext context,
                               const Inputs& inputs, const VectorXd& log_target, const Unseen& unseen,
                               const Ensemble* guesses, std::size_t threads) {
  Ensemble ensemble;
  ensemble.columns = subset_for(context, inputs, log_target, unseen);
  const auto own = seen(ensemble.columns, inputs);
  context.machine = index_of(context.machine, ensemble.columns.categories);
  std::vector<std::optional<Error>> why(specs.size());
  ensemble.members.resize(specs.size());
  share_out(specs.size(), threads, "fit", [&](std::size_t i) {
    auto own_context = context;
    if (guesses) own_context.process.first_guess = guess_for(*guesses, i, ensemble.columns);
    auto member = Member::fit(specs[i], own_context, own, log_target);
    if (member)
      ensemble.members[i] = std::move(*member);
    else
      why[i] = member.error();
  });
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (ensemble.members[i]) return ensemble;
  return tl::unexpected(*why.front());
}

Eigen::MatrixXd Ensemble::log_means(const Inputs& at, const std::vector<bool>& wanted) const {
  const auto own = seen(columns, at);
  Eigen::MatrixXd all =
      Eigen::MatrixXd::Constant(at.rows(), std::ssize(members), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i] && (wanted.empty() || wanted[i]))
      all.col(static_cast<Index>(i)) = members[i]->log_mean(own);
  return all;
}

}  // namespace neph::predict
