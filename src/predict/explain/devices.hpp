// Configurations on machines that the user names, measured or not.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "predict/ensemble/model.hpp"

namespace neph::predict {

/// Columns that describe only the machine, its name among them; none: the model knows no machines.
std::set<std::string> columns_of_machines(const Model& model);

struct AskedDevice {
  std::string name;   ///< as it was given
  std::string level;  ///< its name in the table; the given one, if it has no rows there
  std::int64_t points = 0;
  device::Hardware hardware;
};

/// Names may be spelled in any way; a device that the table has under another spelling counts as measured.
/// Errors: invalid_argument (no names, a model without machines, a device given twice, one that was not
/// measured and whose sheet lacks its peak or bandwidth), not_found with the nearest names.
Result<std::vector<AskedDevice>> asked_devices(const Model& model, const std::vector<std::string>& names);

/// The different rows of `configurations`, each on all devices, one device after the other. What a table has
/// of its machines (data-sheet columns, categories with one level a machine) is that of the measured machine,
/// or empty. Error: not_found (a column is missing).
Result<table::Table> on_devices(const Model& model, const table::Table& configurations,
                                const std::vector<AskedDevice>& devices);

/// A line for each device: its sheet, whether it was measured, and how much faster it is than the machine
/// with the most points in the median of the configurations. `predictions`: of the rows of on_devices().
Result<std::vector<std::string>> devices_in_words(const Model& model, const table::Table& configurations,
                                                  const std::vector<AskedDevice>& devices,
                                                  const std::vector<Prediction>& predictions,
                                                  std::size_t threads);

}  // namespace neph::predict
