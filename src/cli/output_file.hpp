// Files that a verb will write, looked at before it works for minutes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph::cli {

/// Errors: invalid_argument (no name, a folder, or one of the files that are read), not_found (no such
/// folder).
Status check_output_file(std::string_view option, const std::string& path,
                         std::initializer_list<std::string> read);

/// Error: invalid_argument, where a file of that name would be written over; it says how to have it so.
Status check_nothing_is_lost(std::string_view option, const std::string& path);

}  // namespace neph::cli
