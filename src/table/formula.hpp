// A term that a user gives: an expression over the columns of a table.
//
//   "global batch" * L * h * (12*h + s) / p
//
// Names of columns (with or without their unit, in quotes, double quotes or brackets where they are more than
// letters, digits, dots and underscores; the closing sign twice stands for itself), numbers, + - * / ^ and
// brackets, min, max (of two or more), log2, sqrt, ceil, floor. ^ binds to the right and before a sign.
//
// Threads: any. Cost: a step for each number, name and operator, for each row. The same bits on every
// machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.hpp"

namespace neph::table {

/// Which rows are computed, and what becomes of one that cannot be.
class QueryRows {
 public:
  QueryRows() = default;  ///< all, and all must be
  explicit QueryRows(std::vector<bool> wanted) : wanted_(std::move(wanted)) {}
  /// All that are not refused yet, each standing for itself. `refused` must outlive it.
  explicit QueryRows(Refusals& refused) : refused_(&refused) {}

  bool has(std::size_t row) const {
    return refused_ ? !refused_->contains(row) : wanted_.empty() || wanted_[row];
  }
  /// Error: invalid_argument, where all rows that are wanted must be computed.
  Status refuse(const Table& rows, std::size_t row, std::string why) const;

 private:
  std::vector<bool> wanted_;  ///< empty: all
  Refusals* refused_ = nullptr;
};

class Formula {
 public:
  enum class Kind {
    number,
    column,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    min,
    max,
    log2,
    sqrt,
    ceil,
    floor
  };
  /// One step of a stack machine. `count`: a column's place among columns(), or how many arguments it takes.
  struct Step {
    Kind kind = Kind::number;
    double number = 0;
    std::int32_t count = 0;
    bool operator==(const Step&) const = default;
  };

  /// Errors: invalid_argument (it is no such expression, uses a column of text, or is longer, deeper or of
  /// more steps than anybody writes), not_found (a column). The message says where, in a second and third
  /// line: the text, and a sign below the character.
  static Result<Formula> parse(std::string_view text, const Table& columns);

  /// One that parse() makes the same formula of, with the columns' names as they are.
  std::string text() const;
  /// That it uses: whole names, each once.
  const std::vector<std::string>& columns() const { return columns_; }

  /// Of each row; of rows that are not asked for, or refused, 0. Refused is a row with a value that is below
  /// 0 or no number, or that divides by zero on the way; the message names the row, counted from 1, and what
  /// stands there. Errors: not_found (a column is missing), invalid_argument (a column of text), and those of
  /// QueryRows::refuse.
  Result<std::vector<double>> values(const Table& rows, const QueryRows& asked = {}) const;

  bool operator==(const Formula&) const = default;

 private:
  friend class FormulaParser;
  Result<std::vector<std::vector<double>>> columns_in(const Table& rows) const;
  std::string fault_of(double value, const std::vector<double>& cells, std::size_t row) const;

  std::vector<std::string> columns_;
  std::vector<Step> steps_;
};

/// Several, with commas or semicolons between.
Result<std::vector<Formula>> parse_formulas(std::string_view text, const Table& columns);

}  // namespace neph::table
