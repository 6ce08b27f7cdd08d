// What became of a fit, for people: the terms that the user gave, the features that the literature's methods
// chose, and what hold-outs said.
#pragma once

#include <string>
#include <vector>

#include "predict/model.hpp"

namespace neph::predict {

struct FittedTerm {
  std::string text;
  bool is_latency = false;
  double coefficient = 0;  ///< of term times scale, in the target's unit
  double share = 0;        ///< of the time, mean over the points; where the largest rules, mostly its own
};

struct FittedTerms {
  double power = 1;  ///< of the work: 1: it adds up; more: the largest rules
  std::string scale;
  std::vector<FittedTerm> terms;
};

/// Of the candidate that hold-outs inside of the range believe most; nothing: none of the candidates that
/// stayed has given terms. For a model that was just fitted: a file does not keep the terms of the points.
std::optional<FittedTerms> fitted_terms(const Model& model);

struct ChosenFeature {
  double coefficient = 0;  ///< in the target's unit
  std::string text;        ///< "1": the constant
};

/// Of a sum of features, the constant first.
struct ChosenFeatures {
  std::string method;
  std::vector<ChosenFeature> features;
};

std::vector<ChosenFeatures> chosen_features(const Model& model);

/// Where rows may lie, and what to expect of a prediction there. Errors are relative: 0.1 is 10 % too much.
struct StandingInWords {
  std::string where;
  std::int64_t trials = 0;
  double median = 0, p90 = 0;  ///< of the errors
  std::string best;            ///< the way that is believed most
  double weight = 0;           ///< of it
};

/// Columns that the same hold-outs speak for together.
std::vector<StandingInWords> standings_in_words(const Model& model);

}  // namespace neph::predict
