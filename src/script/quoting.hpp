// Text that others wrote, as words, comments and scalars of a script: it becomes neither code nor structure.
// Only for files of this module.
#pragma once

#include <string>
#include <string_view>

#include "core/json_fwd.hpp"

namespace neph::script {

/// One line of printable characters: '...', with other bytes as "$(byte OCTAL)" and a line feed as
/// "$newline", both of parts/run.sh. So it neither ends a here-document nor leaves a block of YAML.
std::string sh_word(std::string_view text);
/// A whole line; what cannot be printed is replaced.
std::string comment(std::string_view text);
/// One line of printable characters, as JSON, YAML and TOML have it; bytes that are not UTF-8 become U+FFFD.
std::string scalar(const Json& value);

}  // namespace neph::script
