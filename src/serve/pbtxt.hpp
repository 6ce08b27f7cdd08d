// Protocol buffers as text, the form of Triton's config.pbtxt, read as JSON. Only for files of this module.
#pragma once

#include <string_view>

#include "core/json_fwd.hpp"
#include "core/result.hpp"

namespace neph::serve {

/// A message becomes an object in which each field is the list of the values given to it: only a schema would
/// know which fields can be there twice. Names (true, TYPE_FP32) but for true and false become text. The
/// error names the file (`what`), line and column. Refused: more than 1 MiB, messages nested more than 32
/// deep.
Result<Json> parse_pbtxt(std::string_view text, std::string_view what);

}  // namespace neph::serve
