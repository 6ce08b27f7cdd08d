// Columns that tell machines apart: a name, figures of a data sheet, and the precision that a row computes
// in. What they come to is how fast the row's machine computes and reads its memory.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "table/table.hpp"

namespace neph::predict {

/// What a heading means beside a machine: "peak_gflops", "memory bandwidth (GB/s)", "SMs".
enum class Figure { compute, bandwidth, memory, units, clock };
struct FigureHeading {
  Figure figure;
  double factor = 1;  ///< to TFLOP/s, GB/s, GB, units, MHz
};
/// Nothing: the heading is of no data sheet.
std::optional<FigureHeading> figure_of(std::string_view heading);

/// Names of columns; empty: there is none.
struct MachineColumns {
  std::string machine;               ///< names of devices or machines
  std::vector<std::string> figures;  ///< of data sheets, constant within each machine
  std::string precision;             ///< of the computation: "fp16", "amp"
};

/// Those of a table. `machine`: the one that is known already; empty: the column of text of which most levels
/// are known devices.
MachineColumns machine_columns_in(const table::Table& table, const std::string& machine,
                                  const device::Sheets& sheets);

/// Of each row: logarithm of its machine's peak in TFLOP/s at the row's precision, and of its bandwidth in
/// GB/s; NaN: not known. A column of the table goes before the built-in sheet.
Eigen::MatrixXd log_speeds(const table::Table& rows, const MachineColumns& columns,
                           const device::Sheets& sheets);

}  // namespace neph::predict
