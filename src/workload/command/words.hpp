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

/// What starts that many processes of the script in `words` (NAME.py …, or python3 [OPTIONS] NAME.py …) by
/// torchrun; one process of it for 1. `python` runs a NAME.py without an interpreter before it; with 1
/// process other commands stay as they are. Errors: invalid_argument: several processes of what is not a
/// script.
Result<std::vector<std::string>> words_of_processes(std::vector<std::string> words, std::int64_t processes,
                                                    const std::string& python);
/// Whether the first word is a script of Python without an interpreter before it.
bool is_script(const std::vector<std::string>& words);

/// "NAME=VALUE;NAME=VALUE". Errors: invalid_argument.
Result<std::vector<std::pair<std::string, std::string>>> variables_of(std::string_view text);

}  // namespace neph::workload::command
