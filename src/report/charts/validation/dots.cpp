#include "report/charts/validation/dots.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/random.hpp"
#include "core/text.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_in_a_label = 6;  ///< features

bool is_drawn(const PredictedPoint& point) {
  const auto positive = [](double number) { return std::isfinite(number) && number > 0; };
  return positive(point.measured) && positive(point.value) &&
         (std::isnan(point.low) || (positive(point.low) && positive(point.high)));
}

double distance(const PredictedPoint* point) { return std::abs(std::log(point->value / point->measured)); }

void thin(std::vector<const PredictedPoint*>& points, std::size_t most) {
  if (points.size() <= most) return;
  const auto worst = std::max_element(points.begin(), points.end(),
                                      [](auto* a, auto* b) { return distance(a) < distance(b); });
  std::iter_swap(points.begin(), worst);
  Random random(1);
  for (std::size_t i = 1; i < most; ++i) std::swap(points[i], points[i + random.below(points.size() - i)]);
  points.resize(most);
}

std::vector<const PredictedPoint*> drawn_points(const ValidatedMethod& method) {
  std::vector<const PredictedPoint*> points;
  for (const auto& point : method.rows)
    if (is_drawn(point)) points.push_back(&point);
  return points;
}

}  // namespace

std::vector<Dots> dots_of(const Validation& validation, std::size_t most) {
  std::vector<Dots> all;
  for (const auto& method : validation.methods) {
    auto points = drawn_points(method);
    thin(points, std::max<std::size_t>(1, most / validation.methods.size()));
    if (!points.empty()) all.push_back({&method, std::move(points)});
  }
  return all;
}

std::string thinning_note(const Validation& validation, const std::vector<Dots>& dots) {
  std::size_t drawn = 0, all = 0;
  for (const auto& each : dots) drawn += each.points.size();
  for (const auto& method : validation.methods) all += drawn_points(method).size();
  return drawn == all
             ? ""
             : fmt::format("Thinned: {} of {} predictions are drawn, each method's worst among them.", drawn,
                           all);
}

std::vector<std::string> method_names(const Validation& validation) {
  std::vector<std::string> names;
  for (const auto& method : validation.methods) names.push_back(method.method);
  return names;
}

std::string cell_text(const Json& cell) {
  if (cell.is_null()) return "empty";
  if (cell.is_string()) return printable(cell.get<std::string>());
  return cell.is_number() ? fmt::format("{}", cell.get<double>()) : dump_json(cell);
}

std::string point_label(const Validation& validation, std::int64_t point) {
  std::string label;
  const auto place = static_cast<std::size_t>(point);
  for (std::size_t i = 0; i < std::min(most_in_a_label, validation.features.size()); ++i) {
    const auto& feature = validation.features[i];
    if (place < feature.values.size())
      label += fmt::format("{}{} {}", label.empty() ? "" : ", ", printable(feature.name),
                           cell_text(feature.values[place]));
  }
  return label;
}

}  // namespace neph::report
