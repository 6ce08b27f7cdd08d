// Which memory allocator a process has, and how its OpenMP threads wait: both change what a training takes by
// more than many factors do, so that every training run records them.
//
// What it does not do: set them. Threads: as getenv().
#pragma once

#include <functional>
#include <string>

#include "record/facts.hpp"

namespace neph::workload {

/// A variable of the process's environment; empty: it is not set.
using Variables = std::function<std::string(const std::string& name)>;
/// Of this process.
std::string own_variable(const std::string& name);

/// Adds fact::allocator and fact::omp_wait_policy.
void add_library_settings(Facts& facts, const Variables& variable);

}  // namespace neph::workload
