// What a model says of rows: those that lie alike to the table are asked together.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "predict/kernel_sum.hpp"
#include "predict/model.hpp"
#include "predict/parallel.hpp"
#include "predict/steady_math.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<std::size_t>;

/// Of a number about whose effect nothing is known: between that of none and that of work in proportion to
/// it, nearer to none since machines do more work faster.
constexpr double usual_power = 0.3;
constexpr double widest_half = 14;  ///< of an interval's logarithm: a factor of a million says nothing
/// Of all ways together that are left out of a blend because they hardly count: asking them costs as much as
/// asking those that do.
constexpr double least_counting = 0.002;

/// Whether a value within a grid is none of its own.
bool is_between(const std::vector<double>& grid, double value) {
  return !grid.empty() && grid.front() < value && value < grid.back() &&
         !std::binary_search(grid.begin(), grid.end(), value);
}

/// That add up to 1. Summed one after the other, so that ways without weight between them change nothing.
VectorXd normalized(const VectorXd& weights) {
  return weights / std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// The lightest ways, which together count for nothing, have no weight.
VectorXd without_lightest(VectorXd weights) {
  std::vector<Index> order(static_cast<std::size_t>(weights.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return weights[a] < weights[b]; });
  double left_out = 0;
  for (const auto i : order) {
    left_out += weights[i];
    if (left_out > least_counting) break;
    weights[i] = 0;
  }
  return normalized(weights);
}

/// A number that never differed is no candidate's business, and has its effect nevertheless.
bool has_effect(const LookedAt& columns, Situation situation, Index column) {
  const bool is_level = situation == Situation::unseen || situation == Situation::few;
  return situation == Situation::unvaried ||
         (is_level ? columns.categories : columns.numbers)[static_cast<std::size_t>(column)];
}

void refuse(Prediction& prediction, std::string why) {
  prediction.value = prediction.low = prediction.high = std::numeric_limits<double>::quiet_NaN();
  prediction.refused = std::move(why);
}

}  // namespace

Place Model::place_of(const Inputs& inputs, Index row, const Levels& measured) const {
  Place place;
  std::map<Situation, std::pair<Index, double>> furthest;  // column and distance, of what nobody looks at
  const auto add = [&](Situation situation, Index column, double distance) {
    if (distance > 0) distance /= measured.units[column];
    if (situation != Situation::few && !is_in_range(situation)) place.flagged.push_back({situation, column});
    if (has_effect(measured.looked_at, situation, column)) {
      place.conditions.push_back({situation, column});
      place.distances.push_back(distance);
    } else if (const auto [far, is_first] = furthest.try_emplace(situation, column, distance);
               !is_first && distance > far->second.second) {
      far->second = {column, distance};
    }
  };
  for (Index j = 0; j < inputs.ranged.cols(); ++j) {
    const double value = inputs.ranged(row, j);
    if (low_[j] == high_[j]) {
      if (value != low_[j]) add(Situation::unvaried, j, std::abs(value - low_[j]));
      continue;
    }
    if (value > high_[j]) add(Situation::above, j, value - high_[j]);
    if (value < low_[j]) add(Situation::below, j, low_[j] - value);
    if (const auto& grid = measured.grids[static_cast<std::size_t>(j)]; is_between(grid, value))
      add(Situation::between, j, distance_to_nearest(grid, value));
    if (const double distance = measured.crowded[static_cast<std::size_t>(j)].distance_to(value);
        distance > 0 && low_[j] <= value && value <= high_[j])
      add(Situation::sparse, j, distance);
  }
  for (Index c = 0; c < inputs.places.levels.cols(); ++c) {
    const int level = inputs.places.levels(row, c);
    if (level < 0) {
      add(Situation::unseen, c, 0);
    } else if (measured.is_rare[static_cast<std::size_t>(c)][static_cast<std::size_t>(level)]) {
      add(Situation::few, c, 0);
    }
  }
  for (const auto& [situation, far] : furthest) {
    place.conditions.push_back({situation, far.first});
    place.distances.push_back(far.second);
  }
  return place;
}

std::vector<Extrapolation> Model::words(const Place& place, const table::Table& rows, std::size_t row) const {
  std::vector<Extrapolation> all;
  for (const auto& condition : place.flagged) {
    const bool is_level = condition.situation == Situation::unseen;
    const auto& column = is_level ? design_.categories()[static_cast<std::size_t>(condition.column)].column
                                  : design_.ranged()[static_cast<std::size_t>(condition.column)];
    const auto cell = rows.columns[*rows.find(column)].text(row);
    all.push_back(
        {column, condition.situation,
         is_level ? fmt::format("'{}' was not measured", cell)
         : condition.situation == Situation::unvaried
             ? fmt::format("{}, measured at {} alone", cell,
                           design_.range_end(condition.column, low_[condition.column]))
             : fmt::format("{}, measured {} {}", cell,
                           condition.situation == Situation::above ? "up to" : "down to",
                           design_.range_end(condition.column, condition.situation == Situation::above
                                                                   ? high_[condition.column]
                                                                   : low_[condition.column]))});
  }
  return all;
}

/// Of numbers that never differed, about which the table says nothing; terms that are made of them do.
VectorXd Model::unseen_effects(const Inputs& inputs, const CandidateSpec& spec) const {
  VectorXd effects = VectorXd::Zero(inputs.rows());
  for (Index j = 0; j < inputs.ranged.cols(); ++j) {
    if (design_.is_seen(j) || !design_.is_quantity(j)) continue;
    if (spec.backbone == Backbone::given && design_.is_given(j)) continue;
    effects.array() += usual_power * (inputs.ranged.col(j).array() - low_[j]);
  }
  return effects;
}

Model::Levels Model::levels() const {
  Levels measured;
  for (const auto& counts : counts_) {
    const auto most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    auto& rare = measured.is_rare.emplace_back();
    for (const auto count : counts) rare.push_back(is_rare(count, most));
  }
  for (Index j = 0; j < points_.ranged.cols(); ++j) {
    measured.grids.push_back(grid_of(points_.ranged.col(j)));
    measured.crowded.push_back(crowded_range(points_.ranged.col(j)));
  }
  measured.units = units();
  measured.looked_at = looked_at(candidates_, design_);
  return measured;
}

Eigen::RowVectorXd Model::units() const {
  Eigen::RowVectorXd units = Eigen::RowVectorXd::Ones(low_.size());
  for (Index j = 0; j < units.size(); ++j) {
    if (design_.is_quantity(j)) continue;
    if (const double range = high_[j] - low_[j]; range > 0) {
      units[j] = range;
    } else if (low_[j] != 0) {
      units[j] = std::abs(low_[j]);
    }
  }
  return units;
}

/// Weights of the ways of the candidates that stayed, and what those say.
struct Model::Blended {
  VectorXd weights;
  MatrixXd logs;  ///< rows by ways
};

Model::Blended Model::blended(const Place& place, const Inputs& inputs) const {
  const auto all_weights = blend_.weights(place);
  const auto counts = blend_.counting(place.conditions.empty() ? std::vector{Condition{}} : place.conditions);
  const bool is_one_fitted = std::ranges::any_of(kept_, [&](std::size_t each) { return counts[each]; });
  const auto ways = static_cast<Index>(departures);
  Blended all{VectorXd::Zero(std::ssize(kept_) * ways),
              MatrixXd::Zero(inputs.rows(), std::ssize(kept_) * ways)};
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (counts[kept_[i]] || !is_one_fitted)
      all.weights.segment(static_cast<Index>(i) * ways, ways) =
          all_weights.segment(static_cast<Index>(kept_[i]) * ways, ways);
  all.weights = without_lightest(normalized(all.weights));
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    AskedDepartures asked;
    for (std::size_t d = 0; d < departures; ++d)
      asked[d] = all.weights[static_cast<Index>(i * departures + d)] > 0;
    if (std::find(asked.begin(), asked.end(), true) != asked.end())
      all.logs.middleCols(static_cast<Index>(i) * ways, ways) =
          candidates_[i].log_means(inputs, asked).colwise() + unseen_effects(inputs, candidates_[i].spec());
  }
  return all;
}

void Model::answer(const Rows& rows, const Question& question, std::vector<Prediction>& predictions) const {
  const auto inputs = rows_of(question.inputs, rows);
  const auto all = blended(question.places[rows.front()], inputs);
  for (Index i = 0; i < inputs.rows(); ++i) {
    const auto row = rows[static_cast<std::size_t>(i)];
    const auto& place = question.places[row];
    auto& prediction = predictions[row];
    if (const auto unread = question.rows.unread.find(row); unread != question.rows.unread.end()) {
      refuse(prediction, unread->second);
      continue;
    }
    prediction.extrapolates = words(place, question.rows, row);
    if (design_.machine() && inputs.places.levels(i, static_cast<Index>(*design_.machine())) < 0) {
      refuse(prediction, "no row of this machine was measured; add one or more to the table and fit again");
      continue;
    }
    if (const auto found = inputs.refused.find(static_cast<std::size_t>(i)); found != inputs.refused.end()) {
      refuse(prediction, found->second);
      continue;
    }
    const VectorXd own = all.logs.row(i).transpose();
    const double mean = agreed(all.weights, own, place.is_within_range()),
                 half = blend_.half_width(place, all.weights, own, question.noise);
    prediction.value = steady::exp(mean);
    prediction.low = steady::exp(mean - half);
    prediction.high = steady::exp(mean + half);
    const bool is_far = !(half < widest_half && std::isfinite(prediction.high));
    if (is_far && !prediction.extrapolates.empty())
      refuse(prediction, "so far from all that was measured that nothing can be said; measure nearer to it");
  }
}

Result<std::vector<Prediction>> Model::predict(const table::Table& rows, std::size_t threads) const {
  NEPH_TRY(const auto inputs, design_.apply(rows));
  const auto measured = levels();
  Question question{rows, inputs, noise_beyond_points(measured_), {}};
  std::map<std::vector<Condition>, Rows> by_conditions;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    question.places.push_back(place_of(inputs, static_cast<Index>(row), measured));
    by_conditions[question.places.back().conditions].push_back(row);
  }
  std::vector<Rows> jobs;
  for (auto& [conditions, alike] : by_conditions) {
    sort_by_places(alike, inputs.places);
    for (auto& job : in_jobs(alike)) jobs.push_back(std::move(job));
  }
  std::vector<Prediction> predictions(rows.rows);
  share_out(jobs.size(), threads, "predict",
            [&](std::size_t job) { answer(jobs[job], question, predictions); });
  return predictions;
}

}  // namespace neph::predict
