// Made-up validations for the tests. The same on every machine.
#pragma once

#include "report/report.hpp"

namespace neph::report {

struct SampleValidationOptions {
  std::size_t points = 48;
  std::vector<std::string> methods{"auto", "ernest"};
  bool hostile = false;  ///< names and cells that try to break the page
};

/// Points of batch × machine in two splits; the first method is 5 % off at most, the second 40 %; one point
/// is refused.
Validation sample_validation(const SampleValidationOptions& options = {});

}  // namespace neph::report
