// A predictor: fitted to the points of a table, it says of other rows what they take, how sure that is, and
// why not surer.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/blend.hpp"
#include "predict/looked_at.hpp"
#include "predict/method.hpp"
#include "predict/survey.hpp"

namespace neph::predict {

class Model;

struct FitOptions {
  Roles roles;
  Method method = Method::automatic;
  std::size_t threads = 2;
  /// Rows that kernels are chosen on: of the candidates that stay, and in trials, of which there are many.
  std::size_t kernel_rows = 600, kernel_rows_in_trials = 300;
  /// Rows that a process follows, and in trials of tables with more points than that.
  std::size_t process_rows = 2000, process_rows_in_trials = 1000;
  std::function<void(std::size_t done, std::size_t all)> progress;
  /// Fitted to all points but a few: what hold-outs said of it is believed, and only what they could not say
  /// is tried. One whose inputs have other columns, or other candidates, is of no use and not looked at.
  const Model* earlier = nullptr;
  /// Rows that alone will be predicted: hold-outs that say nothing of them are not tried. What is predicted
  /// of them is the same.
  const table::Table* asked = nullptr;
};

/// Why a row is further from the table than its own rows are from each other.
struct Extrapolation {
  std::string column;
  Situation situation = Situation::above;
  std::string how_far;  ///< "256, measured up to 64"
};

struct Prediction {
  double value = 0;  ///< NaN: refused
  double low = 0, high = 0;
  std::vector<Extrapolation> extrapolates;  ///< empty: inside of what was measured
  std::string refused;                      ///< why no honest answer can be given
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
  /// Errors: invalid_argument (fewer than fewest_points), those of Design::learn, and of candidates of which
  /// none could be fitted.
  static Result<Model> fit(const Survey& survey, const FitOptions& options);

  /// Errors: those of Design::apply. The same whatever the number of threads, and whatever rows are asked
  /// together.
  Result<std::vector<Prediction>> predict(const table::Table& rows, std::size_t threads = 2) const;
  /// The `count` measured points nearest to each row: first those that differ in the fewest categories, and
  /// numbers that are there or not, then in numbers. None of a row whose numbers cannot be read.
  Result<std::vector<std::vector<std::size_t>>> nearest(const table::Table& rows, std::size_t count,
                                                        std::size_t threads = 2) const;

  /// For people: "above the range of batch", "20 monomials, process held".
  std::string words(std::span<const Condition> same_situation) const;
  std::string way(std::size_t place) const;

  const ModelOrigin& origin() const { return origin_; }
  const Design& design() const { return design_; }
  const Blend& blend() const { return blend_; }
  const std::vector<Candidate>& candidates() const { return candidates_; }
  /// Places of the candidates among the specs.
  const std::vector<std::size_t>& kept() const { return kept_; }
  /// What was fitted to, as the methods see it.
  const Inputs& points() const { return points_; }
  /// The same as the table has it, with what was measured.
  const Points& measured() const { return measured_; }
  Method method() const { return method_; }
  const std::vector<Trial>& trials() const { return trials_; }
  const std::vector<CandidateSpec>& specs() const { return specs_; }

 private:
  friend struct ModelParts;  // model_parts.hpp
  explicit Model(Design design) : design_(std::move(design)), blend_({}) {}
  /// What was measured, as far as places are told by it.
  struct Levels {
    std::vector<std::vector<bool>> is_rare;  ///< each level of each category
    std::vector<std::vector<double>> grids;  ///< of the ranged numbers (grid_of)
    std::vector<CrowdedRange> crowded;       ///< of the same
    Eigen::RowVectorXd units;                ///< of distances in them
    LookedAt looked_at;
  };
  struct Blended;
  struct Question {
    const table::Table& rows;
    const Inputs& inputs;
    double noise;               ///< of one measurement beyond that of points
    std::vector<Place> places;  ///< of each row
  };
  std::vector<Condition> known_conditions(const FitOptions& options) const;
  Result<std::optional<std::vector<Condition>>> asked_conditions(const FitOptions& options) const;
  Levels levels() const;
  /// Of distances in the ranged numbers: 1 for a quantity, whose logarithms are compared; for another its
  /// range, or its size where it never differed. So that trials of one column may speak for another.
  Eigen::RowVectorXd units() const;
  Place place_of(const Inputs& inputs, Eigen::Index row, const Levels& measured) const;
  Blended blended(const Place& place, const Inputs& inputs) const;
  /// Of rows in the same conditions.
  void answer(const std::vector<std::size_t>& rows, const Question& question,
              std::vector<Prediction>& predictions) const;
  Eigen::VectorXd unseen_effects(const Inputs& inputs, const CandidateSpec& spec) const;
  std::vector<Extrapolation> words(const Place& place, const table::Table& rows, std::size_t row) const;

  ModelOrigin origin_;
  Design design_;
  Blend blend_;
  std::vector<CandidateSpec> specs_;  ///< as tried
  std::vector<std::size_t> kept_;     ///< places of the candidates among them
  std::vector<Candidate> candidates_;
  std::vector<Trial> trials_;
  Eigen::RowVectorXd low_, high_;                 ///< of the ranged numbers
  std::vector<std::vector<std::size_t>> counts_;  ///< points of each level of each category
  Inputs points_;
  Points measured_;
  Method method_ = Method::automatic;
};

}  // namespace neph::predict
