// How well methods predict rows of a table that they were not fitted on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/model.hpp"
#include "predict/split.hpp"

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

/// What judgements come to. Errors are absolute and relative; those that were refused have none.
struct Score {
  std::int64_t rows = 0;
  std::int64_t refused = 0;
  double mean = 0, median = 0, p90 = 0, worst = 0;
  double coverage = 0;    ///< share of the intervals that hold what was measured
  double half_width = 1;  ///< median factor from the middle of an interval to its end
  double flagged = 0;     ///< share of the rows that are said to extrapolate
};
template <class Visit, Describes<Score> Self>
void describe(Visit&& v, Self& s) {
  v("rows", s.rows, "predicted");
  v("refused", s.refused, "rows that no answer was given for");
  v("mean", s.mean, "mean of the absolute relative errors");
  v("median", s.median, "their median");
  v("p90", s.p90, "what nine of ten of them keep below");
  v("worst", s.worst, "the largest");
  v("coverage", s.coverage, "share of the 90 % intervals that hold what was measured");
  v("half_width", s.half_width, "median factor from the middle of an interval to its end");
  v("flagged", s.flagged, "share of the rows that were said to extrapolate");
}
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

/// Judgements whose points share a value of a column.
struct Slice {
  std::string column, value;
  Score score;
};
/// By each column of few values.
std::vector<Slice> slices_of(const Survey& survey, std::span<const Judgement> judgements);

/// The judgements of a split.
std::span<const Judgement> of_split(const MethodJudged& judged, std::size_t split);

}  // namespace neph::predict
