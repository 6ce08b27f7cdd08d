// How well methods predict rows of a table that they were not fitted on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/model.hpp"
#include "predict/split.hpp"
#include "record/validation.hpp"

namespace neph::predict {

/// A point that was predicted from others.
struct Judgement {
  std::size_t split = 0;
  std::size_t point = 0;  ///< of the survey
  double measured = 0;
  Prediction predicted;

  /// Relative: 0.1 is 10 % too much.
  double error() const { return predicted.value / measured - 1; }
  bool is_refused() const { return !predicted.refused.empty(); }
  bool is_covered() const { return predicted.low <= measured && measured <= predicted.high; }
};

Score score_of(std::span<const Judgement> judgements);

/// What one method did on all splits.
struct MethodJudged {
  Method method = Method::automatic;
  std::vector<Judgement> judgements;  ///< by split, then by point
  std::vector<std::string> failures;  ///< "SPLIT: why the method could not be fitted"
};

struct ValidationSettings {
  std::vector<Method> methods;
  FitOptions fit;  ///< but for its method and progress
  /// `done` of `all` fits; called by one thread.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Error: invalid_argument (no method could be fitted on any split).
Result<std::vector<MethodJudged>> validate(const Survey& survey, const std::vector<Split>& splits,
                                           const ValidationSettings& settings);

/// By each column of few values.
std::vector<Slice> slices_of(const Survey& survey, std::span<const Judgement> judgements);

/// The judgements of a split.
std::span<const Judgement> of_split(const MethodJudged& judged, std::size_t split);

}  // namespace neph::predict
