// The runs of an experiment as a table to predict from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "predict/predict.hpp"

namespace neph::cli {

/// Whether the file begins as a store does.
bool is_store(const std::filesystem::path& file);

/// A row for each run that ended well: its machine (`provider`, `instance_type`, `processor`, `cores`,
/// `memory_bytes`, `gpu`, `gpus`), the factors of its cell, and of what was measured
/// (figures, `phase_NAME_s`, means of telemetry as `TARGET.NAME`) only the columns that are named in
/// `wanted`: they are outcomes, and say nothing of a run that was not made. `id` 0: the newest experiment.
/// Errors: those of the store; not_found (no such column); invalid_argument (no run ended well).
Result<predict::Table> experiment_table(const std::filesystem::path& store, std::int64_t id,
                                        const std::vector<std::string>& wanted);

}  // namespace neph::cli
