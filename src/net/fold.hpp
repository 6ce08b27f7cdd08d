// Numbers of small constants, followed through the operators with which exporters compute shapes.
#pragma once

#include "net/operator.hpp"

namespace neph::net {

/// Adds to the outputs that the rule found what their numbers are, where the inputs' are known. A number that
/// depends on something open is open; so is one that the operator does not define (a division by 0).
void fold(const Call& call, Effect& effect);

}  // namespace neph::net
