// The tables of a validation, the same for the page and the terminal.
#pragma once

#include <string>
#include <vector>

#include "record/validation.hpp"

namespace neph::report {

/// As it is read; whoever shows it escapes.
struct PlainTable {
  std::string caption;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

/// A share of points, or of a time: "12.3 %"; "–": not known.
std::string share_text(double share);
/// Points that were answered.
std::int64_t answered(const Score& score);

/// By what was left out and method; behind several splits all of them together.
PlainTable scores_table(const Validation& validation);
/// By value of the feature and method.
PlainTable slices_table(const Validation& validation, const std::string& feature);
PlainTable learning_table(const Validation& validation);
PlainTable contributions_table(const Validation& validation);
/// With the features at these places.
PlainTable proposals_table(const Validation& validation, const std::vector<std::size_t>& features);

}  // namespace neph::report
