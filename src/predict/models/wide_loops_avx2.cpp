// Compiled for x86-64-v3 (src/CMakeLists.txt), with a name of its own for all of Eigen: of two functions with
// one name the linker keeps any, and one of this file must not be called where there is no AVX2.
#if defined(__AVX2__) && defined(__FMA__)
#define Eigen Eigen_avx2
#define NEPH_LOOPS avx2
#include "predict/models/wide_loops_code.hpp"

namespace neph::predict {

const WideLoops avx2_loops = avx2::loops;

}  // namespace neph::predict
#endif
