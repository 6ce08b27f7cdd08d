#define NEPH_LOOPS usual
#include "predict/models/positive_definite.hpp"
#include "predict/models/wide_loops_code.hpp"

namespace neph::predict {

const WideLoops usual_loops = usual::loops;

const WideLoops& fastest_loops() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_loops;
#endif
  return usual_loops;
}

bool factorise(Eigen::MatrixXd& matrix) { return fastest_loops().factorise(matrix.data(), matrix.rows()); }

Eigen::VectorXd solve(const Eigen::MatrixXd& factor, Eigen::VectorXd right) {
  fastest_loops().solve(factor.data(), factor.rows(), right.data());
  return right;
}

void invert(Eigen::MatrixXd& factor) { fastest_loops().invert(factor.data(), factor.rows()); }

}  // namespace neph::predict
