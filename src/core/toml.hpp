// TOML files, read as JSON. Dates, nan and inf become text; everything else has its JSON twin.
#pragma once

#include <string_view>

#include "core/json_fwd.hpp"
#include "core/result.hpp"

namespace neph {

/// The error names the file (`what`), line and column. Refused unread: more than `most_bytes`, by default
/// more than people write, or nested more than 8 deep by brackets or by dots.
Result<Json> parse_toml(std::string_view text, std::string_view what, std::size_t most_bytes = 64 * 1024);

}  // namespace neph
