#include "cli/nearest.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/json.hpp"
#include "core/units.hpp"

namespace neph::cli {

constexpr std::size_t most_told = 6;  ///< columns in which a point differs, to people

std::string nearest_words(const predict::Neighbours& neighbours, std::size_t row) {
  const auto& nearest = neighbours.nearest(row);
  if (nearest.empty()) return {};
  const auto point = nearest.front();
  const auto& measured = neighbours.measured();
  std::string words;
  const auto differences = neighbours.differences(row, point);
  for (const auto i : std::span(differences).first(std::min(differences.size(), most_told))) {
    const auto& column = measured.features.columns[i];
    const auto cell = column.is_empty(point) ? "empty" : column.text(point);
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", table::without_unit(column.name), cell);
  }
  if (differences.size() > most_told)
    words += fmt::format(
        " and {}", counted(std::ssize(differences) - static_cast<std::int64_t>(most_told), "more column"));
  return fmt::format("{}: {}", words.empty() ? "the same" : words, format_number(measured.target[point]));
}

void append_nearest(const predict::Neighbours& neighbours, std::size_t row, fmt::memory_buffer& json) {
  const auto out = std::back_inserter(json);
  const auto& measured = neighbours.measured();
  std::string_view comma;
  json.push_back('[');
  for (const auto point : neighbours.nearest(row)) {
    fmt::format_to(out, "{}{{\"value\":{},\"repeats\":{},\"differs\":{{", std::exchange(comma, ","),
                   measured.target[point], measured.repeats[point]);
    std::string_view inner;
    for (const auto i : neighbours.differences(row, point)) {
      const auto& column = measured.features.columns[i];
      const auto value = column.is_empty(point) ? std::string("null")
                         : column.is_text()     ? dump_json(Json(column.text(point)))
                                                : fmt::format("{}", column.numbers[point]);
      fmt::format_to(out, "{}{}:{}", std::exchange(inner, ","), dump_json(Json(column.name)), value);
    }
    json.append(std::string_view("}}"));
  }
  json.push_back(']');
}

}  // namespace neph::cli
