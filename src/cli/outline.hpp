// Described things as a list for the terminal.
#pragma once

#include <string>

#include "core/json_fwd.hpp"

namespace neph::cli {

/// "name: value" lines of an object, nested objects indented, objects in lists one to a line; what is null or
/// empty is left out.
std::string outline(const Json& object, std::size_t indent = 0);

}  // namespace neph::cli
