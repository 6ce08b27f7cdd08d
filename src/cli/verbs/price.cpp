#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/price_offers.hpp"
#include "cli/verbs.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"

namespace neph::cli {
namespace {

std::string step_text(const price::Rule& rule) {
  if (rule.step_s == 0) return "none";
  const auto step = format_seconds(static_cast<double>(rule.step_s));
  if (rule.align == price::Align::clock) return step + " of the clock";
  return rule.rounding == price::Rounding::down ? step + ", whole ones only" : step;
}

std::string minimum_text(const price::Rule& rule) {
  return rule.minimum_s == 0 ? "-" : format_seconds(static_cast<double>(rule.minimum_s));
}

/// Stages of a run that are paid, of those that providers differ in.
std::string billed_text(const price::Billed& billed) {
  std::vector<std::string_view> also;
  for (const auto stage : {BillStage::provision, BillStage::boot, BillStage::poweroff, BillStage::off})
    if (billed.pays(stage)) also.push_back(enum_name(stage));
  return fmt::format("{}", fmt::join(also, ", "));
}

Status list_rules(const std::string& file, bool json) {
  NEPH_TRY(const auto rules, price_rules(file));
  if (json) {
    fmt::print("{}\n", dump_json(to_json(rules), true));
    return {};
  }
  TextTable table({"rule", "bills", "step", "at least", "work and", "ended by", "read"});
  for (const auto& rule : rules)
    table.add({rule.name, rule.title, step_text(rule), minimum_text(rule), billed_text(rule.billed),
               std::string(enum_name(rule.release)),
               rule.is_confirmed ? rule.date : rule.date + ", not confirmed"});
  fmt::print("{}\n--json has sources and notes. A rule of your own is a TOML file: --rules FILE.\n",
             table.text());
  return {};
}

void declare_rules(Command& command) {
  struct Options {
    std::string rules;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command.option("rules", options->rules, price_rules_help);
  command.flag("json", options->json, "as JSON on stdout");
  command.action([options] { return list_rules(options->rules, options->json); });
}

}  // namespace

void declare_price(Command& command) {
  command.verb("list", "offers of machines from price lists, cheapest first", declare_price_list);
  command.verb("lint", "what is wrong in a price list, line by line", declare_price_lint);
  command.verb("rules", "how each provider bills, with source and date", declare_rules);
}

}  // namespace neph::cli
