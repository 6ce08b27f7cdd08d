// Whether what a model file says of a candidate fits together, and to the table's columns: whatever was
// edited, nothing may reach beyond a matrix later.
#pragma once

#include "predict/candidate.hpp"

namespace neph::predict {

/// Errors: corrupt, saying `what`, where it does not hold.
Status consistent(bool holds, const char* what);
Status check_places(const Places& places, Eigen::Index numbers, Eigen::Index categories);

/// `inputs`: as the design makes them, of no rows. Error: corrupt.
Status check_candidate(const Candidate& candidate, const Design& design, const Inputs& inputs);

}  // namespace neph::predict
