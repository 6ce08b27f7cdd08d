// The experiment that a script does elsewhere, and what its runs need there.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "script/script.hpp"

namespace neph::cli {

/// What of an experiment is done there.
struct ScriptedPart {
  std::string cell;    ///< number or name of the one configuration; empty: all
  bool whole = false;  ///< a training to its end, once, and saved
};

/// `experiment`: the number of a stored one, or a TOML file. Without how the script is made (Job::command).
/// Errors: those of reading either; invalid_argument (a cell that makes no sense, a whole of several
/// configurations or of no training), not_found (no such configuration).
Result<script::Job> script_job(const std::string& experiment, const std::string& store,
                               const ScriptedPart& part);

/// On stderr. Errors: as those of script::script().
Status tell_needs(const script::Job& job, const price::Offer& offer, const script::Wishes& wishes,
                  const std::vector<price::Rule>& rules);

}  // namespace neph::cli
