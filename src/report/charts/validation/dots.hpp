// The predictions that charts of single points show: those that were answered, thinned where they are many.
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart.hpp"

namespace neph::report {

struct Dots {
  const ValidatedMethod* method = nullptr;
  std::vector<const PredictedPoint*> points;  ///< all with positive finite numbers
};

/// Of each method at most `most` / methods, drawn at random, always the same; the worst is among them.
/// Methods without any are left out.
std::vector<Dots> dots_of(const Validation& validation, std::size_t most);

/// "Thinned: ...", or nothing where every answered point is among the dots.
std::string thinning_note(const Validation& validation, const std::vector<Dots>& dots);

/// Names of the methods, in their order.
std::vector<std::string> method_names(const Validation& validation);

/// "batch 8, machine m1": the features of a point, as many as a reader can take in.
std::string point_label(const Validation& validation, std::int64_t point);

/// A cell as people write it.
std::string cell_text(const Json& cell);

}  // namespace neph::report
