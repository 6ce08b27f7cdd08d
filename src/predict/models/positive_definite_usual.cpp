#define NEPH_LOOPS usual
#include "predict/models/positive_definite_code.hpp"

namespace neph::predict {

const PositiveDefiniteLoops usual_loops = usual::loops;

}  // namespace neph::predict
