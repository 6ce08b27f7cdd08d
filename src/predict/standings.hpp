// What hold-outs said of a model, for people.
#pragma once

#include <string>
#include <vector>

#include "predict/model.hpp"

namespace neph::predict {

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
