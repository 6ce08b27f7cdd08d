// OpenVINO's errors as ours. Its messages are several lines with source positions and failed checks; what a
// user can act on is one sentence in them, and for an unknown operator its name.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph::engine {

/// The error behind `text`, an exception's what(). `subject` begins the message: the file, "cannot compile
/// ...".
Error explain(std::string_view subject, std::string_view text);

/// The error behind the exception that is being handled; call it in a catch block only.
Error explain_current(std::string_view subject);

}  // namespace neph::engine
