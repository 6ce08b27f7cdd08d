// Loops that gain by wide registers, compiled for each kind of processor: which one is chosen when it runs
// (docs/adr/0021). No Eigen type crosses this border: its alignment differs between them.
#pragma once

#include <cstddef>

namespace neph::predict {

struct WideLoops {
  /// Of a square matrix [size, size], of which only the lower triangle is read and written: what
  /// positive_definite.hpp does.
  bool (*factorise)(double* matrix, std::ptrdiff_t size);
  void (*solve)(const double* factor, std::ptrdiff_t size, double* right);
  void (*invert)(double* factor, std::ptrdiff_t size);
  /// Matern 5/2 of the distance s of `here` [numbers] from each of `count` others [stride, numbers], and what
  /// it changes by with s^2.
  void (*compare)(const double* here, const double* others, std::ptrdiff_t stride, std::ptrdiff_t count,
                  std::ptrdiff_t numbers, double* matern, double* slope);
};

/// For all processors that this is built for.
extern const WideLoops usual_loops;
/// For those that have AVX2 and FMA: four numbers at a time, a product and a sum in one step. Only on x86.
extern const WideLoops avx2_loops;
/// The fastest that this processor can.
const WideLoops& fastest_loops();

}  // namespace neph::predict
