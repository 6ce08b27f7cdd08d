// What a short command of this machine says. Only for files of this module.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::launch {

/// What standard error says of a command that ended well.
enum class Complaints {
  ignored,  ///< nothing: a warning
  believed  ///< that the answer is wrong: of a pipeline, whose exit code tells of its last command only
};

/// The first line of the command's standard output. Errors: its standard error, where it says no line within
/// `limit_s` or ends with another exit code than 0.
Result<std::string> answer_of(const std::vector<std::string>& command, double limit_s,
                              Complaints complaints = Complaints::ignored);

}  // namespace neph::launch
