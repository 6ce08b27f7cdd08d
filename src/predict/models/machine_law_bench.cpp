// machine_law_bench WIDTH TARGET MACHINE TABLE.csv [ASKED.csv]: what the law of machines makes of a table, as
// JSON.
//
// The spreads that all rows of the table make of the prior; then the error, the share inside of 90 %
// intervals and their half width, as a factor: of each machine from the others, or of the rows of ASKED.
// WIDTH widens the prior.
// ./dev goals machines asks it of the tables in tests/goals/machines.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>

#include "core/json.hpp"
#include "predict/ensemble/ensemble.hpp"
#include "predict/profile/profile.hpp"
#include "predict/profile/table_options.hpp"
#include "stats/stats.hpp"

namespace neph::predict {
namespace {

struct Known {
  MachineRows rows;
  Eigen::VectorXd log_target;
  std::vector<std::string> machines;  ///< by level
};

Eigen::VectorXd logs_of(const std::vector<double>& target) {
  return Eigen::Map<const Eigen::VectorXd>(target.data(), std::ssize(target)).array().log();
}

/// All features of the design, without what only describes the machine.
MachineRows rows_in(const Design& design, const Inputs& inputs, const Eigen::MatrixXi& measured_levels) {
  FeatureSubset all;
  all.numbers.resize(static_cast<std::size_t>(inputs.matrix.numbers.cols()));
  all.categories.resize(static_cast<std::size_t>(inputs.matrix.levels.cols()));
  std::iota(all.numbers.begin(), all.numbers.end(), 0);
  std::iota(all.categories.begin(), all.categories.end(), 0);
  const auto machine = static_cast<Eigen::Index>(*design.machine());
  return machine_rows(inputs, all, {.machine = machine}, machines_own(measured_levels, machine));
}

/// Rows whose data sheet is not known are left out.
std::vector<std::size_t> usable(const Inputs& inputs) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < static_cast<std::size_t>(inputs.rows()); ++row)
    if (!inputs.unknown_machines.contains(row) && !inputs.refused.contains(row)) rows.push_back(row);
  return rows;
}

Json judged(const std::string& name, const MachineLaw& law, MachineRows asked, const Eigen::VectorXd& truth) {
  constexpr double deviations_of_ninety = 1.645;
  asked.machines.setConstant(-1);
  std::vector<double> widths;
  double error = 0, inside = 0;
  const auto answers = law.at(asked);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const double off = answers[i].log_mean - truth[static_cast<Eigen::Index>(i)];
    const double half = deviations_of_ninety * answers[i].deviation;
    error += std::abs(std::expm1(off));
    inside += std::abs(off) <= half ? 1 : 0;
    widths.push_back(std::exp(half));
  }
  const auto count = static_cast<double>(answers.size());
  return {{"machine", name},
          {"rows", answers.size()},
          {"error", error / count},
          {"inside", inside / count},
          {"width", stats::median(widths)}};
}

Status show(double width, const TableOptions& options, const std::string& asked_file) {
  NEPH_TRY(const auto profile, profile_of(options));
  NEPH_TRY(const auto roles, roles_in(options, profile));
  NEPH_TRY(const auto design, Design::learn(profile.points.features, roles));
  if (!design.machine() || !design.knows_machines())
    return fail(ErrorCode::invalid_argument, "{}: '{}' has too few known devices", options.table,
                options.machine);
  NEPH_TRY(const auto all_inputs, design.apply(profile.points.features));
  const auto which = usable(all_inputs);
  const auto inputs = rows_of(all_inputs, which);
  const Eigen::VectorXd target = rows_of(logs_of(profile.points.target), which);
  const auto rows = rows_in(design, inputs, all_inputs.matrix.levels);
  MachineLawPrior prior;
  prior.share_deviation *= width;
  prior.log_deviation *= width;
  NEPH_TRY(const auto law, MachineLaw::fit(rows, target, prior));
  const auto spreads = law.spreads();
  Json shown = {{"share", spreads.compute_share},   {"own", spreads.own},
                {"own_by_row", spreads.own_by_row}, {"family", spreads.family},
                {"power", spreads.power},           {"power_by_row", spreads.power_by_row}};
  Json parts = Json::array();
  if (!asked_file.empty()) {
    NEPH_TRY(const auto asked, table::read_table(asked_file));
    NEPH_TRY(const auto asked_inputs, design.apply(asked));
    NEPH_TRY(const auto place, asked.find(options.target));
    if (asked.columns[place].is_text() || !asked_inputs.refused.empty() ||
        !asked_inputs.unknown_machines.empty())
      return fail(ErrorCode::invalid_argument, "{}: a row cannot be predicted, or has no time", asked_file);
    parts.push_back(judged(asked_file, law, rows_in(design, asked_inputs, all_inputs.matrix.levels),
                           logs_of(asked.columns[place].numbers)));
  }
  constexpr std::size_t fewest = 3;
  const auto& levels = design.categories()[*design.machine()].levels;
  for (std::size_t level = 0; asked_file.empty() && level < levels.size(); ++level) {
    std::vector<std::size_t> inside, left_out;
    for (std::size_t row = 0; row < which.size(); ++row)
      (rows.machines[static_cast<Eigen::Index>(row)] == static_cast<int>(level) ? left_out : inside)
          .push_back(row);
    if (left_out.size() < fewest || inside.size() < fewest_points) continue;
    NEPH_TRY(const auto others, MachineLaw::fit(rows_of(rows, inside), rows_of(target, inside), prior));
    parts.push_back(judged(levels[level], others, rows_of(rows, left_out), rows_of(target, left_out)));
  }
  std::puts(dump_json({{"spreads", shown}, {"parts", parts}}).c_str());
  return {};
}

}  // namespace
}  // namespace neph::predict

int main(int count, char** words) {
  if (count < 5)
    return std::fputs("machine_law_bench WIDTH TARGET MACHINE TABLE.csv [ASKED.csv]\n", stderr), 2;
  const neph::predict::TableOptions options{.table = words[4], .target = words[2], .machine = words[3]};
  const auto done = neph::predict::show(std::atof(words[1]), options, count > 5 ? words[5] : "");
  if (!done) std::fputs((done.error().text() + "\n").c_str(), stderr);
  return done ? 0 : 1;
}
