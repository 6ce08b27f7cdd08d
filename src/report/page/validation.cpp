// The page of a validation: how far to trust predictions, then why, then what would help.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/validation/dots.hpp"
#include "report/page/frame.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

std::string percent(double share) { return quantity(100 * share, unit::percent); }
std::string factor(double value) {
  return std::isfinite(value) ? "× " + format_number(value) : std::string("–");
}

std::int64_t answered(const Score& score) { return score.rows - score.refused; }

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
                  best->method, counted(answered(score), "point"), percent(score.median), percent(score.p90),
                  percent(score.worst))};
  said.push_back(
      fmt::format("{} of its 90 % intervals hold what was measured; half of them are narrower than "
                  "a factor of {} either way.",
                  percent(score.coverage), format_number(score.half_width)));
  if (score.refused > 0)
    said.push_back(fmt::format("It refused {}, with the reason beside it.", counted(score.refused, "point")));
  if (validation.methods.size() > 1) {
    std::string others;
    for (const auto& method : validation.methods)
      if (answered(method.score) > 0)
        others +=
            fmt::format("{}{} {}", others.empty() ? "" : ", ", method.method, percent(method.score.mean));
    said.push_back("Mean errors: " + others + ".");
  }
  return said;
}

std::string tiles(const Validation& validation) {
  const auto* best = best_of(validation);
  if (!best) return {};
  const auto& score = best->score;
  return tile("Mean error", percent(score.mean), escape_html("of " + best->method)) +
         tile("Median error", percent(score.median), "half lie below") +
         tile("Nine of ten below", percent(score.p90), "") + tile("Worst", percent(score.worst), "") +
         tile("Coverage", percent(score.coverage), "of 90 % intervals");
}

const std::vector<std::string> score_headings{"Points", "Mean error",       "Median",     "9 of 10 below",
                                              "Worst",  "In 90 % interval", "Half width", "Flagged"};

void add_score(TableText& table, std::vector<std::string> row, const Score& score) {
  if (answered(score) == 0) {
    row.insert(row.end(), {"0", "refused", "–", "–", "–", "–", "–", percent(score.flagged)});
  } else {
    row.insert(row.end(), {std::to_string(answered(score)), percent(score.mean), percent(score.median),
                           percent(score.p90), percent(score.worst), percent(score.coverage),
                           factor(score.half_width), percent(score.flagged)});
  }
  table.rows.push_back(std::move(row));
}

TableText score_table(std::string caption, std::string first) {
  TableText table{.caption = std::move(caption), .headings = {std::move(first), "Method"}};
  table.headings.insert(table.headings.end(), score_headings.begin(), score_headings.end());
  return table;
}

std::string scores_html(const Validation& validation) {
  auto table = score_table("Relative errors of points that were left out", "Left out");
  for (std::size_t split = 0; split < validation.splits.size(); ++split)
    for (const auto& method : validation.methods)
      for (const auto& each : method.splits)
        if (each.left_out == validation.splits[split])
          add_score(table, {escape_html(each.left_out), escape_html(method.method)}, each.score);
  if (validation.splits.size() > 1)
    for (const auto& method : validation.methods)
      add_score(table, {"all", escape_html(method.method)}, method.score);
  return table_html(table);
}

std::string slices_html(const Validation& validation) {
  std::string out;
  for (const auto& feature : validation.features) {
    auto table = score_table("By " + feature.name, escape_html(feature.name));
    for (const auto& method : validation.methods)
      for (const auto& slice : method.slices)
        if (slice.column == feature.name)
          add_score(table,
                    {slice.value.empty() ? "empty" : escape_html(slice.value), escape_html(method.method)},
                    slice.score);
    out += table_html(table);
  }
  return out;
}

std::string learning_html(const Validation& validation) {
  TableText table{.caption = "Errors of " + validation.explained + " by how many points it was fitted on",
                  .headings = {"Points fitted on", "Mean error", "Best draw", "Worst draw", "Draws"}};
  for (const auto& point : validation.learning_curve)
    table.rows.push_back({std::to_string(point.points), percent(point.mean), percent(point.least),
                          percent(point.most), std::to_string(point.draws)});
  return table_html(table);
}

std::string contributions_html(const Validation& validation) {
  TableText table{.caption = "How much further off predictions are with a column shuffled",
                  .headings = {"Column", "Factor", "Least draw", "Most", "Not known because"}};
  for (const auto& each : validation.contributions)
    table.rows.push_back({escape_html(each.column), factor(each.factor), factor(each.least),
                          factor(each.most), escape_html(each.unavailable)});
  return table_html(table);
}

std::string proposals_html(const Validation& validation) {
  TableText table{.caption = "In this order; predictions of " + validation.target + " with 90 % intervals",
                  .headings = {"Order"},
                  .is_numbered = true};
  for (const auto& feature : validation.features) table.headings.push_back(escape_html(feature.name));
  table.headings.insert(table.headings.end(), {"Predicted", "from", "to", "Takes away"});
  for (const auto& each : validation.proposals) {
    std::vector<std::string> row{std::to_string(table.rows.size() + 1)};
    for (const auto& cell : each.cells) row.push_back(escape_html(cell_text(cell)));
    row.insert(row.end(), {format_number(each.value), format_number(each.low), format_number(each.high),
                           percent(each.gain)});
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return {};
  return "<p>Combinations of measured values that were not measured themselves. Each takes away so much of "
         "the "
         "uncertainty (variance of the logarithm) about all of them, as a Gaussian process expects it, after "
         "those before it. Whether a combination can be run at all, the table does not say.</p>\n" +
         table_html(table);
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
  page.add_section("scores", "Errors by method and split", scores_html(validation));
  for (const auto& chart : validation_charts())
    page.add_chart(chart.id, chart.title, chart.reading, chart.draw(validation));
  page.add_section("proposals", "What to measure next", proposals_html(validation));
  page.add_section("slices", "Errors by value of each feature", slices_html(validation));
  page.add_section("figures", "Figures of the charts",
                   learning_html(validation) + contributions_html(validation));
  page.add_section("notes", "What could not be said", notes_html(validation));
  page.add_section("reading", "How to read this page", std::string(reading_html));
  return page.html();
}

}  // namespace neph::report
