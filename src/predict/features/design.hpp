// From the columns of a table to what the methods compute with.
//
// Learned from the points that are fitted on, and applied to any row with the same columns. Quantities:
// positive numbers that a time may be proportional to (columns, and what a network asks for). Features:
// logarithms of them, and other numbers. Levels: categories as whole numbers. Work: terms a time is put
// together from, summed over the layers of a network.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "predict/features/feature_matrix.hpp"
#include "predict/features/machine_columns.hpp"
#include "predict/features/network_numbers.hpp"
#include "predict/features/user_terms.hpp"
#include "table/table.hpp"

namespace neph::predict {

/// Columns with a meaning that the user knows; empty: there is none.
struct Roles {
  std::string network;   ///< names of networks, or ONNX files
  std::string variants;  ///< a family of networks that goes first: "profet"
  std::string side;      ///< of the pictures, in pixels
  std::string batch;
  MachineColumns hardware;
  TermTexts terms;           ///< that the user gives
  device::SheetFile sheets;  ///< the user's own, beside those that are built in
};

/// Rows as the methods see them.
struct Inputs {
  FeatureMatrix matrix;        ///< logarithms of quantities, other numbers, levels
  Eigen::MatrixXd work;        ///< rows by work terms; no columns without a network
  Eigen::MatrixXd mean_layer;  ///< rows by sizes of the network's mean layer, logarithms; or no columns
  UserTermValues user_terms;
  /// What is added to the logarithm of a time so that machines compare: how fast each is by its data sheet.
  /// Empty where the machines are not known.
  Eigen::VectorXd log_speed;
  Eigen::VectorXi machine_families;  ///< machine_columns.hpp; empty as `log_speed`
  Eigen::MatrixXd ranged;  ///< the table's own numbers, logarithms of quantities: what has a measured range
  /// Rows of which nothing can be computed: their numbers mean nothing.
  table::Refusals refused;
  /// Rows whose machine's data sheet is not known, and why; where the machine was measured it does not
  /// matter.
  table::Refusals unknown_machines;
  Eigen::Index rows() const { return matrix.rows(); }
};
Inputs rows_of(const Inputs& inputs, const std::vector<std::size_t>& rows);

class Design {
 public:
  /// Errors: not_found (a role's column, a network), invalid_argument (a network at a side that is too small
  /// for it), those of UserTerms.
  static Result<Design> learn(const table::Table& points, const Roles& roles);

  /// Refused are rows with text or a unit where there were numbers, an empty cell in a column that had none,
  /// a number that cannot be computed with, a network that is not known or cannot be built so, or a term that
  /// has no value. Errors: not_found (a column is missing).
  Result<Inputs> apply(const table::Table& rows) const;
  /// What tells how near rows are to each other: the ranged numbers, and as levels the categories and whether
  /// the numbers are there that may be empty. `refused` gets the rows whose numbers cannot be read. Errors:
  /// as above.
  Result<FeatureMatrix> locate(const table::Table& rows, table::Refusals& refused) const;

  /// Names of the numbers in Inputs::matrix.
  std::vector<std::string> features() const;
  bool has_layers() const { return !roles_.network.empty(); }
  const UserTerms& user_terms() const { return user_terms_; }
  const Roles& roles() const { return roles_; }
  const std::string& ranged_name(Eigen::Index ranged) const { return number(ranged).column; }
  /// Whether the methods see what it is: false for a number that never differed and that no network's work
  /// depends on.
  bool is_seen(Eigen::Index ranged) const { return number(ranged).is_seen; }
  /// Whether the terms that the user gives are made of it.
  bool is_in_user_terms(Eigen::Index ranged) const { return user_terms_.uses(ranged_name(ranged)); }
  bool is_quantity(Eigen::Index ranged) const { return number(ranged).is_quantity; }
  /// A ranged number as its column has it, for people.
  std::string range_end(Eigen::Index ranged, double value) const;
  /// Category columns, and their levels.
  struct Category {
    std::string column;
    std::vector<std::string> levels;
  };
  const std::vector<Category>& categories() const { return categories_; }
  std::optional<std::size_t> machine() const { return machine_; }  ///< place among the categories
  /// Whether the data sheets of most of the measured points' machines are known.
  bool knows_machines() const { return knows_machines_; }
  const device::Sheets& sheets() const { return sheets_; }

 private:
  friend struct ModelParts;  // model_parts.hpp
  struct Number {
    std::string column;
    std::string unit;          ///< "px" of "64px"; empty: numbers stood alone
    bool is_quantity = false;  ///< positive in all rows: its logarithm is the feature
    /// Of a count, which is 0 in some rows and below it in none, the least above 0: log(1 + x / least) is the
    /// feature, and below 0 that of -x with its sign. 0: it is none.
    double least = 0;
    bool may_be_empty = false;
    double usual = 0;           ///< stands for an empty cell, beside a feature that says so
    bool is_seen = true;        ///< false: it never differed, and the methods always see the usual one
    bool is_ever_there = true;  ///< false: all cells were empty, and any unit will do

    double feature_of(double value) const;
    double value_of(double feature) const;
    /// Those that are asked for; NaN: an empty cell, or a row that is refused. Numbers alone are taken to be
    /// in the unit. Errors: not_found.
    Result<Eigen::VectorXd> asked_in(const table::Table& rows, table::Refusals& refused) const;
    Result<double> of_text(const std::string& cell) const;
    /// Why the number of that row cannot be computed with; empty: it can.
    std::string fault_of(double value, std::size_t row) const;
  };
  struct Numbers;
  struct Networks;

  const Number& number(Eigen::Index ranged) const { return numbers_[static_cast<std::size_t>(ranged)]; }
  static Category category_of(const table::Column& column);
  static Number number_of(const table::Column& column, const std::vector<double>& numbers);
  Result<Numbers> numbers(const table::Table& rows) const;
  void learn_machines(const table::Table& points);
  void add_machines(const table::Table& rows, Numbers& numbers, Inputs& inputs) const;
  Result<Eigen::MatrixXi> levels(const table::Table& rows) const;
  Result<Networks> networks(const table::Table& rows, const Eigen::MatrixXd& asked) const;
  /// Error: not_found, with all columns that are missing.
  Status check_columns(const table::Table& rows) const;
  /// The columns that the given terms are made of, as numbers of the rows that are not refused.
  Result<table::Table> columns_of_terms(const table::Table& rows, const Eigen::MatrixXd& asked) const;
  Result<NetworkWork> work_of(const std::string& name, double side) const;
  Result<NetworkNumbers> numbers_of(const Result<NetworkWork>& work, double batch) const;

  Roles roles_;
  UserTerms user_terms_;
  std::vector<Number> numbers_;
  std::vector<Category> categories_;
  std::optional<std::size_t> machine_;
  device::Sheets sheets_;
  bool knows_machines_ = false;
  Eigen::RowVector2d usual_speed_ = Eigen::RowVector2d::Zero();
};

}  // namespace neph::predict
