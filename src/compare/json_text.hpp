// JSON as programs write it who print numbers by themselves. Inside the module.
#pragma once

#include <string_view>

#include "core/json_fwd.hpp"
#include "core/result.hpp"

namespace neph::compare {

/// As parse_json; NaN and infinity, which google-benchmark and Python write and JSON does not have, are null.
/// Errors: corrupt.
Result<Json> parse_json_of_others(std::string_view text, std::string_view what);

}  // namespace neph::compare
