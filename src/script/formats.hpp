// The script within files that other tools read. Only for files of this module.
#pragma once

#include <string>

#include "script/writer.hpp"

namespace neph::script {

/// Errors: unsupported (SkyPilot does not know the provider), invalid_argument (text that YAML cannot hold).
Result<std::string> sky_text(const Task& task, const std::string& script);
/// Errors: invalid_argument (text that YAML cannot hold, or a bundle that lies beside a script).
Result<std::string> cloud_init_text(const Task& task, const std::string& script);

}  // namespace neph::script
