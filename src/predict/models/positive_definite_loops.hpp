// What positive_definite.hpp does, on columns of a matrix in memory, for each kind of processor: which one is
// chosen when it runs. No Eigen type crosses this border: its alignment differs between them.
#pragma once

#include <cstddef>

namespace neph::predict {

/// Of a square matrix [size, size], of which only the lower triangle is read and written.
struct PositiveDefiniteLoops {
  bool (*factorise)(double* matrix, std::ptrdiff_t size);
  void (*solve)(const double* factor, std::ptrdiff_t size, double* right);
  void (*invert)(double* factor, std::ptrdiff_t size);
};

/// For all processors that this is built for.
extern const PositiveDefiniteLoops usual_loops;
/// For those that have AVX2 and FMA: four numbers at a time, a product and a sum in one step. Only on x86.
extern const PositiveDefiniteLoops avx2_loops;
/// The fastest that this processor can.
const PositiveDefiniteLoops& fastest_loops();

}  // namespace neph::predict
