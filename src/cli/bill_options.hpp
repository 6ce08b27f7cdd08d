// What `neph bill` is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/price_offers.hpp"
#include "cli/store_option.hpp"
#include "core/describe.hpp"

namespace neph::cli {

/// On one start: a bill has a line for each stage of each.
inline constexpr double most_jobs = 10'000;

struct BillOptions {
  std::int64_t experiment = 0;
  std::string cell;
  std::int64_t run = 0;
  std::string store{default_store};
  std::string rule;
  std::string price;
  std::string offer;
  OfferFiles lists;
  std::vector<std::string> rate;
  std::string start;
  std::string zone;
  std::vector<std::string> phase;
  std::string marks;
  std::vector<std::string> assume;
  std::int64_t jobs = 1;
  std::string idle;
  std::string rules;
  std::string cases;
  bool spot = false, warm = false, json = false;  ///< flags
};

template <class Visit, Describes<BillOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of an experiment (neph runs), whose configurations are billed",
    at_least(0));
  v("cell", s.cell, "one configuration of it: its number or its name, as neph show has them");
  v("run", s.run, "one run (neph runs EXPERIMENT) instead of the mean of all", at_least(0));
  v("store", s.store, store_help);
  v("rule", s.rule,
    "how time is billed (neph price rules); several with commas between, side by side; empty: the offer's, "
    "else per-second");
  v("price", s.price, "of the machine: 100RUB/h, $0.40/h");
  v("offer", s.offer, "a machine of a price list instead: azure/Standard_NC6@westus2 (neph price list)");
  describe(v, s.lists);
  v("rate", s.rate, price::rate_help);
  v("start", s.start,
    "when the machine is started: 2026-11-24T13:25+03:00, or 13:25 of today on the rule's clock; several "
    "starts with commas between; sweep: each minute of this hour; empty: now");
  v("zone", s.zone, "time zone of --start, as Europe/Berlin; empty: the rule's");
  v("phase", s.phase, "a stage and its length, which goes before all others: boot=40s, learn=1h30min");
  v("marks", s.marks, "file in which a run of neph script marked its stages");
  v("assume", s.assume,
    "a stage around an experiment's job where nothing is measured, instead of boot=40s, install=5min, "
    "poweroff=30s");
  v("jobs", s.jobs, "times that the stages from data_load to idle are done on one start",
    between(1, most_jobs));
  v("idle", s.idle, "time for which the machine is kept ready after each job, as 10min");
  v("rules", s.rules, price_rules_help);
  v("cases", s.cases, "file with a bill to make on each line, as JSON; a line of JSON for each comes out");
}

}  // namespace neph::cli
