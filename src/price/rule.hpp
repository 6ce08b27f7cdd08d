// How a provider counts time: a rule is data, read from TOML (src/price/rules/*.toml are built in; a user's
// file adds and overrides). Only for files of this module; others include price/price.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/json_fwd.hpp"
#include "core/result.hpp"
#include "record/phases.hpp"

namespace neph::price {

/// What becomes of a step that was begun.
enum class Rounding { up, down };
constexpr auto enum_names(Rounding) {
  return std::array{Named{Rounding::up, "up"}, Named{Rounding::down, "down"}};
}

/// From where steps are counted.
enum class Align {
  start,  ///< from the moment at which billing begins
  clock   ///< from the full step of the wall clock: of 13:25 to 13:40 the hour from 13 to 14
};
constexpr auto enum_names(Align) {
  return std::array{Named{Align::start, "start"}, Named{Align::clock, "clock"}};
}

/// For what the least time is paid.
enum class MinimumPer { start, bill };
constexpr auto enum_names(MinimumPer) {
  return std::array{Named{MinimumPer::start, "start"}, Named{MinimumPer::bill, "bill"}};
}

/// What two starts within one step of the clock cost.
enum class Within {
  sum,  ///< the step twice
  most  ///< the step once: the most that was used at once
};
constexpr auto enum_names(Within) {
  return std::array{Named{Within::sum, "sum"}, Named{Within::most, "most"}};
}

/// What ends the bill for the machine.
enum class Release { poweroff, deallocate, remove, freeze };
constexpr auto enum_names(Release) {
  return std::array{Named{Release::poweroff, "poweroff"}, Named{Release::deallocate, "deallocate"},
                    Named{Release::remove, "delete"}, Named{Release::freeze, "freeze"}};
}

/// Which of a provider's machines are billed so.
enum class Machines { all, without_gpu, with_gpu };
constexpr auto enum_names(Machines) {
  return std::array{Named{Machines::all, "all"}, Named{Machines::without_gpu, "without-gpu"},
                    Named{Machines::with_gpu, "with-gpu"}};
}

/// Which stages are paid.
struct Billed {
  bool provision = false;
  bool boot = true;
  bool install = true;
  bool data_load = true;
  bool start = true;
  bool learn = true;
  bool verify = true;
  bool save = true;
  bool idle = true;
  bool poweroff = true;
  bool off = false;

  bool pays(BillStage stage) const;
};

template <class Visit, Describes<Billed> Self>
void describe(Visit&& v, Self& s) {
  v("provision", s.provision, "from the order to the machine's start");
  v("boot", s.boot, "from the machine's start to its readiness");
  v("install", s.install, "installation");
  v("data_load", s.data_load, "bringing the data");
  v("start", s.start, "start of the program");
  v("learn", s.learn, "the work itself");
  v("verify", s.verify, "verification");
  v("save", s.save, "saving of results");
  v("idle", s.idle, "kept ready after a job");
  v("poweroff", s.poweroff, "from the word to switch off to the machine's end");
  v("off", s.off, "switched off, but not released");
}

struct Rule {
  std::string name, title;
  std::vector<std::string> bills;
  Machines bills_machines = Machines::all;
  std::vector<std::string> bills_instances;
  std::int64_t step_s = 1;
  Rounding rounding = Rounding::up;
  std::int64_t minimum_s = 0;
  MinimumPer minimum_per = MinimumPer::start;
  Align align = Align::start;
  Within within = Within::sum;
  std::string time_zone = "UTC";
  Billed billed;
  std::int64_t idle_s = 0;
  Release release = Release::remove;
  std::vector<std::string> after;
  std::vector<std::string> components{"machine"};
  std::string spot, vat, note;
  bool is_confirmed = true;
  std::string source, date;
};

template <class Visit, Describes<Rule> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "what --rule takes");
  v("title", s.title, "the provider and what it rents, for people");
  v("bills", s.bills, "providers whose offers are billed so: aws, gcp; a rule of your own goes first");
  v("bills_machines", s.bills_machines, "which of their machines");
  v("bills_instances", s.bills_instances,
    "also these of their machines, by names or their beginnings with a star: RENDER-S*");
  v("step_s", s.step_s,
    "time is paid in whole steps of this; 0: to the nanosecond; of the clock: a part of an hour, or hours "
    "that are a part of a day",
    between(0, 31622400));
  v("rounding", s.rounding, "of a step that was begun");
  v("minimum_s", s.minimum_s, "the least that is paid", between(0, 31622400));
  v("minimum_per", s.minimum_per, "the least is paid for each start of a machine, or once");
  v("align", s.align, "steps begin with the machine, or with the clock");
  v("within", s.within, "two starts within one step of the clock: paid twice, or once");
  v("time_zone", s.time_zone, "whose clock it is, as Europe/Moscow");
  v("billed", s.billed, "which stages are paid");
  v("idle_s", s.idle_s, "for which the provider keeps a machine after a job, unless it is told otherwise",
    between(0, 31622400));
  v("release", s.release, "what ends the bill for the machine");
  v("after", s.after, "what goes on costing after that: disk, address");
  v("components", s.components, "what has a price of its own: machine, vcpu, gb, gpu, disk, egress");
  v("spot", s.spot, "what is known of machines that may be taken away");
  v("vat", s.vat, "whether prices have it");
  v("note", s.note, "what else one must know");
  v("is_confirmed", s.is_confirmed, "read in the provider's own words");
  v("source", s.source, "where it was read");
  v("date", s.date, "when it was read");
}

/// Errors: invalid_argument (an unknown key, a step of the clock that is no period of it, no name, no
/// source), not_found (the time zone).
Result<Rule> parse_rule(std::string_view toml, std::string_view what);
/// The same of its keys as JSON.
Result<Rule> rule_from(const Json& json, const std::string& what);
/// Those that are built in, by name.
const std::vector<Rule>& built_in_rules();
/// Errors: not_found, with the nearest name.
Result<Rule> find_rule(std::string_view name, const std::vector<Rule>& rules);

}  // namespace neph::price
