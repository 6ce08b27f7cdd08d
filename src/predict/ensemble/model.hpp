// A predictor: fitted to the points of a table, it says of other rows what they take, how sure that is, and
// why not surer.
#pragma once

#include <functional>
#include <map>
#include <span>

#include "predict/ensemble/method.hpp"
#include "predict/ensemble/shift_scores.hpp"
#include "predict/models/machine_law.hpp"
#include "predict/profile/profile.hpp"

namespace neph::predict {

class Model;

struct FitOptions {
  Roles roles;
  Method method = Method::automatic;
  std::size_t threads = 2;
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Why a row is further from the table than its own rows are from each other.
struct Extrapolation {
  std::string column;
  ShiftKind kind = ShiftKind::above;
  std::string how_far;  ///< "256, measured up to 64"
};

struct Prediction {
  double value = 0;                         ///< NaN: refused
  double low = 0, high = 0;                 ///< NaN: refused, or without an interval
  std::vector<Extrapolation> extrapolates;  ///< empty: inside of what was measured
  std::string refused;                      ///< why no honest answer can be given
  std::string no_interval;  ///< why there is a value alone; empty: there is an interval, or nothing
};

/// What a model was fitted to.
struct ModelOrigin {
  std::string source;  ///< of the table
  std::string target;
  std::int64_t rows = 0, points = 0;
  std::string hash;  ///< FNV-1a of the points, in hexadecimal
};

class Model {
 public:
  /// Errors: invalid_argument (fewer than fewest_points), those of Design::learn, and of members of which
  /// none could be fitted.
  static Result<Model> fit(const Profile& profile, const FitOptions& options);

  /// Where rows have unseen categories, members are first fitted without these. Errors: those of
  /// Design::apply. The same whatever the number of threads, and to rounding whatever rows are asked
  /// together.
  Result<std::vector<Prediction>> predict(const table::Table& rows, std::size_t threads = 2) const;
  /// The `count` measured points nearest to each row: first those that differ in the fewest categories, and
  /// numbers that are there or not, then in numbers. None of a row whose numbers cannot be read.
  Result<std::vector<std::vector<std::size_t>>> nearest(const table::Table& rows, std::size_t count,
                                                        std::size_t threads = 2) const;

  /// Gives rows the columns that they lack and of which all points have one value: "cores 2" of each.
  std::vector<std::string> add_constants(table::Table& rows) const;

  const std::string& column_of(const Shift& shift) const;
  /// For people: "above the range of batch".
  std::string words(std::span<const Shift> of_same_kind) const;

  /// Which categories have one level for each machine, where there are machines: of a new machine they are
  /// new too.
  std::vector<bool> machines_own() const;

  const ModelOrigin& origin() const { return origin_; }
  const Design& design() const { return design_; }
  const ShiftScores& scores() const { return scores_; }
  const Ensemble& ensemble() const { return ensemble_; }
  const std::vector<MemberSpec>& specs() const { return specs_; }
  /// What was fitted to, as the members see it.
  const Inputs& points() const { return points_; }
  /// The same as the table has it, with what was measured.
  const Points& measured() const { return measured_; }
  Method method() const { return method_; }
  const std::vector<Trial>& trials() const { return trials_; }

 private:
  friend struct ModelParts;  // model_file/model_parts.hpp
  explicit Model(Design design) : design_(std::move(design)) {}
  /// What was measured, as far as positions are told by it.
  struct Levels {
    std::vector<std::vector<bool>> is_rare;        ///< each level of each category
    std::vector<std::vector<double>> grids;        ///< of the ranged numbers (grid_of)
    Eigen::RowVectorXd units;                      ///< of distances in them
    std::vector<bool> uses_number, uses_category;  ///< whether members see it
    std::vector<bool> is_machines;                 ///< categories with one level a machine (machines_own)
  };
  struct Query {
    const table::Table& rows;
    const Inputs& inputs;
    double noise;                          ///< of one measurement beyond that of points
    std::vector<QueryPosition> positions;  ///< of each row
    std::map<Unseen, Ensemble> without;    ///< members for rows with unseen categories
    std::optional<MachineLaw> law;         ///< of rows whose machine was not measured
  };
  /// What follows from the design and from what was measured. Error: that of Design::apply.
  Status know_points();
  MemberContext context() const;
  Eigen::VectorXd log_target() const;
  Levels levels() const;
  /// Of distances in the ranged numbers: 1 for a quantity, whose logarithms are compared; for another its
  /// range, or its size where it never differed. So that trials of one column may speak for another.
  Eigen::RowVectorXd units() const;
  QueryPosition position_of(const Inputs& inputs, Eigen::Index row, const Levels& measured) const;
  Unseen unseen_at(const QueryPosition& position) const;
  /// What the rows need besides the ensemble of all: others without their unseen categories, and the law of
  /// machines.
  Status add_ensembles(Query& query, std::size_t threads) const;
  /// Of a machine without a row, or with few.
  bool is_answered_by_law(const QueryPosition& position) const;
  MachineRows machine_rows(const Inputs& inputs) const;
  /// Of rows whose machine was not measured.
  void answer_by_law(const std::vector<std::size_t>& rows, const Query& query,
                     std::vector<Prediction>& predictions) const;
  void set_interval(Prediction& prediction, const QueryPosition& position, double mean, double half) const;
  /// Of rows in the same shifts.
  void answer(const std::vector<std::size_t>& rows, const Query& query,
              std::vector<Prediction>& predictions) const;
  /// Why there is no honest answer for a row; empty: there is one.
  std::string refusal(const Query& query, std::size_t row) const;
  Eigen::VectorXd unseen_effects(const Inputs& inputs, const MemberSpec& spec) const;
  std::vector<Extrapolation> words(const QueryPosition& position, const table::Table& rows,
                                   std::size_t row) const;

  ModelOrigin origin_;
  Design design_;
  ShiftScores scores_;
  std::vector<MemberSpec> specs_;
  Ensemble ensemble_;
  std::vector<Trial> trials_;
  Eigen::RowVectorXd low_, high_;                 ///< of the ranged numbers
  std::vector<std::vector<std::size_t>> counts_;  ///< points of each level of each category
  Inputs points_;
  Points measured_;
  Method method_ = Method::automatic;
};

}  // namespace neph::predict
