#include "report/charts/vega.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::array<std::string_view, series_colours / 2> fallback{
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#9a8700", "#555b66"};
constexpr std::size_t named_cells = 7;
constexpr const char* other_cells = "other configurations";

/// Whether the marks of a layer lie at a `low` or `high` that no row has.
bool shows_nothing(const Json& layer, const Json& rows) {
  const auto at = [&](const char* channel) { return layer.value(Json::json_pointer(channel), ""); };
  for (const auto& field : {at("/encoding/x/field"), at("/encoding/y/field")})
    if (field == "low" || field == "high")
      return std::ranges::none_of(
          rows, [&](const Json& row) { return row.contains(field) && row[field].is_number(); });
  return false;
}

/// `rows`: those that the specification inherits.
void remove_empty_intervals(Json& spec, const Json& rows) {
  if (!spec.contains("layer")) return;
  Json left = Json::array();
  for (auto& layer : spec["layer"]) {
    const Json& own = layer.contains("data") ? layer["data"]["values"] : rows;
    if (shows_nothing(layer, own)) continue;
    remove_empty_intervals(layer, own);
    left.push_back(std::move(layer));
  }
  spec["layer"] = std::move(left);
}

}  // namespace

std::string series_colour(std::size_t i) {
  const auto place = i % fallback.size();
  const auto full = fmt::format("var(--series-{}, {})", place + 1, fallback[place]);
  if (i % series_colours == place) return full;
  return fmt::format("color-mix(in srgb, {} 45%, var(--paper, #fff))", full);
}

Json specification(std::string_view text, const std::string& description, Json rows) {
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"description", description}};
  spec.update(Json::parse(text));
  spec["width"] = "container";
  spec["autosize"] = {{"type", "fit-x"}, {"contains", "padding"}};
  spec["data"] = {{"values", std::move(rows)}};
  return spec;
}

Json without_empty_intervals(Json spec) {
  remove_empty_intervals(spec, spec["data"]["values"]);
  return spec;
}

Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::fabs(value))));
  const double result = std::isfinite(scale) && scale > 0 ? std::round(value * scale) / scale : value;
  if (std::fabs(result) < 1e15 && result == std::floor(result)) return static_cast<std::int64_t>(result);
  return result;
}

Json rounded(const std::optional<double>& value) { return value ? rounded(*value) : Json(nullptr); }

void add_estimate(Json& row, const Estimate& estimate) {
  row["value"] = rounded(estimate.value);
  row["low"] = rounded(estimate.low);
  row["high"] = rounded(estimate.high);
  row["n"] = estimate.n;
}

Json colour_scale(const std::vector<std::string>& names) {
  Json scale{{"domain", names}, {"range", Json::array()}};
  for (std::size_t i = 0; i < names.size(); ++i)
    scale["range"].push_back(i < series_colours ? series_colour(i) : std::string(muted_colour));
  return scale;
}

Json line_across(const std::string& axis, double at, const std::string& name, bool is_muted, double from) {
  const std::string other = axis == "x" ? "y" : "x";
  const auto fixed = [](Json value) { return Json{{"value", std::move(value)}}; };
  Json rule{{"data", {{"values", Json::array({Json::object()})}}},
            {"mark", {{"type", "rule"}, {"strokeDash", {5, 4}}, {"strokeWidth", 1.5}}}};
  rule["encoding"] = {{axis, {{"datum", rounded(at)}}},
                      {other, fixed(from)},
                      {"color", fixed(is_muted ? "var(--muted, #59616d)" : "var(--invalid, #b03a00)")},
                      {"tooltip", fixed(nullptr)}};
  auto text = rule;
  rule["encoding"][other + "2"] = fixed(axis == "x" ? "height" : "width");
  text["mark"] = {{"type", "text"}, {"fontSize", 11}, {"align", is_muted ? "right" : "left"}};
  text["mark"].update({{"dx", is_muted ? -5 : 5}, {"dy", is_muted ? 0 : axis == "x" ? 6 : -6}});
  text["encoding"]["text"] = fixed(name);
  return Json::array({std::move(rule), std::move(text)});
}

CellNames::CellNames(const Document& document) {
  for (const auto* cell : by_speed(document)) {
    const bool named = names_.size() < named_cells || document.cells.size() == named_cells + 1;
    const auto& name = by_cell_[cell->cell.index] = named ? cell->cell.label : other_cells;
    if (named || names_.back() != name) names_.push_back(name);
  }
}

const std::string& CellNames::of(std::int64_t cell) const {
  static const std::string unknown = other_cells;
  const auto found = by_cell_.find(cell);
  return found == by_cell_.end() ? unknown : found->second;
}

Json CellNames::scale() const {
  Json scale = colour_scale(names_);
  if (!names_.empty() && names_.back() == other_cells) scale["range"].back() = muted_colour;
  return scale;
}

}  // namespace neph::report
