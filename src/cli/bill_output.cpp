#include "cli/bill_output.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/text_table.hpp"
#include "core/units.hpp"

namespace neph::cli {
namespace {

Json decimal_json(const std::optional<price::Exact>& amount) {
  return amount ? Json(price::decimal_text(*amount)) : Json();
}

Json sweep_json(const std::vector<price::Minutes>& sweep) {
  Json list = Json::array();
  for (const auto& part : sweep)
    list.push_back(
        {{"from_minute", part.first}, {"to_minute", part.last}, {"total", price::decimal_text(part.total)}});
  return list;
}

std::vector<std::string> assumed_stages(const price::Bill& bill) {
  std::vector<std::string> stages;
  for (const auto& line : bill.lines)
    if (line.known == price::Known::assumed) {
      auto stage = fmt::format("{} {}", enum_name(line.stage), format_seconds(seconds(line.length)));
      if (std::ranges::find(stages, stage) == stages.end()) stages.push_back(std::move(stage));
    }
  return stages;
}

std::vector<std::string_view> names_of(const std::vector<BillStage>& stages) {
  std::vector<std::string_view> names;
  for (const auto stage : stages) names.push_back(enum_name(stage));
  return names;
}

/// How surely the total is known; nothing where nothing of it was measured.
std::string interval_text(const MadeBill& made) {
  const auto& [bill, low, high, unsure] = made.priced;
  if (!low) {
    if (unsure.empty()) return {};
    return fmt::format("No interval: too few runs of {}.\n", fmt::join(names_of(unsure), ", "));
  }
  auto text = fmt::format("{} to {} {} where all stages are at the ends of their 95 % intervals",
                          price::decimal_text(*low), price::decimal_text(*high), bill.currency);
  if (!unsure.empty())
    text +=
        fmt::format("; {} {} none", fmt::join(names_of(unsure), ", "), unsure.size() == 1 ? "has" : "have");
  return text + ".\n";
}

std::string assumed_text(const MadeBill& made) {
  const auto stages = assumed_stages(made.priced.bill);
  if (stages.empty()) return {};
  return fmt::format("Assumed: {}. --marks has them from a run of neph script, --phase from you.\n",
                     fmt::join(stages, ", "));
}

std::string spot_text(const BillTerms& terms) {
  if (!terms.is_spot) return {};
  return fmt::format("Spot: {}.\n",
                     terms.rule.spot.empty() ? "the machine may be taken away at any time" : terms.rule.spot);
}

std::string ends_text(const price::Priced& priced) {
  if (!priced.low) return "-";
  return fmt::format("{} to {}", price::decimal_text(*priced.low), price::decimal_text(*priced.high));
}

template <class Member>
bool differs(std::span<const MadeBill> bills, Member member) {
  return std::ranges::any_of(bills, [&](const MadeBill& made) { return made.*member != bills[0].*member; });
}

}  // namespace

Result<Json> made_json(const MadeBill& made) {
  const auto& [job, terms, priced, sweep] = made;
  Json document = job->about;
  NEPH_TRY(const auto bill, price::bill_json(terms->rule, terms->price, priced.bill));
  for (const auto& [key, value] : bill.items()) {
    document[key] = value;
    if (key != "total" || job->name.empty()) continue;
    document["total_low"] = decimal_json(priced.low);
    document["total_high"] = decimal_json(priced.high);
  }
  if (terms->offer) document["offer"] = offer_json(*terms);
  if (!sweep.empty()) document["sweep"] = sweep_json(sweep);
  return document;
}

Result<std::string> comparison(std::span<const MadeBill> bills) {
  const bool has_jobs = differs(bills, &MadeBill::job);
  const bool has_rules = differs(bills, &MadeBill::terms) || !has_jobs;
  const bool has_ends = std::ranges::any_of(bills, [](const auto& made) { return bool(made.priced.low); });
  std::vector<std::string> headings;
  if (has_jobs) headings.emplace_back("configuration");
  if (has_rules) headings.emplace_back("rule");
  headings.insert(headings.end(), {"takes", "billed", bills[0].terms->price.currency});
  if (has_ends) headings.emplace_back("95 % interval");
  headings.emplace_back("paid until");
  std::vector<TextTable::Side> sides(headings.size(), TextTable::Side::right);
  std::fill_n(sides.begin(), static_cast<int>(has_jobs) + static_cast<int>(has_rules), TextTable::Side::left);
  TextTable table(headings, sides);
  for (const auto& made : bills) {
    const auto& bill = made.priced.bill;
    std::vector<std::string> row;
    if (has_jobs) row.push_back(made.job->name);
    if (has_rules) row.push_back(made.terms->rule.name);
    row.push_back(format_seconds(seconds(bill.exact)));
    row.push_back(format_seconds(seconds(bill.billed)));
    row.push_back(price::decimal_text(bill.amount));
    if (has_ends) row.push_back(ends_text(made.priced));
    NEPH_TRY(auto until, price::instant_text(bill.paid_until, made.terms->rule.time_zone));
    row.push_back(std::move(until));
    table.add(std::move(row));
  }
  return table.text();
}

Result<std::string> made_text(const MadeBill& made) {
  const auto& [job, terms, priced, sweep] = made;
  NEPH_TRY(const auto ledger, price::bill_text(terms->rule, terms->price, priced.bill));
  const auto offer = offer_text(*terms);
  return (job->heading.empty() ? "" : job->heading + "\n") + (offer.empty() ? "" : offer + "\n") + ledger +
         interval_text(made) + assumed_text(made) + spot_text(*terms) +
         (sweep.empty() ? "" : price::sweep_text(sweep, priced.bill.currency));
}

}  // namespace neph::cli
