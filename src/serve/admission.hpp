// What a client asks for, checked against what the model takes. Only for files of this module.
#pragma once

#include "core/result.hpp"
#include "serve/job.hpp"
#include "serve/signature.hpp"

namespace neph::serve {

/// Fills the job's rows, inputs (or pictures), outputs and level from its exchange's request, and completes a
/// raw request's tensor with its name, type and shape. Only what lies in shared memory is copied. Errors,
/// which name the tensor: invalid_argument (missing, unknown, twice, wrong type or shape, too many rows, more
/// than memory holds, outputs that there are not), not_found and unsupported of shared memory, unavailable
/// (memory).
Status take_in(const Signature& signature, const Regions& regions, Job& job);

}  // namespace neph::serve
