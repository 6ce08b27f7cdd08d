// The machine of each row: its name, the data-sheet figures that the table has, and the precision of the
// computation. From these follow its peak and its memory bandwidth.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "table/table.hpp"

namespace neph::predict {

/// Names of columns; empty: there is none.
struct MachineColumns {
  std::string machine;               ///< names of devices or machines
  std::vector<std::string> figures;  ///< of data sheets, constant within each machine
  std::string precision;             ///< of the computation: "fp16", "amp"
};

/// Those of a table. `machine`: the one that is known already; empty: the column of text of which most levels
/// are known devices, one of accelerators before one of CPUs.
MachineColumns machine_columns_in(const table::Table& table, const std::string& machine,
                                  const device::Sheets& sheets);

/// Whether a heading is of work in a time, as images_per_s, and not of a time.
bool is_rate(std::string_view heading);

/// What of them contradicts itself, a sentence each: two columns that name different machines, a figure far
/// from the sheet of the machine that the row names, machines none of which is known.
std::vector<std::string> contradictions_in(const table::Table& table, const MachineColumns& columns,
                                           const device::Sheets& sheets);

/// Of each row: logarithm of its machine's peak in TFLOP/s at the row's precision, and of its bandwidth in
/// GB/s; NaN: not known. A column of the table goes before the built-in sheet, unless it is
/// far from it; one of peaks at a precision ("f16_tflops") counts for rows of that precision. Of a CPU as
/// many cores count as a column 'threads' has.
struct MachineSpeeds {
  Eigen::MatrixXd logs;      ///< rows by 2
  Eigen::VectorXi families;  ///< device::Sheets::family_number(); -1: not known
};
MachineSpeeds machine_speeds(const table::Table& rows, const MachineColumns& columns,
                             const device::Sheets& sheets);

}  // namespace neph::predict
