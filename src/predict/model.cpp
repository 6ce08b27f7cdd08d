#include "predict/model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/fnv1a.hpp"
#include "core/units.hpp"
#include "predict/parallel.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
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

/// Candidates that count in some condition that was tried.
std::vector<std::size_t> worth_keeping(const Blend& blend) {
  std::vector<Condition> tried;
  for (const auto& standing : blend.standings()) tried.push_back(standing.condition);
  const auto counts = blend.counting(tried);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i]) kept.push_back(i);
  return kept;
}

/// With what hold-outs of an earlier model said of conditions that these say nothing of.
Blend completed(const Blend& blend, const Blend& earlier) {
  auto standings = blend.standings();
  std::int64_t own = -1;
  for (const auto& standing : standings) own = std::max(own, standing.group);
  for (auto standing : earlier.standings()) {
    if (std::ranges::find(standings, standing.condition, &Standing::condition) != standings.end()) continue;
    if (standing.group >= 0) standing.group += own + 1;  // its hold-outs are none of the new ones
    standings.push_back(standing);
  }
  std::ranges::sort(standings, {}, &Standing::condition);
  return Blend(std::move(standings));
}

}  // namespace

/// Those that need no trials since an earlier model had them. How few points a level or an end of a range has
/// may be another now.
std::vector<Condition> Model::known_conditions(const FitOptions& options) const {
  const auto* earlier = options.earlier;
  if (!earlier || earlier->specs_ != specs_ || !design_.has_columns_of(earlier->design_)) return {};
  std::vector<Condition> known;
  for (const auto& standing : earlier->blend_.standings())
    if (!depends_on_few(standing.condition.situation)) known.push_back(standing.condition);
  return known;
}

/// How rows lie to the table, whatever candidates will look at. Nothing: where candidates look at columns of
/// their own choice, what the rows are judged by depends on which of them stay.
Result<std::optional<std::vector<Condition>>> Model::asked_conditions(const FitOptions& options) const {
  if (!options.asked ||
      std::ranges::any_of(specs_, [&](const auto& spec) { return needs_sight(spec, points_); }))
    return std::nullopt;
  NEPH_TRY(const auto inputs, design_.apply(*options.asked));
  auto measured = levels();
  measured.looked_at = {std::vector<bool>(design_.ranged().size(), true),
                        std::vector<bool>(design_.categories().size(), true)};
  std::set<Condition> all;
  for (Index row = 0; row < inputs.rows(); ++row)
    for (const auto& condition : place_of(inputs, row, measured).conditions) all.insert(condition);
  return std::vector(all.begin(), all.end());
}

Result<Model> Model::fit(const Survey& survey, const FitOptions& options) {
  if (survey.points.target.size() < fewest_points)
    return fail(ErrorCode::invalid_argument, "{} are too few to fit anything to; {} are the least",
                counted(std::ssize(survey.points.target), "different row"), fewest_points);
  NEPH_TRY(auto design, Design::learn(survey.points.features, options.roles));
  Model model(std::move(design));
  NEPH_TRY(model.points_, model.design_.apply(survey.points.features));
  model.measured_ = survey.points;
  model.method_ = options.method;
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

  model.specs_ = specs_of(options.method, model.design_, survey.points.target.size());
  CandidateContext context{.machine_speeds = model.design_.machine_speeds(),
                           .noise = model.measured_.noise,
                           .most_rows_for_kernel = options.kernel_rows_in_trials,
                           .most_rows_of_process = options.process_rows,
                           .is_trial = true};
  if (survey.points.target.size() > options.process_rows)
    context.most_rows_of_process = options.process_rows_in_trials;
  if (model.design_.machine()) context.machine = static_cast<Index>(*model.design_.machine());
  const auto guesses = first_guesses(model.specs_, context, model.points_, log_target, options.threads);
  const auto known = model.known_conditions(options);
  NEPH_TRY(const auto asked, model.asked_conditions(options));
  model.trials_ = run_trials(model.specs_, context, model.points_, log_target,
                             {.known = known,
                              .asked = asked,
                              .units = model.units(),
                              .threads = options.threads,
                              .guesses = guesses,
                              .progress = options.progress});
  model.blend_ = Blend::learn(model.trials_);
  if (!known.empty()) model.blend_ = completed(model.blend_, options.earlier->blend());

  context.most_rows_for_kernel = options.kernel_rows;
  context.most_rows_of_process = options.process_rows;
  context.is_trial = false;
  const auto kept = worth_keeping(model.blend_);
  std::vector<std::optional<Candidate>> fitted(kept.size());
  share_out(kept.size(), options.threads, "fit", [&](std::size_t job) {
    const auto place = kept.size() - 1 - job;  // trees, which take longest, are the last
    if (auto candidate = Candidate::fit(model.specs_[kept[place]], context, model.points_, log_target,
                                        guesses[kept[place]]))
      fitted[place] = std::move(*candidate);
  });
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!fitted[i]) continue;
    model.kept_.push_back(kept[i]);
    model.candidates_.push_back(std::move(*fitted[i]));
  }
  if (model.candidates_.empty())
    return fail(ErrorCode::internal, "nothing could be fitted to {}", survey.points.features.source);
  return model;
}

std::string Model::words(std::span<const Condition> same_situation) const {
  const auto situation = same_situation.front().situation;
  if (situation == Situation::inside) return "inside the range";  // of no column: there may be none
  const bool is_level = situation == Situation::unseen || situation == Situation::few;
  std::string column;
  for (const auto& each : same_situation)
    column += (column.empty() ? "" : ", ") +
              (each.column < 0 ? "any column"
               : is_level      ? design_.categories()[static_cast<std::size_t>(each.column)].column
                               : design_.ranged()[static_cast<std::size_t>(each.column)]);
  switch (situation) {
    case Situation::inside:
      break;
    case Situation::above:
      return "above the range of " + column;
    case Situation::below:
      return "below the range of " + column;
    case Situation::unvaried:
      return "another value of " + column + " than the one that is known";
    case Situation::between:
      return "between the measured values of " + column;
    case Situation::sparse:
      return "an end of few points of " + column;
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

}  // namespace neph::predict
