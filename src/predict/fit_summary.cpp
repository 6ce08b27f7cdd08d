#include "predict/fit_summary.hpp"

#include <algorithm>
#include <cmath>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Each term's part of the time: rows by work and latency terms; rows add up to the time without factors.
MatrixXd parts_of(const GivenModel& model, const GivenValues& values) {
  const MatrixXd work = values.work * model.work.asDiagonal(),
                 latency = values.latency * model.latency.asDiagonal();
  MatrixXd parts(work.rows(), work.cols() + latency.cols());
  parts << work.array().pow(model.power).matrix(), latency;
  for (Index i = 0; i < parts.rows(); ++i)
    if (const double sum = parts.row(i).head(work.cols()).sum(); sum > 0)
      parts.row(i).head(work.cols()) *= std::pow(sum, 1 / model.power - 1);
  return parts;
}

/// The place of the best candidate of given terms among those that stayed.
std::optional<std::size_t> best_given(const Model& model) {
  const VectorXd weights = model.blend().weights({});
  std::optional<std::size_t> best;
  double most = -1;
  for (std::size_t i = 0; i < model.candidates().size(); ++i) {
    if (!std::holds_alternative<GivenModel>(model.candidates()[i].model())) continue;
    const double weight = weights.segment(static_cast<Index>(model.kept()[i] * departures), departures).sum();
    if (weight <= most) continue;
    most = weight;
    best = i;
  }
  return best;
}

/// Standings of columns that the same hold-outs speak for.
using Alike = std::vector<const Standing*>;

std::vector<Alike> alike_in(const std::vector<Standing>& standings) {
  std::vector<Alike> all;
  for (const auto& standing : standings) {
    const auto same = std::ranges::find_if(all, [&](const Alike& each) {
      const auto& first = *each.front();
      return first.condition.situation == standing.condition.situation && first.group == standing.group &&
             first.trials == standing.trials && first.errors == standing.errors;
    });
    (same == all.end() ? all.emplace_back() : *same).push_back(&standing);
  }
  return all;
}

}  // namespace

std::optional<FittedTerms> fitted_terms(const Model& model) {
  const auto best = best_given(model);
  const auto& values = model.points().given;
  if (!best || values.work.rows() == 0) return std::nullopt;
  const auto& given = std::get<GivenModel>(model.candidates()[*best].model());
  const auto parts = parts_of(given, values);
  const VectorXd times = parts.rowwise().sum();
  const auto texts = model.design().given().texts();
  FittedTerms fitted{.power = given.power, .scale = texts.scale};
  for (Index k = 0; k < parts.cols(); ++k) {
    const bool is_latency = k >= given.work.size();
    const auto place = is_latency ? k - given.work.size() : k;
    const auto text = static_cast<std::size_t>(place);
    fitted.terms.push_back({.text = is_latency ? texts.latency[text] : texts.work[text],
                            .is_latency = is_latency,
                            .coefficient = is_latency ? given.latency[place] : given.work[place],
                            .share = (parts.col(k).array() / times.array().max(1e-300)).mean()});
  }
  return fitted;
}

std::vector<ChosenFeatures> chosen_features(const Model& model) {
  std::vector<ChosenFeatures> all;
  for (const auto& candidate : model.candidates()) {
    const auto* sum = std::get_if<FeatureSum>(&candidate.model());
    if (!sum) continue;
    const double unit = std::exp(sum->log_unit);
    auto& chosen = all.emplace_back(ChosenFeatures{.method = to_string(candidate.spec())});
    chosen.features.push_back({unit * (sum->level - sum->slopes.dot(sum->centers)), "1"});
    for (std::size_t i = 0; i < sum->features.size(); ++i)
      if (const double slope = sum->slopes[static_cast<Index>(i)]; slope != 0)
        chosen.features.push_back({unit * slope, feature_text(sum->features[i], model.design())});
  }
  return all;
}

std::vector<StandingInWords> standings_in_words(const Model& model) {
  std::vector<StandingInWords> words;
  for (const auto& alike : alike_in(model.blend().standings())) {
    const auto& standing = *alike.front();
    std::vector<Condition> conditions;
    for (const auto* each : alike) conditions.push_back(each->condition);
    const auto weights = model.blend().weights({{standing.condition}, {standing.distance}});
    Eigen::Index best = 0;
    weights.maxCoeff(&best);
    words.push_back({.where = model.words(conditions),
                     .trials = standing.trials,
                     .median = std::expm1(standing.median),
                     .p90 = std::expm1(standing.p90),
                     .best = model.way(static_cast<std::size_t>(best)),
                     .weight = weights[best]});
  }
  return words;
}

}  // namespace neph::predict
