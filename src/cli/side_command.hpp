// A side of a comparison in pairs: a command that is run again and again.
#pragma once

#include <filesystem>
#include <string>

#include "compare/compare.hpp"
#include "core/clock.hpp"
#include "experiment/experiment.hpp"

namespace neph::cli {

/// The command as it is run. A measurement of neph's (infer, load, train, run) says what it measured as JSON,
/// one run of each configuration, and keeps it in `store`, where the command does not say otherwise.
std::string side_command(const std::string& line, const std::filesystem::path& store);

/// Runs a line of sh once, its standard input empty. What it measured is what it writes to standard output,
/// where that is of a kind that compare::parse_source() knows; else time_s, cpu_s and peak_memory_bytes of
/// the command. Errors: unavailable (it ended badly: exit code and last words; interrupted), those of
/// parsing.
Result<compare::Source> run_side(const std::string& command, const Clock& clock,
                                 experiment::Interrupt& interrupt);

}  // namespace neph::cli
