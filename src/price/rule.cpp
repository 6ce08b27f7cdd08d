#include "price/rule.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/embedded.hpp"
#include "core/json.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "core/toml.hpp"
#include "price/moment.hpp"

// All of src/price/rules/*.toml, one after the other, each behind a line "#### FILE"; put into the program by
// cmake/Embed.cmake.
extern const char neph_price_rules[], neph_price_rules_end[];

namespace neph::price {
namespace {

Status check(const Rule& rule, const std::string& path) {
  const auto wrong = [&](std::string_view reason) {
    return fail(ErrorCode::invalid_argument, "{}: {}", path, reason);
  };
  if (rule.name.empty()) return wrong("a rule needs a name");
  if (rule.source.empty() || rule.date.empty()) return wrong("a rule needs a source and a date");
  if (rule.align == Align::clock && rule.step_s == 0)
    return wrong("align = \"clock\" needs a step: step_s = 3600");
  if (rule.align == Align::clock && !is_period(std::chrono::seconds(rule.step_s)))
    return wrong(
        "a step of the clock is a part of an hour, or whole hours that are a part of a day: step_s = 900, "
        "3600, 21600 or 86400");
  if (rule.align == Align::clock && rule.rounding == Rounding::down)
    return wrong("a step of the clock that was begun is paid; rounding = \"down\" means nothing there");
  if (rule.within == Within::most && rule.align != Align::clock)
    return wrong("within = \"most\" is about steps of the clock: say align = \"clock\" too");
  return {};
}

Result<Rule> read_rule(const Json& json, const std::string& what) {
  NEPH_TRY(auto rule, from_json<Rule>(json, what));
  NEPH_CHECK(check(rule, what));
  return rule;
}

/// Zones of built-in rules are looked for only when a bill is made: a bare system has no data of zones.
std::vector<Rule> read_all(std::string_view text) {
  std::vector<Rule> rules;
  for (const auto& [name, toml] : embedded_files(text)) {
    const auto json = parse_toml(toml, name);
    auto rule = json ? read_rule(*json, name) : tl::unexpected(json.error());
    if (!rule) throw std::logic_error(rule.error().text());  // a test reads them all
    rules.push_back(std::move(*rule));
  }
  std::ranges::sort(rules, {}, &Rule::name);
  return rules;
}

}  // namespace

bool Billed::pays(BillStage stage) const {
  bool is_paid = false;
  describe(
      [&](std::string_view name, const bool& member, std::string_view) {
        if (name == enum_name(stage)) is_paid = member;
      },
      *this);
  return is_paid;
}

Result<Rule> parse_rule(std::string_view toml, std::string_view what) {
  NEPH_TRY(const auto json, parse_toml(toml, what));
  return rule_from(json, std::string(what));
}

Result<Rule> rule_from(const Json& json, const std::string& what) {
  NEPH_TRY(auto rule, read_rule(json, what));
  NEPH_CHECK(instant_text({}, rule.time_zone));
  return rule;
}

const std::vector<Rule>& built_in_rules() {
  static const auto rules = read_all({neph_price_rules, neph_price_rules_end});
  return rules;
}

Result<Rule> find_rule(std::string_view name, const std::vector<Rule>& rules) {
  auto found = std::ranges::find(rules, name, &Rule::name);
  if (found == rules.end())
    found = std::ranges::find_if(rules, [&](const Rule& rule) { return same_words(rule.name, name); });
  if (found != rules.end()) return *found;
  std::vector<std::string> names;
  for (const auto& rule : rules) names.push_back(rule.name);
  return unknown_name(ErrorCode::not_found, "rule", name, names);
}

}  // namespace neph::price
