#include <chrono>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/price_rules.hpp"
#include "cli/verbs.hpp"
#include "core/names.hpp"

namespace neph::cli {
namespace {

struct BillOptions {
  std::string rule = "per-second";
  std::string price;
  std::string start;
  std::vector<std::string> phase;
  std::int64_t jobs = 1;
  std::string rules;
};

template <class Visit, Describes<BillOptions> Self>
void describe(Visit&& v, Self& s) {
  v("rule", s.rule, "how time is billed (neph price rules); several with commas between, side by side");
  v("price", s.price, "of the machine: 100RUB/h, $0.40/h");
  v("start", s.start,
    "when the machine is started: 2026-11-24T13:25+03:00, or 13:25 of today on the rule's clock; empty: now");
  v("phase", s.phase, "a stage and its length, in the order of time: boot=40s, install=5min, learn=1h30min");
  v("jobs", s.jobs, "times that the stages from data_load to idle are done on one start", between(1, 1e6));
  v("rules", s.rules, price_rules_help);
}

Result<price::Stretch> stretch_of(const std::string& phase) {
  const auto equals = phase.find('=');
  const auto name = phase.substr(0, equals);
  const auto stage = enum_value<BillStage>(name);
  if (!stage)
    return unknown_name(ErrorCode::invalid_argument, "stage", name, enum_choices<BillStage>(), "--phase");
  if (equals == std::string::npos)
    return fail(ErrorCode::invalid_argument, "--phase {}: how long? Give it as {}=40s", phase, phase);
  NEPH_TRY(const auto length, price::parse_length(std::string_view(phase).substr(equals + 1)));
  return price::Stretch{.stage = *stage, .length = length, .known = price::Known::given};
}

/// --phase may be given several times, or with commas between.
Result<std::vector<price::Stretch>> stretches_of(const std::vector<std::string>& phases) {
  std::vector<price::Stretch> stretches;
  for (const auto& given : phases) {
    NEPH_TRY(const auto parts, expand_values(given));
    for (const auto& part : parts) {
      NEPH_TRY(const auto stretch, stretch_of(part));
      stretches.push_back(stretch);
    }
  }
  if (stretches.empty())
    return fail(ErrorCode::invalid_argument, "what is billed? Give its stages: --phase boot=40s,learn=20min");
  return stretches;
}

/// To the second: that is what a bill shows.
price::Instant now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

Result<price::Bill> bill_by(const price::Rule& rule, const price::Price& price, const BillOptions& options,
                            price::Instant now) {
  NEPH_TRY(const auto once, stretches_of(options.phase));
  NEPH_TRY(auto stretches, price::jobs_on_one_start(once, options.jobs));
  auto begin = now;
  if (!options.start.empty()) {
    NEPH_TRY(begin, price::parse_instant(options.start, rule.time_zone, now));
  }
  return price::bill(rule, price,
                     std::vector{price::Start{.begin = begin, .stretches = std::move(stretches)}});
}

Status show_bills(const BillOptions& options, bool json) {
  if (options.price.empty())
    return fail(ErrorCode::invalid_argument, "no price given: --price 100RUB/h or --price '$0.40/h'");
  NEPH_TRY(const auto price, price::parse_price(options.price));
  NEPH_TRY(const auto names, expand_values(options.rule));
  NEPH_TRY(const auto rules, price_rules(options.rules));
  const auto moment = now();  // one for all rules, which are compared
  Json bills = Json::array();
  for (const auto& name : names) {
    NEPH_TRY(const auto rule, price::find_rule(name, rules));
    NEPH_TRY(const auto bill, bill_by(rule, price, options, moment));
    if (json) {
      NEPH_TRY(auto document, price::bill_json(rule, price, bill));
      bills.push_back(std::move(document));
    } else {
      NEPH_TRY(const auto text, price::bill_text(rule, price, bill));
      fmt::print("{}{}", name == names.front() ? "" : "\n", text);
    }
  }
  if (json) fmt::print("{}\n", dump_json(bills.size() == 1 ? bills[0] : bills, true));
  return {};
}

}  // namespace

void declare_bill(Command& command) {
  struct Options : BillOptions {
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command.fields<BillOptions>(*options);
  command.flag("json", options->json, "as JSON on stdout");
  command.footer(
      "Examples:\n"
      "  neph bill --rule selectel --price 100RUB/h --start 13:25 --phase boot=40s,install=5min,learn=20min\n"
      "  neph bill --rule aws-ec2,scaleway-cpu --price '$0.40/h' --phase boot=40s,learn=3h");
  command.action([options] { return show_bills(*options, options->json); });
}

}  // namespace neph::cli
