// The files of sh that scripts are made of: parts/*.sh and releases/*.sh, put into the program by
// cmake/EmbedFolder.cmake. Only for files of this module.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neph::script {

/// The file parts/NAME.sh.
std::string_view part(std::string_view name);

/// Name of the file without its ending, and its text.
const std::map<std::string, std::string, std::less<>>& embedded_releases();

/// What a line "#: NAME" of the text stands for.
using Filling = std::vector<std::pair<std::string_view, std::string>>;
std::string filled(std::string_view text, const Filling& filling);

/// What pip installs for an engine, as the project's locks have it; nothing: it needs nothing.
std::vector<std::string> packages_of_engine(std::string_view engine);

}  // namespace neph::script
