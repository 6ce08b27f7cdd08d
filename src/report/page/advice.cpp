// The page of an advice: what to rent, against what, why not the others, what it rests on.
#include <fmt/format.h>

#include "core/units.hpp"
#include "report/advice_tables.hpp"
#include "report/charts/chart.hpp"
#include "report/page/frame.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_rows = 200, most_examples = 8;

std::vector<std::string> escaped(std::vector<std::string> fields) {
  for (auto& field : fields) field = escape_html(field);
  return fields;
}

std::string html_of(const PlainTable& table) {
  TableText text{.caption = table.caption, .headings = escaped(table.headings)};
  for (const auto& row : table.rows) text.rows.push_back(escaped(row));
  return table_html(text);
}

std::string list_html(const std::vector<std::string>& sentences) {
  std::string items;
  for (const auto& sentence : sentences) items += fmt::format("<li>{}</li>\n", escape_html(sentence));
  return items.empty() ? items : "<ul>\n" + items + "</ul>\n";
}

std::string tiles(const Advice& advice) {
  if (!advice.recommended) return {};
  const auto& chosen = advice.candidates[static_cast<std::size_t>(*advice.recommended)];
  auto out = tile(advice.rate_per_s ? "An hour" : cost_heading(advice),
                  escape_html(cost_text(advice, chosen.cost)), "");
  if (chosen.per_million)
    out += tile("A million", escape_html(money_text(*chosen.per_million)), "at the offered rate");
  if (!advice.rate_per_s)
    out += tile("Done in", escape_html(format_seconds(chosen.seconds.value)), "from the machine's start");
  const auto add_chance = [&](const char* name, const std::optional<double>& share) {
    if (share) out += tile(name, escape_html(chance_text(share, advice.simulations)), "");
  };
  add_chance("In time", chosen.p_deadline);
  if (is_for_speed(advice))
    add_chance("The fastest", chosen.p_fastest);
  else
    add_chance("The cheapest", chosen.p_cheapest);
  return out;
}

}  // namespace

std::string html(const Advice& advice) {
  Page page("Which machine to rent", meta_html({advice.source, advice.question}),
            answer_html(advice.findings, tiles(advice)));
  page.add_section("candidates", "Candidates", html_of(candidates_table(advice, most_rows)));
  for (const auto& chart : advice_charts())
    page.add_chart(chart.id, chart.title, chart.reading, chart.draw(advice));
  page.add_section("turns", "Where the choice turns", list_html(advice.break_evens));
  page.add_section("why-not", "Why not the others", list_html(why_not_sentences(advice, most_examples)));
  page.add_section("next", "What one more run would be worth", html_of(next_runs_table(advice)));
  page.add_section("to-measure", "Not measured, and perhaps better", html_of(to_measure_table(advice)));
  page.add_section("figures", "The bill", html_of(advised_bill_table(advice)));
  page.add_section("rests", "What this rests on", list_html(advice.assumptions));
  return page.html();
}

}  // namespace neph::report
