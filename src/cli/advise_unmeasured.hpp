// What was measured, predicted for hardware of a market on which it was not.
#pragma once

#include <string>
#include <vector>

#include "advise/advise.hpp"
#include "device/device.hpp"

namespace neph::cli {

/// Each offer gets its hardware, where that is known.
void look_up_hardware(std::vector<price::Offer>& offers, const device::Sheets& sheets);

struct Unmeasured {
  std::vector<advise::Configuration> configurations;
  std::vector<std::string> notes;  ///< what could not be predicted
};

/// Each known configuration on each other GPU (without one: CPU) of the offers, by the law of machines. Those
/// of the measured that are bound to no CPU are bound to theirs. One that a GPU's memory does not hold is
/// refused. Errors: invalid_argument (no configuration ran on hardware that is known), those of
/// predict::times_on_machines().
Result<Unmeasured> on_unmeasured(std::vector<advise::Configuration>& measured,
                                 const std::vector<price::Offer>& offers, const device::Sheets& sheets);

}  // namespace neph::cli
