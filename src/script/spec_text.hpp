// An experiment as the TOML file that `neph run` reads. Only for files of this module.
#pragma once

#include <string>

#include "core/json_fwd.hpp"
#include "record/experiment.hpp"

namespace neph::script {

/// `options` are what stands above the table besides repeat and seed. No line is more than one value, in
/// printable characters.
std::string spec_text(const Experiment& experiment, const Json& options);

}  // namespace neph::script
