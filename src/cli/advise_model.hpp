// What a model of `neph fit` predicts, as configurations to look at beside those that were measured.
#pragma once

#include <string>
#include <vector>

#include "cli/advise_table.hpp"

namespace neph::cli {

/// Rows of a table that has the columns that the model was fitted to; all are marked as predicted, and those
/// without an answer as refused. Errors: of the files; invalid_argument, as of times_in().
Result<TimesTable> predicted_times(const std::string& model, const std::string& rows,
                                   const std::vector<std::string>& where);

}  // namespace neph::cli
