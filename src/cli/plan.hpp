// From what a user asks for to an experiment: fields with several values are factors, and every cell must
// make sense.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/money.hpp"
#include "cli/store_option.hpp"
#include "core/result.hpp"
#include "core/seconds.hpp"
#include "record/experiment.hpp"

namespace neph::cli {

inline constexpr std::string_view latency_limit_help =
    "recommend only what is shown to keep p95 of a batch's latency within this; 0s: no limit";

/// Options of an experiment that are not the workload's.
struct PlanOptions {
  std::int64_t repeat = 5;
  std::int64_t seed = 0;
  double timeout_s = 3600;
  std::string on = "here";
  std::string store{default_store};
  MoneyOptions money;
};

template <class Visit, Describes<PlanOptions> Self>
void describe(Visit&& v, Self& s) {
  v("repeat", s.repeat, "runs per combination; intervals need at least 2", between(1, 100000));
  v("seed", s.seed, "of the order of runs; 0: a new one, which is kept with the results", at_least(0));
  v("timeout_s", s.timeout_s, "a run that takes longer has failed; 0: no limit", between(0, 1e8));
  v("on", s.on, "where runs are made: here, or docker:IMAGE, a container each");
  v("store", s.store, store_help);
  describe(v, s.money);
}

/// Where configurations compete, so that results recommend one.
struct CompetingPlanOptions : PlanOptions {
  Seconds latency_limit{0};
};

template <class Visit, Describes<CompetingPlanOptions> Self>
void describe(Visit&& v, Self& s) {
  describe(v, static_cast<std::conditional_t<std::is_const_v<Self>, const PlanOptions, PlanOptions>&>(s));
  v("latency_limit", s.latency_limit, latency_limit_help, between(0, 1e5));
}

struct Plan {
  Experiment experiment;
  std::vector<Cell> cells;
  PlanOptions options;
  bool is_repeat_asked = false;  ///< by the user: resumed, an experiment has no more than that
};

/// `fields`: a workload's fields by name; an array makes a factor. Errors: an unknown field (with the nearest
/// known one), a value that makes no sense in some cell, too many cells.
/// `latency_limit`: what the recommendation must keep to; no cell and no run knows of it.
Result<Plan> make_plan(const std::string& workload, const Json& fields, const PlanOptions& options,
                       Seconds latency_limit = {});

/// In place of what the plan has. Errors: as of check_money().
Status set_money(Plan& plan, const MoneyOptions& money);

/// An experiment's TOML file: the fields of PlanOptions (of infer: CompetingPlanOptions) at the top and one
/// table named after the workload with its fields, e.g. `repeat = 20` and `[infer]` with `model = "resnet50"`
/// and `batch = [1, 8]`.
Result<Plan> read_plan(std::string_view toml, std::string_view file);

}  // namespace neph::cli
