#include "predict/positive_definite.hpp"

#include <mutex>

extern "C" {
void dpotrf_(const char* triangle, const int* size, double* matrix, const int* stride, int* info);
void dpotri_(const char* triangle, const int* size, double* matrix, const int* stride, int* info);
void dpotrs_(const char* triangle, const int* size, const int* columns, const double* matrix,
             const int* stride, double* right, const int* right_stride, int* info);
void openblas_set_num_threads(int count);
int openblas_get_parallel();
}

namespace neph::predict {
namespace {

constexpr char lower = 'L';

/// OpenBLAS with threads of its own would compete with ours, and one that was built without any knows of no
/// threads at all: there one call is made at a time.
std::unique_lock<std::mutex> one_thread_each() {
  static const bool knows_threads = [] {
    openblas_set_num_threads(1);
    return openblas_get_parallel() != 0;
  }();
  static std::mutex calling;
  return knows_threads ? std::unique_lock<std::mutex>() : std::unique_lock(calling);
}

int side(const Eigen::MatrixXd& matrix) { return static_cast<int>(matrix.rows()); }

}  // namespace

bool factorise(Eigen::MatrixXd& matrix) {
  const int size = side(matrix);
  int info = 0;
  const auto alone = one_thread_each();
  dpotrf_(&lower, &size, matrix.data(), &size, &info);
  return info == 0;
}

Eigen::VectorXd solve(const Eigen::MatrixXd& factor, Eigen::VectorXd right) {
  const int size = side(factor), columns = 1;
  int info = 0;
  const auto alone = one_thread_each();
  dpotrs_(&lower, &size, &columns, factor.data(), &size, right.data(), &size, &info);
  return right;
}

void invert(Eigen::MatrixXd& factor) {
  const int size = side(factor);
  int info = 0;
  const auto alone = one_thread_each();
  dpotri_(&lower, &size, factor.data(), &size, &info);
}

}  // namespace neph::predict
