// The measured points nearest to rows, and in what they differ from them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "predict/ensemble/model.hpp"

namespace neph::predict {

class Neighbours {
 public:
  /// The `count` nearest points of each row. Errors: those of Model::nearest. Model and rows must outlive it.
  static Result<Neighbours> of(const Model& model, const table::Table& rows, std::size_t count,
                               std::size_t threads);

  /// `names`: features that are no numbers, whatever they look like. `nearest`: places of points, for each
  /// row. Points and rows must outlive it.
  Neighbours(const Points& measured, const table::Table& rows, const std::vector<std::string>& names,
             std::vector<std::vector<std::size_t>> nearest, const std::string& machine = {},
             const std::set<std::string>& of_machine = {});

  const Points& measured() const { return *measured_; }
  /// Places of measured points, the nearest first.
  const std::vector<std::size_t>& nearest(std::size_t row) const { return nearest_[row]; }
  /// Features in which a point is another than a row, but for those that the rows do not have, and of another
  /// machine what only describes it. Cells that are
  /// numbers on both sides are compared as such ("224" and "224dataset"), names and others as text; empty
  /// ones are alike.
  std::vector<std::size_t> differences(std::size_t row, std::size_t point) const;

 private:
  struct Compared {
    const table::Column* measured;
    const table::Column* asked;  ///< null: the rows do not have it
    bool is_name, is_machine, is_of_machine;
    bool is_same(std::size_t row, std::size_t point) const;
  };
  const Points* measured_;
  std::vector<std::vector<std::size_t>> nearest_;
  std::vector<Compared> columns_;  ///< of each feature
};

}  // namespace neph::predict
