// One way to predict: a backbone that says what a time is made of, and where wanted a process for what it
// leaves.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/describe.hpp"
#include "predict/design.hpp"
#include "predict/feature.hpp"
#include "predict/given_model.hpp"
#include "predict/log_linear.hpp"
#include "predict/monomials.hpp"
#include "predict/trees.hpp"
#include "predict/work_model.hpp"

namespace neph::predict {

enum class Backbone {
  powers,     ///< log-linear
  monomials,  ///< terms found in the data
  layers,     ///< terms of the network's layers, with rates of each machine
  given,      ///< terms that the user gives
  trees,      ///< log-linear, and boosted trees for what that leaves
  lattuada,   ///< sums of features, to compare with: lattuada.hpp,
  nnls,       ///< non_negative_sum.hpp,
  stepwise,   ///< stepwise.hpp,
  ernest,     ///< ernest.hpp
};
constexpr auto enum_names(Backbone) {
  return std::array{Named{Backbone::powers, "powers"}, Named{Backbone::monomials, "monomials"},
                    Named{Backbone::layers, "layers"}, Named{Backbone::given, "given"},
                    Named{Backbone::trees, "trees"},   Named{Backbone::lattuada, "lattuada"},
                    Named{Backbone::nnls, "nnls"},     Named{Backbone::stepwise, "stepwise"},
                    Named{Backbone::ernest, "ernest"}};
}

/// The literature's, which say themselves which few columns each feature is made of.
constexpr bool is_sum_of_features(Backbone backbone) {
  switch (backbone) {
    case Backbone::lattuada:
    case Backbone::nnls:
    case Backbone::stepwise:
    case Backbone::ernest:
      return true;
    case Backbone::powers:
    case Backbone::monomials:
    case Backbone::layers:
    case Backbone::given:
    case Backbone::trees:
      return false;
  }
  return false;
}

/// How far the process that follows what a backbone leaves is believed.
enum class Departure {
  none,  ///< the backbone alone
  held,  ///< beyond the range of a number as at its end
  free,  ///< as it says
};
constexpr auto enum_names(Departure) {
  return std::array{Named{Departure::none, "none"}, Named{Departure::held, "held"},
                    Named{Departure::free, "free"}};
}
constexpr std::size_t departures = enum_names(Departure{}).size();
/// Which of them are asked for, in the order of the enum.
using AskedDepartures = std::array<bool, departures>;
constexpr AskedDepartures all_departures{true, true, true};

struct CandidateSpec {
  Backbone backbone = Backbone::powers;
  std::int64_t most_terms = 0;  ///< of monomials; never more than an eighth of the rows
  double power = 1;             ///< of a sum of work (work_model.hpp)
  bool has_process = true;      ///< false: the backbone alone, whatever the departure
  /// Whether networks are known by name: what sets one apart is then its own, and says nothing of others;
  /// else it is sought in their features.
  bool names_networks = true;
  bool operator==(const CandidateSpec&) const = default;
};
template <class Visit, Describes<CandidateSpec> Self>
void describe(Visit&& v, Self& s) {
  v("backbone", s.backbone, "what a time is made of");
  v("most_terms", s.most_terms, "terms that may be found", at_least(0));
  v("power", s.power, "1: terms add up; more: the largest one rules", between(1, 64));
  v("has_process", s.has_process, "whether a process follows what the backbone leaves");
  v("names_networks", s.names_networks, "whether networks are known by name, or by features alone");
}
/// "10 monomials, smooth maximum 4"
std::string to_string(const CandidateSpec& spec);

/// What a candidate may know of the table beside its inputs.
struct CandidateContext {
  std::optional<Eigen::Index> machine;  ///< category whose levels have rates of their own
  Eigen::MatrixXd machine_speeds;       ///< WorkSettings::speeds
  double noise = 0;                     ///< of one point
  std::size_t most_rows_for_kernel = 300;
  std::size_t most_rows_of_process = 2000;
  bool is_trial = false;  ///< of which there are many: trees are grown once (boosting.hpp)
};

/// Columns that a candidate looks at, of a table with very many.
struct Sight {
  std::vector<Eigen::Index> numbers;     ///< of the places
  std::vector<Eigen::Index> categories;  ///< a network's and a machine's among them
};

/// Whether columns are so many that a candidate looks at the strongest alone (screening.hpp).
bool needs_sight(const CandidateSpec& spec, const Inputs& inputs);

/// A candidate that is fitted.
class Candidate {
 public:
  /// Errors: those of Process; invalid_argument (no terms where the backbone needs them).
  /// `first_guess`: of the process's kernel (ProcessSettings).
  static Result<Candidate> fit(const CandidateSpec& spec, const CandidateContext& context,
                               const Inputs& inputs, const Eigen::VectorXd& log_target,
                               const std::optional<Kernel>& first_guess = {});
  /// Rows by departures, in the order of the enum; those that are not asked for as the backbone's.
  Eigen::MatrixXd log_means(const Inputs& at, const AskedDepartures& asked = all_departures) const;

  struct Monomials {
    std::vector<Powers> powers;
    WorkModel work;
  };
  struct Boosted {
    LogLinear powers;
    Trees trees;
  };
  using Model = std::variant<LogLinear, Monomials, WorkModel, GivenModel, FeatureSum, Boosted>;

  const CandidateSpec& spec() const { return spec_; }
  const Model& model() const { return model_; }
  const std::optional<Process>& process() const { return process_; }
  const std::optional<Sight>& sight() const { return sight_; }
  Candidate(CandidateSpec spec, Model model, std::optional<Process> process)
      : spec_(spec), model_(std::move(model)), process_(std::move(process)) {}

 private:
  friend struct ModelParts;  // model_parts.hpp
  /// Inputs as the candidate sees them.
  static Result<Candidate> fitted(const CandidateSpec& spec, const CandidateContext& context,
                                  const Inputs& inputs, const Eigen::VectorXd& log_target,
                                  const std::optional<Kernel>& first_guess);
  Eigen::MatrixXd means(const Inputs& at, const AskedDepartures& asked) const;

  CandidateSpec spec_;
  Model model_;
  std::optional<Process> process_;
  std::optional<Sight> sight_;  ///< nothing: all columns
};

}  // namespace neph::predict
