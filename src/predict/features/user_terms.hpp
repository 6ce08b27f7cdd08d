// Terms of a time that the user gives, who knows what the program does: work, of which the largest may rule
// or all may add up, and latency, which always adds. All of them times a scale.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "table/formula.hpp"

namespace neph::predict {

using table::Formula;
using table::QueryRows;

struct TermTexts {
  std::vector<std::string> work, latency;  ///< one formula each, or several with commas or semicolons between
  std::string scale;                       ///< one formula; empty: 1
  bool empty() const { return work.empty() && latency.empty() && scale.empty(); }
};

/// Rows by terms, none below 0; the scale is in them.
struct UserTermValues {
  Eigen::MatrixXd work, latency;
};
UserTermValues rows_of(const UserTermValues& values, const std::vector<std::size_t>& rows);

class UserTerms {
 public:
  /// Errors: those of Formula::parse, with the option that gave the text; invalid_argument (a scale without a
  /// term; more terms than anybody gives).
  static Result<UserTerms> parse(const TermTexts& texts, const table::Table& columns);
  /// For a table as it was read: also refuses the target as part of a term, and values that are no times in
  /// rows that have a target, which it calls by their places in the table.
  static Result<UserTerms> parse(const TermTexts& texts, const table::Table& table,
                                 const std::string& target);

  /// Refused are rows as Formula::values refuses them, with a scale that is 0, or with products that are not
  /// finite. Errors: those of Formula::values.
  Result<UserTermValues> values(const table::Table& rows, const QueryRows& asked = {}) const;

  const std::vector<Formula>& work() const { return work_; }
  const std::vector<Formula>& latency() const { return latency_; }
  const std::optional<Formula>& scale() const { return scale_; }
  bool empty() const { return work_.empty() && latency_.empty(); }
  /// Of all columns that a term uses.
  std::vector<std::string> columns() const;
  bool uses(const std::string& column) const;
  /// As a model's file has them.
  TermTexts texts() const;

 private:
  std::vector<const Formula*> all() const;

  std::vector<Formula> work_, latency_;
  std::optional<Formula> scale_;
};

}  // namespace neph::predict
