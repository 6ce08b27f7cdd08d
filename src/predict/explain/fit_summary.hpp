// What became of a fit, for people: what to expect where, the user's terms, and what each hold-out said.
#pragma once

#include <string>
#include <vector>

#include "predict/ensemble/model.hpp"

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
  double weight = 0;  ///< of all members with the user's terms, inside of the range
};

/// Of the member with the user's terms that has the highest weight inside of the range; nothing: there is
/// none. For a model that was just fitted: a file does not keep the terms of the points.
std::optional<FittedTerms> fitted_terms(const Model& model);

/// What to expect of a prediction. Errors are relative: 0.1 is 10 % too much; NaN: nothing could be left out.
struct ExpectedError {
  std::string where;  ///< "inside", "beyond", "unseen"
  double p50 = std::numeric_limits<double>::quiet_NaN(), p90 = p50;
  std::string rests_on;  ///< "5 folds", "12 hold-outs beyond the range of batch, side"
};
/// Of a model that was just fitted: a file does not keep the hold-outs. Three: inside the range; beyond that
/// of a number; with an unseen category (without categories: two).
std::vector<ExpectedError> expected_errors(const Model& model);

/// The same of each shift that was tried, and the member with the highest weight there.
struct ScoreInWords {
  std::string where;
  std::int64_t trials = 0;
  double p50 = 0, p90 = 0;
  std::string best;
  double weight = 0;  ///< of it
};

/// Columns that the same hold-outs speak for are one.
std::vector<ScoreInWords> scores_in_words(const Model& model);

/// Of an ensemble that was just fitted: whose numbers went wrong.
std::vector<std::string> warnings_of(const Ensemble& ensemble);

}  // namespace neph::predict
