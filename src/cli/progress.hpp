// Progress of work whose amount is known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/terminal.hpp"

namespace neph::cli {

/// Shows "what 12/300 · 3.4 s left" on the line, at most ten times a second. The line must outlive what is
/// given back.
std::function<void(std::int64_t done, std::int64_t total)> progress_on(ProgressLine& line, std::string what);

}  // namespace neph::cli
