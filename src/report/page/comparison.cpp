// The page of a comparison: the answer, the changes beside the threshold, what else differs, the numbers.
#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "report/charts/chart.hpp"
#include "report/comparison_words.hpp"
#include "report/page/frame.hpp"
#include "report/page/notes.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

/// Sign, word and colour say the same.
std::string badge(std::optional<Outcome> outcome, std::string_view word) {
  if (outcome == Outcome::worse) return fmt::format("<span class=\"verdict invalid\">✕ {}</span>", word);
  if (!outcome || outcome == Outcome::undecided)
    return fmt::format("<span class=\"verdict doubtful\">! {}</span>", word);
  return fmt::format("<span class=\"verdict valid\">✓ {}</span>", word);
}

/// The headline with its verdict, which stands before the colon, as a badge.
std::string lead_html(const Comparison& comparison) {
  const auto said = sentence(headline(comparison));
  const auto colon = said.find(':');
  return badge(answer_of(comparison), said.substr(0, colon)) + prose_html(said.substr(colon));
}

std::string tiles(const Comparison& comparison) {
  if (comparison.rows.size() < 2) return {};
  std::string out;
  for (const auto outcome : {Outcome::worse, Outcome::undecided, Outcome::better, Outcome::equivalent}) {
    const auto count = std::ranges::count(comparison.rows, outcome, &ComparedMetric::outcome);
    out += tile(enum_name(outcome), std::to_string(count), fmt::format("of {}", comparison.rows.size()));
  }
  return out;
}

constexpr std::size_t widest_side = 40;  ///< of the title; the line below it has all

/// So that tabs of several comparisons can be told apart.
std::string title_of(const Comparison& comparison) {
  if (comparison.baseline.empty() || comparison.candidate.empty()) return "Comparison";
  return fmt::format("{} → {}", cut_to_width(printable(comparison.baseline), widest_side),
                     cut_to_width(printable(comparison.candidate), widest_side));
}

/// What the terminal shows, with the number of runs before the verdict.
std::string rows_html(const Comparison& comparison) {
  const auto rows = gravest_first(comparison);
  const auto plain = compared_table(comparison, rows);
  TableText table{.caption = plain.caption, .ends_in_words = true};
  for (const auto& heading : plain.headings) table.headings.push_back(escape_html(heading));
  table.headings.insert(table.headings.end() - 1, "n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& fields = table.rows.emplace_back();
    for (const auto& field : plain.rows[i]) fields.push_back(escape_html(field));
    fields.back() = badge(rows[i]->outcome, fields.back());
    fields.insert(fields.end() - 1, runs_in_words(*rows[i]));
  }
  return table_html(table);
}

constexpr std::string_view reading_html = R"(<dl class="reading">
<dt>Change</dt><dd>Candidate over baseline less 1, of geometric means over runs; where runs were measured side by side, within pairs.</dd>
<dt>95 % CI</dt><dd>The confidence interval of this change. Of stored results it is of its row alone; of pairs it holds however often they
were looked at.</dd>
<dt>Worse, better</dt><dd>A difference is shown (5 %, of all rows together), and it is not shown to be within the threshold.</dd>
<dt>Equivalent</dt><dd>The difference is shown to be within the threshold (two one-sided tests at 5 %, each row): the
90 % CI, which is shown, lies within.</dd>
<dt>Undecided</dt><dd>Neither is shown, which is not the same as no difference. A CI may leave out 0 all the same: worse and better are of
all rows together, and no less than the machine’s noise.</dd>
</dl>
)";

}  // namespace

std::string html(const Comparison& comparison) {
  Page page(title_of(comparison),
            meta_html({fmt::format("baseline {} → candidate {}", comparison.baseline, comparison.candidate),
                       "threshold " + threshold_text(comparison)}),
            answer_html(lead_html(comparison), tiles(comparison), {}));
  page.add_chart(changes_chart.id, changes_chart.title, changes_chart.reading,
                 changes_chart.draw(comparison));
  page.add_section("remarks", "What else to know",
                   notes_html(confounds_in_words(comparison), notes_in_words(comparison)));
  page.add_section("figures", "In numbers", rows_html(comparison));
  page.add_chart(pairs_chart.id, pairs_chart.title, pairs_chart.reading, pairs_chart.draw(comparison));
  if (!comparison.rows.empty())
    page.add_section("reading", "How to read this page", std::string(reading_html));
  return page.html();
}

}  // namespace neph::report
