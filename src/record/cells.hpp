// From fields to an experiment's factors, and from these to its cells.
#pragma once

#include <vector>

#include "core/result.hpp"
#include "record/experiment.hpp"

namespace neph {

/// More cells than this are a mistake in a range ("1..64000").
inline constexpr std::int64_t max_cells = 10'000;
/// More runs than this would take months; (cells × repeats).
inline constexpr std::int64_t max_runs = 1'000'000;
/// Most memory for the cells' descriptions, in bytes of their text.
inline constexpr std::size_t max_cell_bytes = std::size_t{64} << 20;

/// Arrays become factors, everything else what all cells share; both in the given order of names, so that an
/// experiment is the same whether it comes from options or from a file. Names that are not among them come
/// last, for the workload to refuse.
void set_fields(Experiment& experiment, const Json& fields, const std::vector<std::string>& order);

/// All combinations of the factors' values, the first factor slowest. One cell, "all", without factors.
/// Errors: invalid_argument: a factor without values or named twice, a value twice, too many cells or runs
/// or bytes (before any is made), fewer than one repeat.
Result<std::vector<Cell>> expand(const Experiment& experiment);

/// GPUs that a run of the cell computes on, by its fields 'device' and 'gpus'; 0: none.
std::int64_t gpus_used(const Experiment& experiment, const Cell& cell);

}  // namespace neph
