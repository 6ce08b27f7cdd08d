// TOML files, read as JSON. Dates become text; everything else has its JSON twin.
#pragma once

#include <string_view>

#include "core/json.hpp"

namespace neph {

/// The error names the file (`what`), line and column.
Result<Json> parse_toml(std::string_view text, std::string_view what);

}  // namespace neph
