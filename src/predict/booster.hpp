// XGBoost (Chen, Guestrin, KDD 2016) as this module uses it: on one thread, so that the same rows grow the
// same trees whatever the machine does beside it, silent, and with errors as values. Threads: different
// boosters may work at the same time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/result.hpp"
#include "predict/trees.hpp"

namespace neph::predict {

struct BoosterSettings {
  int depth = 6;
  double rate = 0.1;           ///< share of what a tree finds that is added
  double rows_of_a_leaf = 3;   ///< at the least
  double share_of_rows = 0.8;  ///< drawn for each tree
  double share_of_columns = 0.8;
};

/// Rows with their targets, as XGBoost holds them.
class BoosterRows {
 public:
  /// Errors: internal (what XGBoost says).
  static Result<BoosterRows> of(const TreeColumns& columns, const Eigen::VectorXd& target);
  void* handle() const { return handle_.get(); }
  Eigen::Index count() const { return count_; }

 private:
  struct Free {
    void operator()(void* handle) const;
  };
  BoosterRows(void* handle, Eigen::Index count) : handle_(handle), count_(count) {}
  std::unique_ptr<void, Free> handle_;
  Eigen::Index count_;
};

/// Trees that are growing. Errors of all members: internal (what XGBoost says).
class Booster {
 public:
  /// `others`: rows that it will be asked about, whose predictions it then keeps up to date.
  static Result<Booster> on(const BoosterRows& rows, std::span<const BoosterRows* const> others,
                            const BoosterSettings& settings);
  /// One tree more.
  Status grow(const BoosterRows& rows);
  /// Root of the mean squared error.
  Result<double> error(const BoosterRows& rows) const;
  Result<Eigen::VectorXf> predictions(const BoosterRows& rows) const;
  /// The first `count` trees, in our order; their LevelColumns are left to the caller.
  Result<Trees> trees(std::size_t count) const;

 private:
  struct Free {
    void operator()(void* handle) const;
  };
  explicit Booster(void* handle) : handle_(handle) {}
  std::unique_ptr<void, Free> handle_;
  int rounds_ = 0;
};

}  // namespace neph::predict
