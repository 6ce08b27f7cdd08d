// A matrix that can be factorised, for tests.
#pragma once

#include <Eigen/Core>

#include "core/random.hpp"

namespace neph::predict {

inline Eigen::MatrixXd any_positive_definite(Eigen::Index size, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd root(size, size);
  for (auto& value : root.reshaped()) value = random.normal();
  return root * root.transpose() + Eigen::MatrixXd::Identity(size, size);
}

}  // namespace neph::predict
