// The page of a validation: how far to trust predictions, then why, then what would help.
#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/validation/dots.hpp"
#include "report/page/frame.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/validation_tables.hpp"

namespace neph::report {
namespace {

/// The one that answered most, and of those the one that errs least; nullptr: none answered.
const ValidatedMethod* best_of(const Validation& validation) {
  const ValidatedMethod* best = nullptr;
  for (const auto& method : validation.methods) {
    if (answered(method.score) == 0) continue;
    const auto rank = [](const ValidatedMethod& m) { return std::pair(-answered(m.score), m.score.mean); };
    if (!best || rank(method) < rank(*best)) best = &method;
  }
  return best;
}

std::vector<std::string> sentences(const Validation& validation) {
  const auto* best = best_of(validation);
  if (!best) return {"No point was answered: how well this table is predicted cannot be said."};
  const auto& score = best->score;
  std::vector<std::string> said{
      fmt::format("{} predicts half of {} that it was not fitted on within {}, nine of ten within {}; the "
                  "worst is {} off.",
                  best->method, counted(answered(score), "point"), share_text(score.median),
                  share_text(score.p90), share_text(score.worst))};
  if (std::isfinite(score.coverage))
    said.push_back(
        fmt::format("{} of its 90 % intervals hold what was measured; half of them are narrower than "
                    "a factor of {} either way.",
                    share_text(score.coverage), format_number(score.half_width)));
  if (score.refused > 0)
    said.push_back(fmt::format("It refused {}, with the reason beside it.", counted(score.refused, "point")));
  if (validation.methods.size() > 1) {
    std::string others;
    for (const auto& method : validation.methods)
      if (answered(method.score) > 0)
        others +=
            fmt::format("{}{} {}", others.empty() ? "" : ", ", method.method, share_text(method.score.mean));
    said.push_back("Mean errors: " + others + ".");
  }
  return said;
}

std::string tiles(const Validation& validation) {
  const auto* best = best_of(validation);
  if (!best) return {};
  const auto& score = best->score;
  return tile("Mean error", share_text(score.mean), escape_html("of " + best->method)) +
         tile("Median error", share_text(score.median), "half lie below") +
         tile("Nine of ten below", share_text(score.p90), "") + tile("Worst", share_text(score.worst), "") +
         tile("Coverage", share_text(score.coverage), "of 90 % intervals");
}

std::vector<std::string> escaped(std::vector<std::string> fields) {
  for (auto& field : fields) field = escape_html(field);
  return fields;
}

std::string html_of(const PlainTable& table, bool is_numbered = false) {
  TableText text{.caption = table.caption, .headings = escaped(table.headings), .is_numbered = is_numbered};
  for (const auto& row : table.rows) text.rows.push_back(escaped(row));
  return table_html(text);
}

std::string slices_html(const Validation& validation) {
  std::string out;
  for (const auto& feature : validation.features) out += html_of(slices_table(validation, feature.name));
  return out;
}

std::string proposals_html(const Validation& validation) {
  if (validation.proposals.empty()) return {};
  std::vector<std::size_t> all(validation.features.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return "<p>Combinations of measured values that were not measured themselves. Each takes away so much of "
         "the "
         "uncertainty (variance of the logarithm) about all of them, as a Gaussian process expects it, after "
         "those before it. Whether a combination can be run at all, the table does not say.</p>\n" +
         html_of(proposals_table(validation, all), true);
}

std::string notes_html(const Validation& validation) {
  std::string out;
  const auto add = [&](const std::string& text) {
    out += fmt::format("<li class=\"doubtful\">{}</li>\n", escape_html(sentence(text)));
  };
  for (const auto& method : validation.methods)
    for (const auto& failure : method.failures)
      add(fmt::format("{} could not be fitted: {}", method.method, failure));
  std::map<std::string, std::int64_t> refusals;
  for (const auto& method : validation.methods)
    for (const auto& row : method.rows)
      if (!row.refused.empty()) ++refusals[fmt::format("{} refused: {}", method.method, row.refused)];
  for (const auto& [why, rows] : refusals) add(fmt::format("{} ({})", why, counted(rows, "point")));
  for (const auto& note : validation.notes) add(note);
  return out.empty() ? out : "<ul class=\"notices\">\n" + out + "</ul>\n";
}

constexpr std::string_view reading_html = R"(<dl class="reading">
<dt>Left out</dt><dd>Nothing of the points that are predicted was known while the method was fitted: not their times, ranges,
names, nor noise. Repeats of one point are one point, with their median.</dd>
<dt>Error</dt><dd>Relative to what was measured, without its sign: 10 % is a tenth too much or too little.</dd>
<dt>90 % interval</dt><dd>Of one measurement: nine of ten should lie inside. The half width is the factor from its middle to
its end.</dd>
<dt>Flagged</dt><dd>Points that were said to lie beyond what was fitted on.</dd>
</dl>
)";

}  // namespace

std::string html(const Validation& validation) {
  std::string methods;
  for (const auto& name : method_names(validation)) methods += (methods.empty() ? "" : ", ") + name;
  Page page(fmt::format("How well {} is predicted", validation.target),
            meta_html({validation.table, counted(std::ssize(validation.splits), "split"), methods}),
            answer_html(sentences(validation), tiles(validation)));
  page.add_section("scores", "Errors by method and split", html_of(scores_table(validation)));
  for (const auto& chart : validation_charts())
    page.add_chart(chart.id, chart.title, chart.reading, chart.draw(validation));
  page.add_section("proposals", "What to measure next", proposals_html(validation));
  page.add_section("slices", "Errors by value of each feature", slices_html(validation));
  page.add_section("figures", "Figures of the charts",
                   html_of(learning_table(validation)) + html_of(contributions_table(validation)));
  page.add_section("notes", "What could not be said", notes_html(validation));
  page.add_section("reading", "How to read this page", std::string(reading_html));
  return page.html();
}

}  // namespace neph::report
