// The nouns of a validation: how well methods predict points that they were not fitted on, and what would
// help. Numbers that are not known are NaN here and null in JSON.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace neph {

/// What predictions come to. Errors are absolute and relative; those that were refused have none, and where
/// all were nothing of them is known.
struct Score {
  std::int64_t rows = 0;
  std::int64_t refused = 0;
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double mean = unknown, median = unknown, p90 = unknown, worst = unknown;
  double coverage = unknown;    ///< share of the intervals that hold what was measured
  double half_width = unknown;  ///< median factor from the middle of an interval to its end
  double flagged = 0;           ///< share of the rows that are said to extrapolate
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

struct SplitScore {
  std::string left_out;
  Score score;
};
template <class Visit, Describes<SplitScore> Self>
void describe(Visit&& v, Self& s) {
  v("left_out", s.left_out, "what was predicted from the rest");
  v("score", s.score, "of the points of this split");
}

/// Predictions whose points share a value of a column.
struct Slice {
  std::string column, value;
  Score score;
};
template <class Visit, Describes<Slice> Self>
void describe(Visit&& v, Self& s) {
  v("column", s.column, "that the points share a value of");
  v("value", s.value, "as people write it");
  v("score", s.score, "of these points");
}

struct PredictedPoint {
  std::int64_t split = 0;
  std::int64_t point = 0;
  double measured = 0;
  double value = 0, low = 0, high = 0;
  bool extrapolates = false;
  std::string refused;
};
template <class Visit, Describes<PredictedPoint> Self>
void describe(Visit&& v, Self& s) {
  v("split", s.split, "place among the splits");
  v("point", s.point, "place among the points");
  v("measured", s.measured, "median of the repeats, in the target's unit");
  v("value", s.value, "predicted, in the target's unit; null: refused");
  v("low", s.low, "lower end of the 90 % interval");
  v("high", s.high, "upper end of the 90 % interval");
  v("extrapolates", s.extrapolates, "whether the point lies beyond what was fitted on");
  v("refused", s.refused, "why no answer was given; empty: one was");
}

struct ValidatedMethod {
  std::string method;
  Score score;
  std::vector<SplitScore> splits;
  std::vector<Slice> slices;
  std::vector<PredictedPoint> rows;
  std::vector<std::string> failures;
};
template <class Visit, Describes<ValidatedMethod> Self>
void describe(Visit&& v, Self& s) {
  v("method", s.method, "its name");
  v("score", s.score, "of all splits together");
  v("splits", s.splits, "those that it was fitted on, one by one");
  v("slices", s.slices, "by each value of the columns that have few");
  v("rows", s.rows, "every prediction, by split, then by point");
  v("failures", s.failures, "splits on which it could not be fitted, and why");
}

/// A column of what is predicted from.
struct FeatureColumn {
  std::string name;
  std::vector<Json> values;  ///< of each point: a number, text, or null for an empty cell
};
template <class Visit, Describes<FeatureColumn> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the column");
  v("values", s.values, "of each point; null: an empty cell");
}

/// What a model that was fitted on so many points does with the others.
struct LearningPoint {
  std::int64_t points = 0;
  std::int64_t draws = 0;
  double mean = 0;
  double least = 0, most = 0;
};
template <class Visit, Describes<LearningPoint> Self>
void describe(Visit&& v, Self& s) {
  v("points", s.points, "random ones that were fitted on");
  v("draws", s.draws, "how often they were drawn");
  v("mean", s.mean, "mean of the absolute relative errors on the others, over the draws");
  v("least", s.least, "of the best draw");
  v("most", s.most, "of the worst draw");
}

/// How much further off predictions are without what a column says.
struct Contribution {
  std::string column;
  double factor = std::numeric_limits<double>::quiet_NaN();
  double least = std::numeric_limits<double>::quiet_NaN();
  double most = std::numeric_limits<double>::quiet_NaN();
  std::string unavailable;
};
template <class Visit, Describes<Contribution> Self>
void describe(Visit&& v, Self& s) {
  v("column", s.column, "whose values were shuffled");
  v("factor", s.factor, "that predictions are further off by, geometric mean; 1: it contributes nothing");
  v("least", s.least, "of the draw with the least");
  v("most", s.most, "of the draw with the most");
  v("unavailable", s.unavailable, "why it is not known; empty: it is");
}

/// A measurement that nobody has made.
struct Proposal {
  std::vector<Json> cells;
  double value = 0, low = 0, high = 0;
  double gain = 0;
};
template <class Visit, Describes<Proposal> Self>
void describe(Visit&& v, Self& s) {
  v("cells", s.cells, "what to set each feature to, in the order of the features");
  v("value", s.value, "prediction of it, in the target's unit");
  v("low", s.low, "lower end of the 90 % interval");
  v("high", s.high, "upper end of the 90 % interval");
  v("gain", s.gain, "share of the uncertainty about unmeasured points that it is expected to take away");
}

struct Validation {
  std::string table;
  std::string target;
  std::vector<std::string> splits;
  std::vector<FeatureColumn> features;
  std::vector<ValidatedMethod> methods;
  std::string explained;
  std::vector<LearningPoint> learning_curve;
  std::vector<Contribution> contributions;
  std::vector<Proposal> proposals;
  std::vector<std::string> notes;
};
template <class Visit, Describes<Validation> Self>
void describe(Visit&& v, Self& s) {
  v("table", s.table, "where the measurements are from");
  v("target", s.target, "the column that was predicted");
  v("splits", s.splits, "what was left out, in the order that rows count splits in");
  v("features", s.features, "what it was predicted from, in the order that rows count points in");
  v("methods", s.methods, "in the order asked for");
  v("explained", s.explained, "the method that what follows is of; empty: it was not asked for");
  v("learning_curve", s.learning_curve, "errors by how many points were fitted on");
  v("contributions", s.contributions, "of each column that differs");
  v("proposals", s.proposals, "measurements that would help most, each after those before it");
  v("notes", s.notes, "what could not be said, and why");
}

}  // namespace neph
