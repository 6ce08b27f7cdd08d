#include "cli/bill_output.hpp"

#include <algorithm>
#include <functional>

#include <fmt/ranges.h>

#include "core/text_table.hpp"
#include "core/units.hpp"
#include "record/money_words.hpp"

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

/// To cents, and of less than one unit to three digits; the ledger has all of them.
std::string short_text(const price::Exact& amount) {
  auto words = money_words(price::approximate(amount), "");
  words.pop_back();
  return words;
}

std::string ends_text(const price::Priced& priced) {
  if (!priced.low) return "-";
  const auto low = short_text(*priced.low), high = short_text(*priced.high);
  return low == high ? "also " + low : fmt::format("{} to {}", low, high);
}

/// How surely the total is known; nothing where nothing of it was measured.
std::string interval_text(const MadeBill& made) {
  const auto& [bill, low, high, unsure] = made.priced;
  if (!low) {
    if (unsure.empty()) return {};
    return fmt::format("No interval: too few runs of {}.\n", fmt::join(names_of(unsure), ", "));
  }
  auto text = fmt::format("{} {} where all stages are at the ends of their 95 % intervals",
                          ends_text(made.priced), bill.currency);
  if (!unsure.empty())
    text +=
        fmt::format("; {} {} none", fmt::join(names_of(unsure), ", "), unsure.size() == 1 ? "has" : "have");
  return text + ".\n";
}

std::string assumed_text(const MadeBill& made) {
  const auto stages = assumed_stages(made.priced.bill);
  if (stages.empty()) return {};
  return fmt::format("Assumed: {}; {}. {}\n", fmt::join(stages, ", "), price::assumed_spread_words,
                     made.job->hire.marked.empty()
                         ? "--marks has them from a run of neph script, --phase from you."
                         : "The marks do not have it: --phase has it from you.");
}

std::string spot_text(const BillTerms& terms) {
  if (!terms.is_spot) return {};
  return fmt::format("Spot: {}.\n",
                     terms.rule.spot.empty() ? "the machine may be taken away at any time" : terms.rule.spot);
}

std::string cheapest_minutes(const MadeBill& made) {
  const auto best = std::ranges::min_element(made.sweep, {}, &price::Minutes::total);
  return fmt::format(":{:02} to :{:02}", best->first, best->last);
}

std::string dearest(const MadeBill& made) {
  return short_text(std::ranges::max_element(made.sweep, {}, &price::Minutes::total)->total);
}

template <class Member>
bool differs(std::span<const MadeBill> bills, Member member) {
  return std::ranges::any_of(bills, [&](const MadeBill& made) { return made.*member != bills[0].*member; });
}

struct Column {
  std::string heading;
  std::function<Result<std::string>(const MadeBill&)> field;
  bool is_name = false;
};

/// Of what differs, and of the sums.
std::vector<Column> columns_of(std::span<const MadeBill> bills) {
  using Made = const MadeBill&;
  const bool has_jobs = differs(bills, &MadeBill::job);
  std::vector<Column> columns;
  if (has_jobs) columns.push_back({"configuration", [](Made made) { return made.job->name; }, true});
  if (!has_jobs || differs(bills, &MadeBill::terms))
    columns.push_back({"rule", [](Made made) { return made.terms->rule.name; }, true});
  columns.push_back({"takes", [](Made made) { return format_seconds(seconds(made.priced.bill.exact)); }});
  columns.push_back({"billed", [](Made made) { return format_seconds(seconds(made.priced.bill.billed)); }});
  columns.push_back(
      {bills[0].terms->price.currency, [](Made made) { return short_text(made.priced.bill.amount); }});
  if (std::ranges::any_of(bills, [](Made made) { return made.priced.low.has_value(); }))
    columns.push_back({"range", [](Made made) { return ends_text(made.priced); }});
  if (!bills[0].sweep.empty()) {
    columns.push_back({"start at", [](Made made) { return cheapest_minutes(made); }});
    columns.push_back({"at worst", [](Made made) { return dearest(made); }});
  }
  columns.push_back({"paid until", [](Made made) {
                       return price::instant_text(made.priced.bill.paid_until, made.terms->rule.time_zone);
                     }});
  return columns;
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
  const auto columns = columns_of(bills);
  std::vector<std::string> headings;
  std::vector<TextTable::Side> sides;
  for (const auto& column : columns) {
    headings.push_back(column.heading);
    sides.push_back(column.is_name ? TextTable::Side::left : TextTable::Side::right);
  }
  TextTable table(std::move(headings), std::move(sides));
  for (const auto& made : bills) {
    std::vector<std::string> row;
    for (const auto& column : columns) {
      NEPH_TRY(auto field, column.field(made));
      row.push_back(std::move(field));
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string shared_text(std::span<const MadeBill> bills) {
  std::string text;
  std::vector<const BillTerms*> seen;
  for (const auto& made : bills) {
    if (std::ranges::find(seen, made.terms) != seen.end()) continue;
    seen.push_back(made.terms);
    const auto offer = offer_text(*made.terms);
    text += (offer.empty() ? "" : offer + "\n") + price::rule_text(made.terms->rule) + spot_text(*made.terms);
  }
  return text + assumed_text(bills.front());
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
