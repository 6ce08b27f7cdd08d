// Many bills at once: a case on each line of a file.
#pragma once

#include <string>

#include "cli/bill_options.hpp"
#include "core/result.hpp"

namespace neph::cli {

/// Prints a line of JSON for each: the bill, or {"error": why}. Errors: of the file; invalid_argument, where
/// cases were refused.
Status bill_cases(const BillOptions& options);

}  // namespace neph::cli
