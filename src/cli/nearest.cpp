#include "cli/nearest.hpp"

#include "cli/table.hpp"
#include "core/json.hpp"
#include "core/units.hpp"

namespace neph::cli {

Result<NearestPoints> NearestPoints::of(const predict::Model& model, const predict::Table& rows,
                                        std::size_t count, std::size_t threads) {
  NEPH_TRY(auto places, model.nearest(rows, count, threads));
  return NearestPoints(model, rows, std::move(places));
}

NearestPoints::NearestPoints(const predict::Model& model, const predict::Table& rows,
                             std::vector<std::vector<std::size_t>> places)
    : points_(&model.measured()), rows_(&rows), places_(std::move(places)) {
  for (const auto& feature : points_->features.columns) {
    const auto found = rows.find(feature.name);
    column_.push_back(found ? std::optional(*found) : std::nullopt);
    measured_.push_back(predict::as_numbers(feature));
    asked_.push_back(found ? predict::as_numbers(rows.columns[*found]) : std::nullopt);
  }
}

std::vector<std::size_t> NearestPoints::differences(std::size_t row, std::size_t point) const {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < column_.size(); ++i) {
    if (!column_[i]) continue;
    const auto& measured = points_->features.columns[i];
    const auto& asked = rows_->columns[*column_[i]];
    const bool both_filled = !measured.is_empty(point) && !asked.is_empty(row);
    const bool same = both_filled && measured_[i] && asked_[i] ? (*measured_[i])[point] == (*asked_[i])[row]
                                                               : measured.text(point) == asked.text(row);
    if (!same) differing.push_back(i);
  }
  return differing;
}

std::string NearestPoints::words(std::size_t row) const {
  if (places_[row].empty()) return {};
  const auto point = places_[row].front();
  std::string words;
  for (const auto i : differences(row, point)) {
    const auto& column = points_->features.columns[i];
    const auto cell = column.is_empty(point) ? "empty" : column.text(point);
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", predict::without_unit(column.name), cell);
  }
  return fmt::format("{}: {}", words.empty() ? "the same" : words, format_number(points_->target[point]));
}

void NearestPoints::append_json(std::size_t row, fmt::memory_buffer& text) const {
  const auto out = std::back_inserter(text);
  std::string_view comma;
  text.push_back('[');
  for (const auto point : places_[row]) {
    fmt::format_to(out, "{}{{\"value\":{},\"repeats\":{},\"differs\":{{", std::exchange(comma, ","),
                   points_->target[point], points_->repeats[point]);
    std::string_view inner;
    for (const auto i : differences(row, point)) {
      const auto& column = points_->features.columns[i];
      const auto value = column.is_empty(point) ? std::string("null")
                         : column.is_text()     ? dump_json(Json(column.text(point)))
                                                : fmt::format("{}", column.numbers[point]);
      fmt::format_to(out, "{}{}:{}", std::exchange(inner, ","), dump_json(Json(column.name)), value);
    }
    text.append(std::string_view("}}"));
  }
  text.push_back(']');
}

}  // namespace neph::cli
