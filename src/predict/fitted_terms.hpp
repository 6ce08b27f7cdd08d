// What became of the terms that the user gave, and which features the literature's methods chose, for people.
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

}  // namespace neph::predict
