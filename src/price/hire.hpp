// The hire of a machine: a job, what the machine does around it, how often and when. Only for files of this
// module; others include price/price.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "price/around.hpp"
#include "price/bill.hpp"
#include "price/work.hpp"

namespace neph::price {

struct Hire {
  Work work;                    ///< one job; without stages where all of them are given
  Sources around;               ///< whose `job` is not read
  std::int64_t jobs = 1;        ///< on each start of the machine
  std::vector<Instant> begins;  ///< of each start
  /// All starts, as they were marked; those after the first follow the first of `begins` as they did there.
  std::vector<MarkedStart> marked;
};

/// With the job's stages at their values, or all of them at the lower or the upper ends of their intervals
/// (of those that are assumed: assumed_spread), and the idle time of the rule. Where starts were marked the
/// stages of each are its own. Errors: as of jobs_on_one_start().
Result<std::vector<Start>> starts_of(const Rule& rule, const Hire& hire, Bound bound);

/// A bill, and what it comes to at the ends of the stages' intervals. All stages at once are rarely at one
/// end, so that is wider than a 95 % interval of the sum.
struct Priced {
  Bill bill;
  std::optional<Exact> low, high;           ///< empty: no stage that is paid has an interval
  std::vector<BillStage> without_interval;  ///< measured and paid, but too few runs to tell how surely
};
/// Errors: as of bill().
Result<Priced> priced(const Rule& rule, const Price& price, const Hire& hire);

/// Neighbouring minutes of an hour of the clock at which a start costs the same.
struct Minutes {
  int first = 0, last = 0;
  Exact total;
};
/// Of the hour that `moment` lies in; a hire of one start. Errors: as of bill().
Result<std::vector<Minutes>> sweep_hour(const Rule& rule, const Price& price, const Hire& hire,
                                        Instant moment);
/// "Start at :00, not at :35: 100.00 instead of 200.00 RUB."
std::string sweep_text(const std::vector<Minutes>& sweep, const std::string& currency);

}  // namespace neph::price
