// What the charts' specifications have in common: colours that follow the page's theme, configurations that
// share a colour scale, and rounded rows of data.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// The colour of series `i`: eight colours of Okabe and Ito (2008), which people with a colour vision
/// deficiency can tell apart, as variables that the page sets for light and dark; then the same eight, paler.
std::string series_colour(std::size_t i);
inline constexpr std::size_t series_colours = 16;
inline constexpr std::string_view muted_colour = "var(--other, #b4bac4)";  ///< present, but not the point

/// Pixels for a configuration's label with its bar below.
inline constexpr std::size_t row_height = 36;

/// A Vega-Lite document: `text` is the specification without data, which is JSON by construction; the schema,
/// `description`, a width that follows the page, and `rows` as its data are added.
Json specification(std::string_view text, const std::string& description, Json rows);

/// Five significant digits, which is more than a chart shows; null for what is not finite.
Json rounded(double value);
Json rounded(const std::optional<double>& value);

/// Puts value, low, high and n of an estimate into a row.
void add_estimate(Json& row, const Estimate& estimate);

/// A specification without the layers of intervals that none of its rows has: Vega warns of marks without
/// extent.
Json without_empty_intervals(Json spec);

/// {"domain": names, "range": their colours}; names beyond the colours share the muted one.
Json colour_scale(const std::vector<std::string>& names);

/// Layers of a dashed line through a chart at `at` of its `axis` ("x", "y"), with its name at its beginning,
/// `from` pixels along it: a limit, or muted a reference.
Json line_across(const std::string& axis, double at, const std::string& name, bool is_muted = false,
                 double from = 0);

/// Names for the configurations in charts of one line or dot per configuration: the seven fastest keep theirs
/// and with it a colour, all others are `other_cells`.
class CellNames {
 public:
  explicit CellNames(const Document& document);
  const std::string& of(std::int64_t cell) const;
  Json scale() const;
  bool single() const { return names_.size() == 1; }

 private:
  std::vector<std::string> names_;
  std::map<std::int64_t, std::string> by_cell_;
};

}  // namespace neph::report
