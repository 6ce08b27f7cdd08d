// What a machine does around a job: it starts, is installed, is switched off. That comes from a user, from
// marks of `neph script`, or from assumptions, which all who bill take from here. Only for files of this
// module; others include price/price.hpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "price/bill.hpp"

namespace neph::price {

/// How many times as long, or as short, an assumed stage may be: its 95 % interval. Chosen, and not
/// measured.
inline constexpr double assumed_spread = 2;
inline constexpr std::string_view assumed_spread_words = "each may take half or twice as long";

/// What is assumed where nothing is measured: boot 40 s, install 5 min, poweroff 30 s.
std::vector<Stretch> usual_assumptions();
/// Those of `own`, then those of usual_assumptions() of stages that it does not have. All `assumed`.
std::vector<Stretch> assumptions_with(std::vector<Stretch> own);

/// "boot=40s": a stage and its length, as given. `option` is its name in messages. Errors: invalid_argument.
Result<Stretch> parse_stage(std::string_view text, std::string_view option);
/// Of an option that may be given several times, or with commas between: "boot=40s,install=5min".
Result<std::vector<Stretch>> parse_stages(const std::vector<std::string>& texts, std::string_view option);

/// What a machine marked from one start to the next.
struct MarkedStart {
  Nanoseconds at{};  ///< its first mark, on the machine's clock
  std::vector<Stretch> stages;
};

/// Marks of a machine's own clock, a line of JSON for each: {"stage": "boot", "begin_s": 0, "end_s": 41.5},
/// in any order; other keys are passed over. What lies between two marks is paid too, and counts to the
/// second; but with another provision or boot another start begins, and before it the machine was off. Not
/// empty, in the order of time. Errors: invalid_argument, with the line: no such stage, an end before its
/// begin, marks that overlap, none.
Result<std::vector<MarkedStart>> parse_marks(std::string_view lines, std::string_view what);

/// When the first of them was, if the machine counts from 1970 and not from its boot.
std::optional<Instant> begin_of(const std::vector<MarkedStart>& starts);

/// Whether a machine can mark the stage itself: it does not see its order, nor its own end. Where it marks
/// others and not this one, as a container does not boot, the stage is absent.
bool is_marked_from_inside(BillStage stage);

/// Where the stages of a start come from, the first that has one: what is given; the job and, before it, the
/// marks of the same stage; assumptions. Of learn and verify a job's times go before marks, for a script
/// marks all of a program's run as one.
struct Sources {
  std::vector<Stretch> given, marks, job, assumed;
};
/// In the order of BillStage; as given where nothing else is there.
std::vector<Stretch> stages_of_start(const Sources& sources);

/// The same with a stretch that is `absent` for each stage that a run may have and this one lacks: a ledger
/// says so. `stages` are in the order of BillStage.
std::vector<Stretch> with_absent(const std::vector<Stretch>& stages);

/// The stages of a start with the time for which the rule's provider keeps a machine after a job, assumed. As
/// they are where they have `idle` already, or no stage of a job.
std::vector<Stretch> with_idle_of(const Rule& rule, std::vector<Stretch> stages);

/// The same sources on a machine that is on and stays on: what is neither of the job nor given is left out.
Sources on_a_warm_machine(Sources sources);

}  // namespace neph::price
