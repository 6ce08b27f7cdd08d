#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "cli/bill_options.hpp"
#include "cli/bill_output.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "core/values.hpp"
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

/// Prints a line of JSON for each: the bill, or {"error": why}. Errors: of the file; invalid_argument, where
/// cases were refused.
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

constexpr std::string_view each_minute = "sweep";

/// To the second: that is what a bill shows.
price::Instant now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

/// In the order of time, on the clock of the rule unless another is asked for; else when it was, as marked.
Result<std::vector<price::Instant>> begins_of(const BillOptions& options, const price::Hire& hire,
                                              const price::Rule& rule, price::Instant now) {
  if (options.start.empty()) return std::vector{price::begin_of(hire.marked).value_or(now)};
  if (options.start == each_minute) return std::vector{now};
  NEPH_TRY(const auto texts, expand_values(options.start));
  std::vector<price::Instant> begins;
  for (const auto& text : texts) {
    NEPH_TRY(const auto begin,
             price::parse_instant(text, options.zone.empty() ? rule.time_zone : options.zone, now));
    begins.push_back(begin);
  }
  if (hire.marked.size() > 1 && begins.size() > 1)
    return fail(ErrorCode::invalid_argument, "--start {}: {} starts are marked; give the first of them",
                options.start, hire.marked.size());
  std::ranges::sort(begins);
  return begins;
}

Result<MadeBill> make_bill(const BillOptions& options, const BilledJob& job, const BillTerms& terms,
                           price::Instant now) {
  const auto& rule = terms.rule;
  MadeBill made{.job = &job, .terms = &terms};
  auto hire = job.hire;
  NEPH_TRY(hire.begins, begins_of(options, hire, rule, now));
  if (options.start == each_minute) {
    NEPH_TRY(made.sweep, price::sweep_hour(rule, terms.price, hire, now));
    const auto best = std::ranges::min_element(made.sweep, {}, &price::Minutes::total);
    NEPH_TRY(const auto hour, price::period_begin(now, std::chrono::hours(1), rule.time_zone));
    hire.begins = {hour + std::chrono::minutes(best->first)};
  }
  NEPH_TRY(made.priced, price::priced(rule, terms.price, hire));
  return made;
}

Status print_json(const std::vector<MadeBill>& bills) {
  Json documents = Json::array();
  for (const auto& made : bills) {
    NEPH_TRY(auto document, made_json(made));
    documents.push_back(std::move(document));
  }
  fmt::print("{}\n", dump_json(bills.size() == 1 ? documents[0] : documents, true));
  return {};
}

/// Of several configurations one table: a ledger of each would be a book.
Status print_text(const std::vector<MadeBill>& bills, bool has_ledgers) {
  if (bills.size() > 1) {
    NEPH_TRY(const auto table, comparison(bills));
    print_lines("{}", table);
  }
  if (!has_ledgers) {
    print_lines("\n{}--cell has the whole ledger of one of them.\n", shared_text(bills));
    return {};
  }
  for (const auto& made : bills) {
    NEPH_TRY(const auto text, made_text(made));
    print_lines("{}{}", bills.size() > 1 ? "\n" : "", text);
  }
  return {};
}

Status show_bills(const BillOptions& options) {
  if (!options.cases.empty()) return bill_cases(options);
  NEPH_TRY(const auto terms, bill_terms(options));
  NEPH_TRY(const auto jobs, billed_jobs(options));
  const auto moment = now();  // one for all, which are compared
  std::vector<MadeBill> bills;
  for (const auto& job : jobs)
    for (const auto& each : terms) {
      NEPH_TRY(auto made, make_bill(options, job, each, moment));
      bills.push_back(std::move(made));
    }
  return options.json ? print_json(bills) : print_text(bills, jobs.size() == 1);
}

}  // namespace

void declare_bill(Command& command) {
  auto options = std::make_shared<BillOptions>();
  command.fields(*options, "experiment");
  command.flag("spot", options->spot, "the offer's price for a machine that may be taken away");
  command.flag("warm", options->warm,
               "the machine is on and stays on: without boot, installation and switching off");
  command.flag("json", options->json, "as JSON on stdout");
  command.footer(
      "Examples:\n"
      "  neph bill --rule selectel --price 100RUB/h --start 13:25 --phase boot=40s,install=5min,learn=20min\n"
      "  neph bill --rule aws-ec2,scaleway-cpu --price '$0.40/h' --phase boot=40s,learn=3h\n"
      "  neph bill 12 --offer azure/Standard_NC6@westus2 --start 13:25    # each configuration of experiment "
      "12\n"
      "  neph bill 12 --cell 3 --rule selectel --price 100RUB/h --start sweep   # when to start it");
  command.action([options] { return show_bills(*options); });
}

}  // namespace neph::cli
