// Anybody's table of times as configurations to choose from.
#pragma once

#include <string>
#include <vector>

#include "advise/advise.hpp"
#include "table/table.hpp"

namespace neph::cli {

struct TimesTable {
  std::vector<advise::Configuration> configurations;
  std::string time;                ///< the column that was taken
  std::vector<std::string> notes;  ///< what was taken for granted
};

/// `time` is the column of times; empty: the only one whose name ends as a time's does. `where` are
/// conditions COLUMN=VALUE that rows must meet. `used` are columns that name configurations, whatever they
/// look like. Rows of one configuration are its repeats. Errors: invalid_argument (no time in a row, a number
/// that is none, neither cores nor GPUs nor an instance told, several rows of one configuration with
/// intervals of their own), not_found (a column, with the nearest name; no row left).
Result<TimesTable> times_in(const table::Table& table, const std::string& time,
                            const std::vector<std::string>& where, const std::vector<std::string>& used = {});

}  // namespace neph::cli
