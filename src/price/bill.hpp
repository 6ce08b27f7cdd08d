// A bill: what one or more starts of a machine cost by a rule, line by line. Only for files of this module;
// others include price/price.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "price/moment.hpp"
#include "price/money.hpp"
#include "price/rule.hpp"

namespace neph::price {

/// How the length of a stage is known.
enum class Known {
  measured,
  given,  ///< by the user
  assumed,
  absent
};
constexpr auto enum_names(Known) {
  return std::array{Named{Known::measured, "measured"}, Named{Known::given, "given"},
                    Named{Known::assumed, "assumed"}, Named{Known::absent, "absent"}};
}

struct Stretch {
  BillStage stage{};
  Nanoseconds length{};  ///< 0 where it is absent
  Known known = Known::measured;
};

/// One start of a machine: its stages follow each other.
struct Start {
  Instant begin;
  std::vector<Stretch> stretches;
};

/// The stages of one job, from data_load to idle, again and again between those that a start has once. One
/// job's are as given. Errors: invalid_argument (several jobs, and stages out of the order of BillStage).
Result<std::vector<Stretch>> jobs_on_one_start(const std::vector<Stretch>& once, std::int64_t jobs);

/// What a stage costs to the nanosecond. What rounding adds is a line of its own (`is_rounding`), from the
/// end of what is billed to where that is paid until.
struct Line {
  std::size_t start = 0;  ///< which
  BillStage stage{};
  bool is_rounding = false;
  std::optional<Known> known;  ///< not of rounding
  Instant begin, end;
  /// Of rounding what is paid less what it took: below 0 where rounding is down; longer than from begin to
  /// end where a step of the clock had begun before, or earlier starts were rounded too.
  Nanoseconds length{};
  bool is_billed = false;
  Exact amount;
};

struct Bill {
  std::vector<Line> lines;  ///< add up to the amount
  Nanoseconds exact{};      ///< billed stages as they lasted
  Nanoseconds billed{};     ///< what is paid
  Exact amount;             ///< not rounded yet: decimal_text() does
  std::string currency;
  /// To where the last step reaches: work until then costs no more. Where rounding is down, to where the next
  /// step is full: then it costs more.
  Instant paid_until;
};

/// Paid time of a start: the sum of its billed stages, in whole steps from its begin, at least the minimum;
/// by the clock all steps that a billed stage touches. Starts are in order of time. Errors: invalid_argument
/// (a length below 0, starts that overlap, lengths or what is paid beyond 100 years together), not_found (the
/// rule's time zone).
Result<Bill> bill(const Rule& rule, const Price& price, std::span<const Start> starts);

}  // namespace neph::price
