// The recommended candidate's bill, stage by stage.
#include <fmt/format.h>

#include "report/charts/advice/money.hpp"
#include "report/charts/chart.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "mark": {"type": "bar"},
  "encoding": {
    "y": {"field": "stage", "type": "nominal", "title": null, "sort": null},
    "x": {"field": "amount", "type": "quantitative"},
    "color": {"field": "known", "type": "nominal", "title": null},
    "tooltip": [
      {"field": "stage"}, {"field": "known"},
      {"field": "seconds", "title": "s", "format": ",.4~r"},
      {"field": "amount", "format": ",.4~r"}
    ]
  }
})json";

Drawing draw_bill(const Advice& advice) {
  if (advice.bill.empty()) return {};
  Json rows = Json::array();
  for (const auto& stage : advice.bill)
    rows.push_back({{"stage", stage.stage},
                    {"known", stage.known.empty() ? "rounding" : stage.known},
                    {"seconds", rounded(stage.seconds)},
                    {"amount", rounded(number_of(stage.amount))}});
  const auto currency = advice.bill.front().amount.currency;
  const auto description =
      fmt::format("Bar chart of what each stage costs in {}, and what rounding adds.", currency);
  const auto height = row_height * rows.size();
  Json spec = specification(template_text, description, std::move(rows));
  spec["height"] = height;
  spec["encoding"]["x"]["title"] = currency;
  spec["encoding"]["color"]["scale"] = {
      {"domain", {"measured", "given", "assumed", "rounding"}},
      {"range", {series_colour(0), series_colour(2), series_colour(1), std::string(muted_colour)}}};
  return {
      .panels = {{.caption = "what the recommended one pays for", .description = description, .spec = spec}},
      .note = {},
      .choices = {}};
}

}  // namespace

extern const AdviceChart advised_bill_chart;
const AdviceChart advised_bill_chart{
    "bill", "What is paid for",
    "Stages that were measured, those that are assumed, and what the provider's rounding adds.", draw_bill};

}  // namespace neph::report
