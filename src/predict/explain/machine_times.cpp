#include "predict/explain/machine_times.hpp"

#include <cmath>
#include <map>

#include "predict/features/machine_columns.hpp"
#include "predict/models/machine_law.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;

constexpr double deviations_of_95_percent = 1.959963984540054;

/// Names as whole numbers, each by its first place.
class Codes {
 public:
  int of(const std::string& name) {
    return codes_.try_emplace(name, static_cast<int>(codes_.size())).first->second;
  }

 private:
  std::map<std::string, int> codes_;
};

table::Column text_column(const std::string& name, const std::vector<JobOnMachine>& jobs,
                          std::string JobOnMachine::*text) {
  table::Column column{.name = name};
  for (const auto& job : jobs) {
    column.codes.push_back(static_cast<std::int32_t>(column.levels.size()));
    column.levels.push_back(job.*text);
  }
  return column;
}

Result<MachineRows> rows_of(const std::vector<JobOnMachine>& jobs, const device::Sheets& sheets, Codes& codes,
                            Codes& machines) {
  const table::Table table{.source = {},
                           .columns = {text_column("machine", jobs, &JobOnMachine::machine),
                                       text_column("precision", jobs, &JobOnMachine::precision)},
                           .rows = jobs.size(),
                           .unread = {}};
  const auto count = static_cast<Index>(jobs.size());
  const auto speeds =
      machine_speeds(table, {.machine = "machine", .figures = {}, .precision = "precision"}, sheets);
  MachineRows rows{{Eigen::MatrixXd(count, 0), Eigen::MatrixXi(count, 1)},
                   speeds.logs,
                   Eigen::VectorXi(count),
                   speeds.families};
  for (Index i = 0; i < count; ++i) {
    const auto& job = jobs[static_cast<std::size_t>(i)];
    NEPH_TRY(const auto hardware, sheets.at(job.machine));
    if (!rows.log_speeds.row(i).allFinite())
      return fail(ErrorCode::invalid_argument, "the sheet of '{}' has no peak or no bandwidth",
                  hardware.sheet.name);
    rows.configurations.levels(i, 0) = codes.of(job.job);
    rows.machines[i] = machines.of(fmt::format("{} {}", hardware.devices, hardware.sheet.name));
  }
  return rows;
}

}  // namespace

Result<std::vector<Estimate>> times_on_machines(const std::vector<JobOnMachine>& measured,
                                                const std::vector<JobOnMachine>& asked,
                                                const device::Sheets& sheets) {
  if (measured.empty()) return fail(ErrorCode::invalid_argument, "no time was measured");
  Codes jobs, machines;
  NEPH_TRY(const auto known, rows_of(measured, sheets, jobs, machines));
  NEPH_TRY(const auto wanted, rows_of(asked, sheets, jobs, machines));
  Eigen::VectorXd logs(std::ssize(measured));
  for (Index i = 0; i < logs.size(); ++i) logs[i] = std::log(measured[static_cast<std::size_t>(i)].seconds);
  NEPH_TRY(const auto law, MachineLaw::fit(known, logs));
  std::vector<Estimate> times;
  for (const auto& [mean, deviation] : law.at(wanted)) {
    const double half = deviations_of_95_percent * deviation;
    times.push_back({.value = std::exp(mean), .low = std::exp(mean - half), .high = std::exp(mean + half)});
  }
  return times;
}

}  // namespace neph::predict
