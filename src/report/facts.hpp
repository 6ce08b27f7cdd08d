// Names and values of descriptions and fingerprints as people read them. The unit is the ending of a name.
#pragma once

#include <string>

#include "core/json.hpp"

namespace neph::report {

/// "total_bytes" to "total", "base_hz" to "base", "swap_in" to "swap in".
std::string fact_name(std::string name);

/// "7.77 GiB" for {"total_bytes": 8346030080}; "yes", "not known"; a list in one line.
std::string fact_text(const std::string& name, const Json& value);

}  // namespace neph::report
