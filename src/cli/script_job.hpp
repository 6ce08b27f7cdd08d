// The experiment that a script does elsewhere, and what its runs need there.
#pragma once

#include <string>

#include "core/result.hpp"
#include "script/script.hpp"

namespace neph::cli {

/// `experiment`: the number of a stored one, or a TOML file. Without how the script is made (Job::command).
/// Errors: those of reading either; invalid_argument (a cell that makes no sense).
Result<script::Job> script_job(const std::string& experiment, const std::string& store);

}  // namespace neph::cli
