#define NEPH_LOOPS usual
#include "predict/models/wide_loops_code.hpp"

namespace neph::predict {

const WideLoops usual_loops = usual::loops;

}  // namespace neph::predict
