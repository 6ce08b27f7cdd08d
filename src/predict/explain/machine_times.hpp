// Times of jobs on machines that they were not run on, from their times on others.
#pragma once

#include <string>
#include <vector>

#include "core/estimate.hpp"
#include "core/result.hpp"
#include "device/device.hpp"

namespace neph::predict {

struct JobOnMachine {
  std::string job;        ///< those of one name do the same work with the same settings
  std::string machine;    ///< as device::Sheets::find takes it: "2x T4", "4 cores of EPYC 7763"
  std::string precision;  ///< of the computation; empty: fp32
  double seconds = 0;     ///< measured; of those that are asked for it is not read
};

/// By the law of machines (models/machine_law.hpp), with 95 % prediction intervals. Errors: not_found (a
/// machine that is not known), invalid_argument (one without peak or bandwidth on its sheet; nothing
/// measured).
Result<std::vector<Estimate>> times_on_machines(const std::vector<JobOnMachine>& measured,
                                                const std::vector<JobOnMachine>& asked,
                                                const device::Sheets& sheets);

}  // namespace neph::predict
