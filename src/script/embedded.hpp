// The files of sh that scripts are made of: parts/*.sh and releases/*.sh, put into the program by
// cmake/EmbedFolder.cmake. Only for files of this module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/embedded.hpp"

namespace neph::script {

/// The file parts/NAME.sh.
std::string_view part(std::string_view name);

/// Name of the file without its ending, and its text.
const EmbeddedFiles& embedded_releases();

/// What pip installs for an engine, as the project's locks have it; nothing: it needs nothing.
std::vector<std::string> packages_of_engine(std::string_view engine);

}  // namespace neph::script
