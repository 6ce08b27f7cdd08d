// Other predictors beside ours: those of Python packages, on the same splits of the same table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "predict/predict.hpp"

namespace neph::cli {

/// "ridge", "gp", "forest", "xgboost" and "autogluon" of a list with commas. Error: invalid_argument.
Result<std::vector<std::string>> peers_in(const std::string& list);

/// Each of them on each split, in $VIRTUAL_ENV's python3 or the one in PATH. Values have no intervals.
/// Errors: unavailable (no python3, a package that is not installed, with the line that installs it; a method
/// that failed, with the end of what it wrote).
Result<std::vector<ValidatedMethod>> peers_on(const std::vector<std::string>& peers,
                                              const predict::Profile& profile,
                                              const std::vector<predict::Split>& splits,
                                              const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace neph::cli
