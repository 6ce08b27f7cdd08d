// What a model says of rows: those that lie alike to the table are asked together.
#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/ensemble/model.hpp"
#include "predict/ensemble/parallel.hpp"
#include "predict/models/kernel_predict.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Rows = std::vector<std::size_t>;

/// Of a number about whose effect nothing is known: between that of none and that of work in proportion to
/// it, nearer to none since machines do more work faster.
constexpr double usual_power = 0.3;
constexpr double deviations_of_ninety = 1.645;  ///< within which nine of ten answers of a law lie
constexpr double widest_half = 14;  ///< of an interval's logarithm: a factor of a million says nothing
/// Of members that are not asked: what is agreed on is much the same without.
constexpr double least_weight = 0.005;

/// Whether a value within a grid is none of its own.
bool is_between(const std::vector<double>& grid, double value) {
  return !grid.empty() && grid.front() < value && value < grid.back() &&
         !std::binary_search(grid.begin(), grid.end(), value);
}

void refuse(Prediction& prediction, std::string why) {
  prediction.value = prediction.low = prediction.high = std::numeric_limits<double>::quiet_NaN();
  prediction.refused = std::move(why);
  prediction.no_interval.clear();
}

}  // namespace

QueryPosition Model::position_of(const Inputs& inputs, Index row, const Levels& measured) const {
  QueryPosition position;
  std::map<ShiftKind, std::pair<Index, double>> furthest;  // column and distance, of what no member uses
  const auto add = [&](ShiftKind kind, Index column, double distance) {
    if (distance > 0) distance /= measured.units[column];
    if (kind != ShiftKind::rare && kind != ShiftKind::between) position.flagged.push_back({kind, column});
    const auto& used = is_of_category(kind) ? measured.uses_category : measured.uses_number;
    // A number that never differed is no member's business, and has its effect nevertheless.
    if (kind == ShiftKind::unvaried || used[static_cast<std::size_t>(column)]) {
      position.shifts.push_back({kind, column});
      position.distances.push_back(distance);
    } else if (const auto [far, is_first] = furthest.try_emplace(kind, column, distance);
               !is_first && distance > far->second.second) {
      far->second = {column, distance};
    }
  };
  for (Index j = 0; j < inputs.ranged.cols(); ++j) {
    const double value = inputs.ranged(row, j);
    if (low_[j] == high_[j]) {
      if (value != low_[j]) add(ShiftKind::unvaried, j, std::abs(value - low_[j]));
      continue;
    }
    if (value > high_[j]) add(ShiftKind::above, j, value - high_[j]);
    if (value < low_[j]) add(ShiftKind::below, j, low_[j] - value);
    if (const auto& grid = measured.grids[static_cast<std::size_t>(j)]; is_between(grid, value))
      add(ShiftKind::between, j, distance_to_nearest(grid, value));
  }
  const auto machine = design_.machine();
  const bool is_new_machine =
      design_.knows_machines() && inputs.matrix.levels(row, static_cast<Index>(*machine)) < 0;
  for (Index c = 0; c < inputs.matrix.levels.cols(); ++c) {
    if (is_new_machine && c != static_cast<Index>(*machine) &&
        measured.is_machines[static_cast<std::size_t>(c)])
      continue;  // it is another of course
    const int level = inputs.matrix.levels(row, c);
    if (level < 0)
      add(ShiftKind::unseen, c, 0);
    else if (measured.is_rare[static_cast<std::size_t>(c)][static_cast<std::size_t>(level)])
      add(ShiftKind::rare, c, 0);
  }
  for (const auto& [kind, far] : furthest) {
    position.shifts.push_back({kind, far.first});
    position.distances.push_back(far.second);
  }
  return position;
}

std::vector<Extrapolation> Model::words(const QueryPosition& position, const table::Table& rows,
                                        std::size_t row) const {
  std::vector<Extrapolation> all;
  for (const auto& shift : position.flagged) {
    const auto kind = shift.kind;
    const auto& name = column_of(shift);
    const auto cell = rows.columns[*rows.find(name)].text(row);
    const auto end = [&](const auto& ends) { return design_.range_end(shift.column, ends[shift.column]); };
    all.push_back({name, kind,
                   kind == ShiftKind::unseen     ? fmt::format("'{}' was not measured", cell)
                   : kind == ShiftKind::unvaried ? fmt::format("{}, measured at {} alone", cell, end(low_))
                   : kind == ShiftKind::above    ? fmt::format("{}, measured up to {}", cell, end(high_))
                                                 : fmt::format("{}, measured down to {}", cell, end(low_))});
  }
  return all;
}

/// Of numbers that never differed, about which the table says nothing; terms that are made of them do.
VectorXd Model::unseen_effects(const Inputs& inputs, const MemberSpec& spec) const {
  VectorXd effects = VectorXd::Zero(inputs.rows());
  for (Index j = 0; j < inputs.ranged.cols(); ++j) {
    if (design_.is_seen(j) || !design_.is_quantity(j)) continue;
    if (spec.backbone == Backbone::user_terms && design_.is_in_user_terms(j)) continue;
    effects.array() += usual_power * (inputs.ranged.col(j).array() - low_[j]);
  }
  return effects;
}

Model::Levels Model::levels() const {
  Levels measured;
  for (const auto& counts : counts_) measured.is_rare.push_back(rare_levels(counts));
  for (Index j = 0; j < points_.ranged.cols(); ++j) measured.grids.push_back(grid_of(points_.ranged.col(j)));
  measured.units = units();
  if (design_.machine()) measured.is_machines = machines_own();
  const auto& columns = ensemble_.columns;
  const auto features = design_.features();
  measured.uses_category.resize(design_.categories().size());
  for (const auto c : columns.categories) measured.uses_category[static_cast<std::size_t>(c)] = true;
  for (Index j = 0; j < points_.ranged.cols(); ++j) {
    const auto& name = design_.ranged_name(j);
    const auto& roles = design_.roles();
    measured.uses_number.push_back(design_.is_in_user_terms(j) ||
                                   (!roles.network.empty() && (name == roles.side || name == roles.batch)) ||
                                   std::ranges::any_of(columns.numbers, [&](Index feature) {
                                     const auto& used = features[static_cast<std::size_t>(feature)];
                                     return used == name || used == "has " + name;
                                   }));
  }
  return measured;
}

Eigen::RowVectorXd Model::units() const {
  Eigen::RowVectorXd units = Eigen::RowVectorXd::Ones(low_.size());
  for (Index j = 0; j < units.size(); ++j) {
    if (design_.is_quantity(j)) continue;
    if (const double range = high_[j] - low_[j]; range > 0)
      units[j] = range;
    else if (low_[j] != 0)
      units[j] = std::abs(low_[j]);
  }
  return units;
}

Unseen Model::unseen_at(const QueryPosition& position) const {
  Unseen unseen;
  for (const auto& [kind, column] : position.shifts)
    if (kind == ShiftKind::unseen &&
        std::ranges::find(ensemble_.columns.categories, column) != ensemble_.columns.categories.end())
      unseen.push_back(column);
  return unseen;
}

Status Model::add_ensembles(Query& query, std::size_t threads) const {
  for (std::size_t row = 0; row < query.positions.size(); ++row) {
    if (is_answered_by_law(query.positions[row])) {
      if (query.law || !refusal(query, row).empty()) continue;
      NEPH_TRY(query.law, MachineLaw::fit(machine_rows(points_), log_target()));
      continue;
    }
    const auto unseen = unseen_at(query.positions[row]);
    if (unseen.empty() || query.without.contains(unseen) || !refusal(query, row).empty()) continue;
    NEPH_TRY(auto ensemble,
             Ensemble::fit(specs_, context(), points_, log_target(), unseen, &ensemble_, threads));
    query.without.emplace(unseen, std::move(ensemble));
  }
  return {};
}

std::string Model::refusal(const Query& query, std::size_t row) const {
  if (const auto unread = query.rows.unread.find(row); unread != query.rows.unread.end())
    return unread->second;
  const auto at = static_cast<Index>(row);
  if (design_.machine() && query.inputs.matrix.levels(at, static_cast<Index>(*design_.machine())) < 0) {
    if (!design_.knows_machines())
      return "no row of this machine was measured, and too few of those that were are known devices: give "
             "their "
             "data sheets with --machines, or measure a row of this one, and fit again";
    if (const auto unknown = query.inputs.unknown_machines.find(row);
        unknown != query.inputs.unknown_machines.end())
      return unknown->second;
  }
  if (!points_.refused.empty() && !unseen_at(query.positions[row]).empty())  // a file that is no longer there
    return "the model's own rows are needed for a category that it does not know, but " +
           points_.refused.begin()->second;
  const auto found = query.inputs.refused.find(row);
  return found == query.inputs.refused.end() ? "" : found->second;
}

bool Model::is_answered_by_law(const QueryPosition& position) const {
  if (!design_.knows_machines()) return false;
  const auto machine = static_cast<Index>(*design_.machine());
  return std::ranges::any_of(position.shifts, [&](const Shift& shift) {
    return shift == Shift{ShiftKind::unseen, machine} || shift == Shift{ShiftKind::rare, machine};
  });
}

std::vector<bool> Model::machines_own() const {
  return predict::machines_own(points_.matrix.levels, static_cast<Index>(*design_.machine()));
}

MachineRows Model::machine_rows(const Inputs& inputs) const {
  return predict::machine_rows(inputs, ensemble_.columns, context(), machines_own());
}

/// The law has the machine's part of the interval, and hold-outs that of the other shifts.
void Model::answer_by_law(const Rows& rows, const Query& query, std::vector<Prediction>& predictions) const {
  const auto are_machines_own = machines_own();
  const auto inputs = rows_of(query.inputs, rows);
  const auto answers = query.law->at(machine_rows(inputs));
  const VectorXd unseen = unseen_effects(inputs, {});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = rows[i];
    const auto& position = query.positions[row];
    QueryPosition rest{{}, {}, position.flagged};
    for (std::size_t k = 0; k < position.shifts.size(); ++k) {
      const auto& [kind, column] = position.shifts[k];
      if (is_of_category(kind) && are_machines_own[static_cast<std::size_t>(column)]) continue;
      if (kind == ShiftKind::rare || kind == ShiftKind::between) continue;  // the law's own spread has these
      rest.shifts.push_back(position.shifts[k]);
      rest.distances.push_back(position.distances[k]);
    }
    const double mean = answers[i].log_mean + unseen[static_cast<Index>(i)];
    double half = std::hypot(deviations_of_ninety * answers[i].deviation, deviations_of_ninety * query.noise);
    if (!rest.shifts.empty())
      half = std::hypot(half, scores_.half_width(rest, scores_.weights(rest),
                                                 VectorXd::Constant(std::ssize(specs_), mean), 0));
    set_interval(predictions[row], rest, mean, half);
  }
}

void Model::set_interval(Prediction& prediction, const QueryPosition& position, double mean,
                         double half) const {
  prediction.value = std::exp(mean);
  prediction.low = std::exp(mean - half);
  prediction.high = std::exp(mean + half);
  if (const auto* shift = scores_.untried_in(position)) {
    prediction.low = prediction.high = std::numeric_limits<double>::quiet_NaN();
    prediction.no_interval = fmt::format(
        "{}: no part of the table could be left out to show how far off predictions are there; measure a "
        "few such rows, and give them with --calibrate",
        words(std::span(shift, 1)));
  }
  const bool is_far = !(half < widest_half && std::isfinite(std::exp(mean + half)));
  if (is_far && (!prediction.extrapolates.empty() || !std::isfinite(mean)))
    refuse(prediction, "so far from all that was measured that nothing can be said; measure nearer to it");
}

void Model::answer(const Rows& asked, const Query& query, std::vector<Prediction>& predictions) const {
  Rows rows;
  for (const auto row : asked) {
    auto& prediction = predictions[row];
    if (!query.rows.unread.contains(row))
      prediction.extrapolates = words(query.positions[row], query.rows, row);
    if (auto why = refusal(query, row); why.empty())
      rows.push_back(row);
    else
      refuse(prediction, std::move(why));
  }
  if (rows.empty()) return;
  if (is_answered_by_law(query.positions[rows.front()])) return answer_by_law(rows, query, predictions);
  const auto inputs = rows_of(query.inputs, rows);
  const auto& first = query.positions[rows.front()];
  const auto without = query.without.find(unseen_at(first));
  const auto& ensemble = without == query.without.end() ? ensemble_ : without->second;
  VectorXd weights = scores_.weights(first);
  std::vector<bool> wanted(specs_.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto& weight = weights[static_cast<Index>(i)];
    wanted[i] = weight >= least_weight;
    if (!wanted[i]) weight = 0;
  }
  auto logs = ensemble.log_means(inputs, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) logs.col(static_cast<Index>(i)) += unseen_effects(inputs, specs_[i]);
  for (Index i = 0; i < inputs.rows(); ++i) {
    const auto row = rows[static_cast<std::size_t>(i)];
    const auto& position = query.positions[row];
    const VectorXd own = logs.row(i).transpose();
    const double mean = agreed(weights, own, position.shifts.empty());
    const double half = scores_.half_width(position, weights, own, query.noise);
    set_interval(predictions[row], position, mean, half);
  }
}

Result<std::vector<Prediction>> Model::predict(const table::Table& rows, std::size_t threads) const {
  NEPH_TRY(const auto inputs, design_.apply(rows));
  const auto measured = levels();
  Query query{rows, inputs, noise_beyond_points(measured_), {}, {}};
  std::map<std::vector<Shift>, Rows> by_shifts;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    query.positions.push_back(position_of(inputs, static_cast<Index>(row), measured));
    by_shifts[query.positions.back().shifts].push_back(row);
  }
  NEPH_CHECK(add_ensembles(query, threads));
  std::vector<Rows> jobs;
  for (auto& [shifts, alike] : by_shifts) {
    sort_by_features(alike, inputs.matrix);
    for (auto& job : in_jobs(alike)) jobs.push_back(std::move(job));
  }
  std::vector<Prediction> predictions(rows.rows);
  share_out(jobs.size(), threads, "predict", [&](std::size_t job) { answer(jobs[job], query, predictions); });
  return predictions;
}

}  // namespace neph::predict
