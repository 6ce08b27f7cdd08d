// What a short command of this machine says. Only for files of this module.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::launch {

/// The first line of the command's standard output. Errors: its standard error, where it says none within
/// `limit_s`.
Result<std::string> answer_of(const std::vector<std::string>& command, double limit_s);

}  // namespace neph::launch
