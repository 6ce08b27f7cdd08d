#include "price/ledger.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/json.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"

namespace neph::price {
namespace {

std::string stage_name(const Line& line) {
  return line.is_rounding ? "rounding" : std::string(enum_name(line.stage));
}

/// Whole where it can be: 3600, 1.5.
Json seconds_json(Nanoseconds length) {
  constexpr std::int64_t second = 1'000'000'000;
  if (length.count() % second == 0) return length.count() / second;
  return static_cast<double>(length.count()) / static_cast<double>(second);  // the nearest, as it is read
}

Json money_json(const Exact& amount, const std::string& currency) {
  return {{"amount", decimal_text(amount)}, {"currency", currency}};
}

Result<Json> line_json(const Line& line, const Rule& rule) {
  NEPH_TRY(const auto begin, instant_text(line.begin, rule.time_zone));
  NEPH_TRY(const auto end, instant_text(line.end, rule.time_zone));
  Json json{{"stage", stage_name(line)},
            {"machine_start", line.start + 1},
            {"begin", begin},
            {"end", end},
            {"length_s", line.known == Known::absent ? Json() : seconds_json(line.length)}};
  if (line.known) json["known"] = enum_name(*line.known);
  json["billed"] = line.is_billed;
  json["amount"] = decimal_text(line.amount);
  return json;
}

struct Shown {
  Line line;
  std::int64_t times = 1;
};

/// Of many jobs or starts a line for each stage, with the sums, where it was first.
std::vector<Shown> shown_lines(const Bill& bill) {
  constexpr std::size_t most_lines = 40;
  std::vector<Shown> shown;
  for (const auto& line : bill.lines) {
    const auto same = std::ranges::find_if(shown, [&](const Shown& other) {
      return other.line.stage == line.stage && other.line.is_rounding == line.is_rounding &&
             other.line.known == line.known;
    });
    if (bill.lines.size() <= most_lines || same == shown.end()) {
      shown.push_back({line});
      continue;
    }
    same->line.length += line.length;
    same->line.amount += line.amount;
    ++same->times;
  }
  return shown;
}

/// What one must know beside the sum.
std::string notes_text(const Rule& rule) {
  std::string text;
  if (!rule.after.empty()) text += fmt::format("Not in it: {}.\n", fmt::join(rule.after, ", "));
  text += fmt::format("VAT: {}.\n", rule.vat.empty() ? "not known whether the price has it" : rule.vat);
  if (!rule.note.empty()) text += fmt::format("{}\n", rule.note);
  return text;
}

/// "13:25:00" of "2026-11-24T13:25:00+03:00".
std::string clock_of(const std::string& instant) { return instant.substr(11, 8); }

}  // namespace

Result<Json> bill_json(const Rule& rule, const Price& price, const Bill& bill) {
  Json lines = Json::array();
  for (const auto& line : bill.lines) {
    NEPH_TRY(auto json, line_json(line, rule));
    lines.push_back(std::move(json));
  }
  NEPH_TRY(const auto start, instant_text(bill.lines.front().begin, rule.time_zone));
  NEPH_TRY(const auto until, instant_text(bill.paid_until, rule.time_zone));
  return Json{{"rule", rule.name},
              {"rule_source", rule.source},
              {"rule_date", rule.date},
              {"rule_confirmed", rule.is_confirmed},
              {"rule_note", rule.note},
              {"price_per_hour", money_json(price.per_hour, price.currency)},
              {"not_included", rule.after},
              {"vat", rule.vat.empty() ? Json() : Json(rule.vat)},
              {"start", start},
              {"total", money_json(bill.amount, bill.currency)},
              {"billed_s", seconds_json(bill.billed)},
              {"exact_s", seconds_json(bill.exact)},
              {"paid_until", until},
              {"lines", std::move(lines)}};
}

std::string rule_text(const Rule& rule) {
  return fmt::format("{} ({})\nrule of {}{}: {}\n", rule.name, rule.title, rule.date,
                     rule.is_confirmed ? "" : ", not confirmed", rule.source);
}

Result<std::string> bill_text(const Rule& rule, const Price& price, const Bill& bill) {
  using Side = TextTable::Side;
  TextTable table({"stage", "from", "length", "", "", price.currency},
                  {Side::left, Side::left, Side::right, Side::left, Side::left, Side::right});
  for (const auto& [line, times] : shown_lines(bill)) {
    NEPH_TRY(const auto begin, instant_text(line.begin, rule.time_zone));
    const bool is_absent = line.known == Known::absent;
    table.add({times > 1 ? fmt::format("{}, {} times", stage_name(line), times) : stage_name(line),
               clock_of(begin), is_absent ? "-" : format_seconds(seconds(line.length)),
               line.known ? std::string(enum_name(*line.known)) : "", line.is_billed ? "" : "not billed",
               decimal_text(line.amount)});
  }
  table.add({"total", "", format_seconds(seconds(bill.billed)), "paid", "", decimal_text(bill.amount)});
  NEPH_TRY(const auto until, instant_text(bill.paid_until, rule.time_zone));
  const bool is_more_free = bill.paid_until > bill.lines.back().begin;  // of rounding, which is last
  return fmt::format("{}at {} {} an hour\n\n{}\n{}{}", rule_text(rule), decimal_text(price.per_hour),
                     price.currency, table.text(),
                     is_more_free ? fmt::format("Work until {} would cost the same.\n", until) : "",
                     notes_text(rule));
}

}  // namespace neph::price
