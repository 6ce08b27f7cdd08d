// Whose cloud the machine is in, and what that calls its size: from the firmware's names (DMI) and from what
// cloud-init wrote down when the machine started. Never from the provider's server.
#pragma once

#include <optional>
#include <string>

#include "os/records.hpp"

namespace neph::host {

struct Cloud {
  std::optional<std::string> provider;       ///< empty: the machine does not tell
  std::optional<std::string> instance_type;  ///< empty: the machine does not tell
};

Cloud read_cloud(const Records& records);

}  // namespace neph::host
