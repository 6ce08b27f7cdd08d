// How many cores pay, and which law the times follow, in words: of trainings and of commands.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// Of each group of configurations that differ in nothing but cores; empty where none has two numbers of
/// them.
std::vector<std::string> scaling_findings(const Document& document);

}  // namespace neph::report
