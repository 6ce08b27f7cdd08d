// What `neph advise` is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/price_offers.hpp"
#include "cli/store_option.hpp"
#include "core/describe.hpp"
#include "core/seconds.hpp"
#include "price/price.hpp"

namespace neph::cli {

struct AdviseOptions {
  std::string measured;
  std::string store{default_store};
  std::int64_t infer = 0;
  std::string time;
  bool unmeasured = false;
  std::string machines;
  std::vector<std::string> where, use;
  std::string deadline, budget;
  std::vector<std::string> rate;
  Seconds p99{0};
  std::string start;
  std::vector<std::string> assume;
  std::string rules;
  std::int64_t simulations = 10'000;
  std::int64_t seed = 1;
  std::int64_t limit = 10;
  std::string html;
};

template <class Visit, Describes<AdviseOptions> Self>
void describe(Visit&& v, Self& s) {
  v("measured", s.measured,
    "what was measured: number of an experiment (neph runs), or a table of times; empty: the newest "
    "experiment");
  v("store", s.store, store_help);
  v("infer", s.infer, "number of an experiment of infer or load instead: machines for a --rate of requests",
    at_least(0));
  v("time", s.time,
    "column of the table that has the times, in seconds unless its name tells another unit: _ms, _min, "
    "_hours");
  v("machines", s.machines,
    "TOML file of data sheets of devices that neph host --devices does not list, for --unmeasured");
  v("where", s.where, "only what has this value: model=resnet50; may be given several times");
  v("use", s.use,
    "column of the table that tells configurations apart, though it looks like a run number; may be given "
    "several times");
  v("deadline", s.deadline,
    "latest end, from the machine's start to the saved result: 2h, 90min, 2026-11-25T18:00Z");
  v("budget", s.budget, "most that a job may cost: 10USD");
  v("rate", s.rate,
    "requests per second that are offered, with --infer: 200; or what a currency is worth: EUR=1.08USD");
  v("p99", s.p99, "latency objective of --infer: 99 % are answered within this; 0s: none", between(0, 1e5));
  v("start", s.start,
    "when the machine is started, of rules by the clock: 2026-11-24T13:25+03:00, or 13:25 UTC; empty: now");
  v("assume", s.assume,
    "a stage around the job where nothing is measured, instead of boot=40s, install=5min, poweroff=30s");
  v("rules", s.rules, price_rules_help);
  v("simulations", s.simulations, "draws behind the probabilities", between(1000, 1e6));
  v("seed", s.seed, "seed of the draws", at_least(0));
  v("limit", s.limit, "candidates in the table", between(1, 1e6));
  v("html", s.html, "file to write a page with charts to, which loads nothing from anywhere");
}

/// When the machine is started.
Result<price::Instant> begin_of(const AdviseOptions& options);

/// In seconds from there; it may be given as a length, or as a moment. Errors: invalid_argument.
Result<std::optional<double>> deadline_of(const AdviseOptions& options, price::Instant begin);

struct Budget {
  std::optional<price::Exact> amount;
  std::string currency;
};
/// Errors: invalid_argument (no amount, no currency, below 0).
Result<Budget> budget_of(const AdviseOptions& options);

/// What was given as --rate: a number of requests, or what currencies are worth.
struct Rates {
  double per_s = 0;  ///< 0: none
  std::vector<price::Rate> currencies;
};
/// Errors: invalid_argument.
Result<Rates> rates_of(const AdviseOptions& options);

/// Stages around the job that nobody measured. Errors: invalid_argument.
Result<std::vector<price::Stretch>> assumed_by(const AdviseOptions& options);

}  // namespace neph::cli
