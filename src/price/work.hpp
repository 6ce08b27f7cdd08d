// What a job takes, stage by stage, and how sure that is: from measured cells. Only for files of this module;
// others include price/price.hpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/estimate.hpp"
#include "core/result.hpp"
#include "price/bill.hpp"
#include "record/experiment.hpp"

namespace neph::price {

struct StageTime {
  BillStage stage{};
  Estimate seconds;  ///< with its interval where the measurement has one
  Known known = Known::measured;
};

/// One job: its stages in the order of BillStage, each at most once.
struct Work {
  std::string name;  ///< of the cell, as reports call it
  std::vector<StageTime> stages;
};

/// nullptr: there is none of that name, or it is no number.
const Estimate* find_figure(const std::map<std::string, Estimate>& estimates, std::string_view name);

/// Of a measured cell: its phases by stage. Of an extrapolated training `learn` and `verify` are those of the
/// whole training. Errors: not_found (no run of it ended well).
Result<Work> work_of(const CellSummary& cell);

/// The job's stages as a bill takes them, each at its value, its lower or its upper end.
enum class Bound { value, low, high };
std::vector<Stretch> stretches(const Work& work, Bound bound);

}  // namespace neph::price
