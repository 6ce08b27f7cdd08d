#include "predict/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/fnv1a.hpp"
#include "core/units.hpp"
#include "predict/steady_math.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double least_weight = 0.02;  ///< of a candidate that stays
/// Of a number about whose effect nothing is known: between that of none and that of work in proportion to
/// it, nearer to none since machines do more work faster.
constexpr double usual_power = 0.3;

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

/// What ways of these weights agree on. Inside, where all are about right, their mean, whose errors cancel;
/// elsewhere their median, which one that goes astray does not move.
double middle(const VectorXd& weights, const VectorXd& values, bool inside) {
  if (inside) return weights.dot(values);
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  double below = 0;
  for (const auto i : order) {
    below += weights[i];
    if (below >= 0.5) return values[i];
  }
  return values[order.back()];
}

/// Candidates that count in some condition that was tried.
std::vector<std::size_t> worth_keeping(const Blend& blend, std::size_t candidates) {
  VectorXd most = VectorXd::Zero(static_cast<Index>(candidates * departures));
  for (const auto& standing : blend.standings())
    most = most.cwiseMax(blend.weights({{standing.condition}, {standing.distance}}));
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < candidates; ++i)
    if (most.segment(static_cast<Index>(i * departures), departures).maxCoeff() >= least_weight)
      kept.push_back(i);
  return kept;
}

}  // namespace

Result<Model> Model::fit(const Survey& survey, const FitOptions& options) {
  if (survey.points.target.size() < fewest_points)
    return fail(ErrorCode::invalid_argument, "{} are too few to fit anything to; {} are the least",
                counted(std::ssize(survey.points.target), "different row"), fewest_points);
  NEPH_TRY(auto design, Design::learn(survey.points.features, options.roles));
  Model model(std::move(design));
  NEPH_TRY(model.points_, model.design_.apply(survey.points.features));
  model.noise_ = survey.points.noise;
  model.origin_ = {.source = survey.points.features.source,
                   .target = survey.target,
                   .rows = survey.rows,
                   .points = std::ssize(survey.points.target),
                   .hash = hash_of(survey.points)};
  model.low_ = model.points_.ranged.colwise().minCoeff();
  model.high_ = model.points_.ranged.colwise().maxCoeff();
  for (std::size_t c = 0; c < model.design_.categories().size(); ++c)
    model.counts_.push_back(counts_of(model.points_.places.levels.col(static_cast<Index>(c)),
                                      model.design_.categories()[c].levels.size()));
  VectorXd log_target(static_cast<Index>(survey.points.target.size()));
  for (Index i = 0; i < log_target.size(); ++i)
    log_target[i] = std::log(survey.points.target[static_cast<std::size_t>(i)]);

  model.specs_ = specs_of(options.method, model.design_);
  CandidateContext context{.machine_speeds = model.design_.machine_speeds(),
                           .noise = model.noise_,
                           .most_rows_for_kernel = options.kernel_rows_in_trials};
  if (model.design_.machine()) context.machine = static_cast<Index>(*model.design_.machine());
  const auto guesses = first_guesses(model.specs_, context, model.points_, log_target, options.threads);
  model.trials_ = run_trials(model.specs_, context, model.points_, log_target,
                             {.threads = options.threads, .guesses = guesses, .progress = options.progress});
  model.blend_ = Blend::learn(model.trials_);

  context.most_rows_for_kernel = options.kernel_rows;
  for (const auto place : worth_keeping(model.blend_, model.specs_.size())) {
    auto candidate = Candidate::fit(model.specs_[place], context, model.points_, log_target, guesses[place]);
    if (!candidate) continue;
    model.kept_.push_back(place);
    model.candidates_.push_back(std::move(*candidate));
  }
  if (model.candidates_.empty())
    return fail(ErrorCode::internal, "nothing could be fitted to {}", survey.points.features.source);
  return model;
}

std::string Model::words(const Condition& condition) const {
  const bool is_level = condition.situation == Situation::unseen || condition.situation == Situation::few;
  const auto column = condition.column < 0 ? "any column"
                      : is_level ? design_.categories()[static_cast<std::size_t>(condition.column)].column
                                 : design_.ranged()[static_cast<std::size_t>(condition.column)];
  switch (condition.situation) {
    case Situation::inside:
      return "inside the range";
    case Situation::above:
      return "above the range of " + column;
    case Situation::below:
      return "below the range of " + column;
    case Situation::unvaried:
      return "another value of " + column + " that never differed";
    case Situation::unseen:
      return "a new value of " + column;
    case Situation::few:
      return "few points of a value of " + column;
  }
  return {};
}

std::string Model::way(std::size_t place) const {
  constexpr std::array behind{"", " + process held at the ends", " + process"};
  const auto& spec = specs_.at(place / departures);
  return to_string(spec) + (spec.has_process ? behind.at(place % departures) : "");
}

Place Model::place_of(const Inputs& inputs, Index row) const {
  Place place;
  const auto add = [&](Situation situation, Index column, double distance) {
    place.conditions.push_back({situation, column});
    place.distances.push_back(distance);
  };
  for (Index j = 0; j < inputs.ranged.cols(); ++j) {
    const double value = inputs.ranged(row, j);
    if (low_[j] == high_[j]) {
      if (value != low_[j]) add(Situation::unvaried, j, std::abs(value - low_[j]));
      continue;
    }
    if (value > high_[j]) add(Situation::above, j, value - high_[j]);
    if (value < low_[j]) add(Situation::below, j, low_[j] - value);
  }
  for (Index c = 0; c < inputs.places.levels.cols(); ++c) {
    const int level = inputs.places.levels(row, c);
    const auto& counts = counts_[static_cast<std::size_t>(c)];
    if (level < 0) {
      add(Situation::unseen, c, 0);
    } else if (is_rare(counts[static_cast<std::size_t>(level)],
                       *std::max_element(counts.begin(), counts.end()))) {
      add(Situation::few, c, 0);
    }
  }
  return place;
}

std::vector<Extrapolation> Model::words(const Place& place, const Table& rows, std::size_t row) const {
  std::vector<Extrapolation> all;
  for (const auto& condition : place.conditions) {
    if (condition.situation == Situation::few) continue;
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

Result<std::vector<Prediction>> Model::predict(const Table& rows) const {
  NEPH_TRY(const auto inputs, design_.apply(rows));
  MatrixXd logs(inputs.rows(), static_cast<Index>(candidates_.size() * departures));
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    logs.middleCols(static_cast<Index>(i * departures), departures) =
        candidates_[i].log_means(inputs).colwise() + unseen_effects(inputs, candidates_[i].spec());
  std::vector<Prediction> predictions(rows.rows);
  for (Index row = 0; row < inputs.rows(); ++row) {
    auto& prediction = predictions[static_cast<std::size_t>(row)];
    const auto place = place_of(inputs, row);
    prediction.extrapolates = words(place, rows, static_cast<std::size_t>(row));
    if (design_.machine() && inputs.places.levels(row, static_cast<Index>(*design_.machine())) < 0) {
      prediction.value = prediction.low = prediction.high = std::numeric_limits<double>::quiet_NaN();
      prediction.refused = "no row of this machine was measured; add one or more to the table and fit again";
      continue;
    }
    const auto all_weights = blend_.weights(place);
    VectorXd weights(logs.cols());
    for (std::size_t i = 0; i < kept_.size(); ++i)
      weights.segment(static_cast<Index>(i * departures), departures) =
          all_weights.segment(static_cast<Index>(kept_[i] * departures), departures);
    weights /= weights.sum();
    const VectorXd own = logs.row(row).transpose();
    const double mean = middle(weights, own, place.conditions.empty()),
                 half = blend_.half_width(place, weights, own, noise_);
    prediction.value = steady::exp(mean);
    prediction.low = steady::exp(mean - half);
    prediction.high = steady::exp(mean + half);
  }
  return predictions;
}

Result<std::vector<std::vector<std::size_t>>> Model::nearest(const Table& rows, std::size_t count) const {
  NEPH_TRY(const auto inputs, design_.apply(rows));
  const Eigen::RowVectorXd width = (high_ - low_).cwiseMax(1e-9);
  std::vector<std::vector<std::size_t>> all;
  for (Index row = 0; row < inputs.rows(); ++row) {
    VectorXd distance =
        ((points_.ranged.rowwise() - inputs.ranged.row(row)).array().rowwise() / width.array())
            .square()
            .rowwise()
            .sum();
    for (Index i = 0; i < distance.size(); ++i)
      distance[i] +=
          100.0 *
          static_cast<double>(
              (points_.places.levels.row(i).array() != inputs.places.levels.row(row).array()).count());
    std::vector<std::size_t> order(static_cast<std::size_t>(distance.size()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair{distance[static_cast<Index>(a)], a} < std::pair{distance[static_cast<Index>(b)], b};
    });
    all.emplace_back(order.begin(), end);
  }
  return all;
}

}  // namespace neph::predict
