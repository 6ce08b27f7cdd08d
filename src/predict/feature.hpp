// Features as the literature of run times makes them from a table's columns: numbers, their inverses,
// logarithms, categories as ones and zeros, and products of those.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "predict/design.hpp"

namespace neph::predict {

/// A product. In rows that have the levels it asks for, 0 elsewhere.
struct Feature {
  std::vector<int> powers;        ///< of each quantity; below 0: of its inverse
  std::vector<int> plain_powers;  ///< of each plain number, none below 0
  std::vector<int> levels;        ///< of each category; -1: any
  int logarithm = -1;             ///< the quantity whose logarithm is a factor; -1: none
  double log_origin = 0;          ///< what that logarithm is counted from

  auto operator<=>(const Feature&) const = default;
  bool operator==(const Feature&) const = default;
};

/// "batch / side * machine is p2.xlarge"; "1" of one that is the same everywhere.
std::string feature_text(const Feature& feature, const Design& design);

/// In each row. Exponents of products are held within those of a double.
Eigen::VectorXd feature_values(const Feature& feature, const Inputs& inputs);
/// Rows by features.
Eigen::MatrixXd feature_values(const std::vector<Feature>& features, const Inputs& inputs);

/// Numbers, inverses of quantities and levels, then their products of up to `degree` factors, squares
/// included; each once, none that is the same everywhere by its making. At most `most_features`, those with
/// fewer factors first. Of a category with more than 200 levels there are none.
std::vector<Feature> products_up_to(int degree, const Inputs& inputs);
constexpr std::size_t most_features = 1000;

/// Each feature itself, and that feature for each level of each category.
std::vector<Feature> by_level(const std::vector<Feature>& features, const Inputs& inputs);

/// Rows that are fitted on: all, or a draw when the features of all would not fit into memory.
std::vector<std::size_t> rows_for(const std::vector<Feature>& features, const Inputs& inputs);

/// Columns brought to mean 0 and deviation 1, without those that cannot be: the same everywhere, not finite,
/// or but for factor and offset equal to an earlier one, from which no regression could tell them.
struct Standardised {
  std::vector<Feature> features;
  Eigen::MatrixXd columns;
  Eigen::VectorXd centers, widths;
};
Standardised standardised(const std::vector<Feature>& features, const Inputs& inputs);

/// A time as a sum: unit * (level + sum of slope * (feature - center)). Where that is not above the least
/// that was measured it is brought to it, since a time below 0 is none.
struct FeatureSum {
  std::vector<Feature> features;
  Eigen::VectorXd centers, slopes;
  double level = 0;
  double log_unit = 0;
  double log_least = 0;

  /// Finite, whatever the features are. The same bits on every machine.
  Eigen::VectorXd log_mean(const Inputs& at) const;
};

/// Times in units of the largest, and a sum without features that says their mean.
struct Times {
  Eigen::VectorXd values;
  FeatureSum mean;
};
Times times_of(const Eigen::VectorXd& log_target);

}  // namespace neph::predict
