// A command line as words.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace neph::workload::command {

/// Splits as a POSIX shell does (2.2 Quoting), and does nothing else that a shell does: no variables, no
/// pipes. What shell_quoted() wrote comes back as it was. Errors: invalid_argument: a quote that is not
/// closed, no word.
Result<std::vector<std::string>> words_of(std::string_view command);

/// "NAME=VALUE;NAME=VALUE". Errors: invalid_argument.
Result<std::vector<std::pair<std::string, std::string>>> variables_of(std::string_view text);

}  // namespace neph::workload::command
