#include "predict/explain/predictions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/units.hpp"
#include "predict/ensemble/parallel.hpp"

namespace neph::predict {
namespace {

constexpr std::size_t most_told = 6;  ///< columns in which a row differs, to people
constexpr std::size_t rows_of_a_piece = 8192;

std::string extrapolates_as_json(const Prediction& prediction) {
  if (prediction.extrapolates.empty()) return "[]";
  Json all = Json::array();
  for (const auto& each : prediction.extrapolates)
    all.push_back({{"column", each.column}, {"where", enum_name(each.kind)}, {"how_far", each.how_far}});
  return dump_json(all);
}

std::string text_as_json(const std::string& text) { return text.empty() ? "\"\"" : dump_json(Json(text)); }

std::string number_as_json(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

/// By their numbers, as messages and people count: the first row below the heading is 1.
std::string refused_as_json(const std::vector<Prediction>& predictions) {
  Json all = Json::array();
  for (const auto row : refused_in(predictions))
    all.push_back({{"row", row + 1}, {"reason", predictions[row].refused}});
  return dump_json(all);
}

/// [{"value":0.0123,"repeats":9,"differs":{"batch":64}}], the nearest first. Cells that are empty are null.
void append_nearest(const Neighbours& neighbours, std::size_t row, fmt::memory_buffer& json) {
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

void append_asked(const table::Table& asked, std::size_t row, fmt::memory_buffer& json) {
  std::string_view comma;
  json.append(std::string_view(",\"asked\":{"));
  for (const auto& column : asked.columns) {
    const auto value = column.is_empty(row) ? std::string("null")
                       : column.is_text()   ? dump_json(Json(column.text(row)))
                                            : number_as_json(column.numbers[row]);
    fmt::format_to(std::back_inserter(json), "{}{}:{}", std::exchange(comma, ","),
                   dump_json(Json(column.name)), value);
  }
  json.push_back('}');
}

void append_row(const Prediction& prediction, const Neighbours& neighbours, const table::Table* asked,
                std::size_t row, fmt::memory_buffer& json) {
  fmt::format_to(std::back_inserter(json),
                 "{}\n{{\"value\":{},\"low\":{},\"high\":{},\"extrapolates\":{},\"refused\":{},"
                 "\"no_interval\":{},\"nearest\":",
                 row == 0 ? "" : ",", number_as_json(prediction.value), number_as_json(prediction.low),
                 number_as_json(prediction.high), extrapolates_as_json(prediction),
                 text_as_json(prediction.refused), text_as_json(prediction.no_interval));
  append_nearest(neighbours, row, json);
  if (asked) append_asked(*asked, row, json);
  json.push_back('}');
}

}  // namespace

std::vector<std::size_t> refused_in(const std::vector<Prediction>& predictions) {
  std::vector<std::size_t> refused;
  for (std::size_t row = 0; row < predictions.size(); ++row)
    if (!predictions[row].refused.empty()) refused.push_back(row);
  return refused;
}

std::string warning_in_words(const Prediction& prediction) {
  if (!prediction.refused.empty()) return "refused: " + prediction.refused;
  std::string words;
  const auto& all = prediction.extrapolates;
  for (const auto& each : std::span(all).first(std::min(all.size(), most_told)))
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", each.column, each.how_far);
  if (all.size() > most_told) words += fmt::format("; and {} more columns", all.size() - most_told);
  return words;
}

std::string nearest_in_words(const Neighbours& neighbours, std::size_t row) {
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

void write_json(const std::string& target, const std::vector<Prediction>& predictions,
                const Neighbours& neighbours, const std::function<void(std::string_view)>& write,
                std::size_t threads, const table::Table* asked) {
  write(fmt::format("{{\"target\":{},\"refused_rows\":{},\"rows\":[", dump_json(Json(target)),
                    refused_as_json(predictions)));
  const auto rows = predictions.size();
  std::vector<fmt::memory_buffer> pieces(std::max<std::size_t>(1, threads));
  for (std::size_t begin = 0; begin < rows; begin += pieces.size() * rows_of_a_piece) {
    share_out(pieces.size(), threads, "write", [&](std::size_t i) {
      const auto first = std::min(rows, begin + i * rows_of_a_piece);
      pieces[i].clear();
      for (auto row = first; row < std::min(rows, first + rows_of_a_piece); ++row)
        append_row(predictions[row], neighbours, asked, row, pieces[i]);
    });
    for (const auto& piece : pieces) write({piece.data(), piece.size()});
  }
  write("\n]}\n");
}

}  // namespace neph::predict
