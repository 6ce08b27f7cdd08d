#include "cli/bill_cases.hpp"

#include <sstream>

#include <fmt/format.h>

#include "core/json.hpp"
#include "os/file.hpp"
#include "price/price.hpp"

namespace neph::cli {
namespace {

struct CaseStart {
  std::string start;
  std::vector<std::string> phases;
};

template <class Visit, Describes<CaseStart> Self>
void describe(Visit&& v, Self& s) {
  v("start", s.start, "when, with its day");
  v("phases", s.phases, "as of --phase");
}

struct BillCase {
  Json rule;  ///< a name, or a rule's own keys
  std::string price;
  std::string zone;
  std::int64_t jobs = 1;
  std::vector<CaseStart> starts;
};

template <class Visit, Describes<BillCase> Self>
void describe(Visit&& v, Self& s) {
  v("rule", s.rule, "a rule's name, or a rule");
  v("price", s.price, "as of --price");
  v("zone", s.zone, "as of --zone");
  v("jobs", s.jobs, "as of --jobs", between(1, most_jobs));
  v("starts", s.starts, "of the machine, in the order of time");
}

Result<price::Rule> rule_of(const Json& rule, const std::vector<price::Rule>& rules) {
  if (rule.is_string()) return price::find_rule(rule.get<std::string>(), rules);
  return price::rule_from(rule, "rule");
}

Result<price::Start> start_of(const CaseStart& start, const BillCase& one, const price::Rule& rule) {
  price::Start result;
  NEPH_TRY(result.begin, price::parse_instant(start.start, one.zone.empty() ? rule.time_zone : one.zone, {}));
  std::vector<price::Stretch> stretches;
  for (const auto& phase : start.phases) {
    NEPH_TRY(const auto stretch, price::parse_stage(phase, "phases"));
    stretches.push_back(stretch);
  }
  NEPH_TRY(result.stretches,
           price::jobs_on_one_start(price::with_idle_of(rule, std::move(stretches)), one.jobs));
  return result;
}

Result<Json> bill_of(std::string_view line, const std::string& where, const std::vector<price::Rule>& rules) {
  NEPH_TRY(const auto json, parse_json(line, where));
  NEPH_TRY(const auto one, from_json<BillCase>(json, ""));
  NEPH_TRY(const auto rule, rule_of(one.rule, rules));
  NEPH_TRY(const auto price, price::parse_price(one.price));
  std::vector<price::Start> starts;
  for (const auto& start : one.starts) {
    NEPH_TRY(auto made, start_of(start, one, rule));
    starts.push_back(std::move(made));
  }
  if (starts.empty()) return fail(ErrorCode::invalid_argument, "starts: none; a bill has one at least");
  NEPH_TRY(const auto bill, price::bill(rule, price, starts));
  return price::bill_json(rule, price, bill);
}

}  // namespace

Status bill_cases(const BillOptions& options) {
  NEPH_TRY(const auto rules, price_rules(options.rules));
  NEPH_TRY(const auto text, read_file(options.cases));
  std::istringstream lines(text);
  std::int64_t number = 0, refused = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto document = bill_of(line, fmt::format("{}, line {}", options.cases, number), rules);
    if (!document) ++refused;
    fmt::print("{}\n", dump_json(document ? *document : Json{{"error", document.error().text()}}));
  }
  if (number == 0)
    return fail(ErrorCode::invalid_argument, "{}: no case in it; a line is {}", options.cases,
                R"({"rule": "gcp", "price": "1USD/h", "starts": [{"start": "2026-11-24T13:25", )"
                R"("phases": ["learn=20min"]}]})");
  if (refused == 0) return {};
  return fail(ErrorCode::invalid_argument, "{}: {} of {} cases are refused; their lines have \"error\"",
              options.cases, refused, number);
}

}  // namespace neph::cli
