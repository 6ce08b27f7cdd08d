// Telemetry as CSV files of dstat (Dag Wieers' 0.7 and 0.8) and of dool, its successor.
//
// What it is: a reader of both and a writer as 0.8.0's. The format was read off files of dstat 0.8.0 and dool
// 1.3.8: lines about the program, the host and the command, a line of groups, a line of columns, rows.
// What it does not do: measure, or open files. Threads: pure functions. Ownership: values.
// Cost: a pass over the text, 16 bytes a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "record/experiment.hpp"
#include "record/machine.hpp"
#include "record/recording.hpp"

namespace neph::host {

/// What the runs' telemetry tells of each machine, as a dstat would have seen it that ran all the time: a row
/// a second, rates averaged over it, states as last read in it. Seconds between runs have no row. CPU is in
/// percent of all processors, with the time of interrupts in user as dstat has it. One recording a machine.
std::vector<Recording> recordings_of(const std::vector<Machine>& machines, const std::vector<Run>& runs,
                                     const std::string& command);

/// A file as of `dstat -tcmdrn` 0.8.0; several recordings stand one after the other, as where dstat appends.
/// What is not known is an empty cell. Rows are at whole seconds.
std::string write_dstat(const std::vector<Recording>& recordings);

/// Every recording of a file that has a row. What cannot be used is left out and said in the notes: unknown
/// groups, lines with more or fewer cells than columns, a last line that is cut short. The first row's rates
/// are averages since the start of the machine, and left out, unless neph wrote the file. Without a total the
/// parts (disks, devices, processors) are summed. Errors: corrupt (no such file, no row that can be read).
Result<std::vector<Recording>> read_dstat(std::string_view text, const std::string& source);

}  // namespace neph::host
