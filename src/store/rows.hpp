// Described structs as rows: one column per field, by the field's name; the fields of a struct in a struct
// are columns beside the others (Figure.estimate.low is figure.low). Lists, maps and JSON are text. A field
// without a column is found by the first test that stores the struct.
#pragma once

#include <concepts>
#include <string>

#include "core/describe.hpp"
#include "core/json.hpp"
#include "store/sqlite.hpp"

namespace neph::store {

/// Stored in tables of its own, where a struct has it as a field.
template <class T>
inline constexpr bool kept_apart = false;

template <class T>
concept Nested = Described<T> && !kept_apart<T>;

/// Calls see(name, field) for each column of the struct, in the order of the description.
template <class Value, class See>
void for_each_column(Value& value, See&& see) {
  describe(
      [&](std::string_view name, auto& field, std::string_view, Range = {}) {
        using Field = std::remove_cvref_t<decltype(field)>;
        if constexpr (Nested<Field>)
          for_each_column(field, see);
        else if constexpr (!kept_apart<Field>)
          see(name, field);
      },
      value);
}

template <class T>
std::vector<std::string> column_names() {
  std::vector<std::string> names;
  T value{};
  for_each_column(value, [&](std::string_view name, auto&) { names.emplace_back(name); });
  return names;
}

template <class T>
void bind_value(Statement& statement, int place, const T& value) {
  if constexpr (std::same_as<T, std::string>) {
    statement.bind(place, std::string_view(value));
  } else if constexpr (std::same_as<T, std::uint64_t>) {
    statement.bind(place, std::string_view(std::to_string(value)));  // SQLite's integers end at 2^63
  } else if constexpr (std::integral<T>) {
    statement.bind(place, static_cast<std::int64_t>(value));
  } else if constexpr (std::floating_point<T>) {
    statement.bind(place, value);
  } else if constexpr (NamedEnum<T>) {
    statement.bind(place, enum_name(value));
  } else if constexpr (std::same_as<T, std::optional<double>> ||
                       std::same_as<T, std::optional<std::int64_t>>) {
    if (value)
      statement.bind(place, *value);
    else
      statement.bind_null(place);
  } else {
    statement.bind(place, std::string_view(dump_json(to_json(value))));
  }
}

template <class T>
Status read_value(const Statement& statement, int column, T& value) {
  if constexpr (std::same_as<T, std::string>) {
    value = statement.text(column);
  } else if constexpr (std::same_as<T, std::uint64_t>) {
    value = std::strtoull(std::string(statement.text(column)).c_str(), nullptr, 10);
  } else if constexpr (std::integral<T>) {
    value = static_cast<T>(statement.integer(column));
  } else if constexpr (std::floating_point<T>) {
    value = statement.real(column);
  } else if constexpr (NamedEnum<T>) {
    const auto known = enum_value<T>(statement.text(column));
    if (!known)
      return fail(ErrorCode::corrupt, "the store holds an unknown value '{}'", statement.text(column));
    value = *known;
  } else if constexpr (std::same_as<T, std::optional<double>>) {
    if (statement.is_null(column))
      value.reset();
    else
      value = statement.real(column);
  } else if constexpr (std::same_as<T, std::optional<std::int64_t>>) {
    if (statement.is_null(column))
      value.reset();
    else
      value = statement.integer(column);
  } else {
    NEPH_TRY(const Json json, parse_json(statement.text(column), "the store"));
    return from_json(json, value, "the store");
  }
  return {};
}

/// Binds the struct's columns from `place` on; returns the place after the last.
template <class T>
int bind_row(Statement& statement, int place, const T& value) {
  for_each_column(value, [&](std::string_view, const auto& field) { bind_value(statement, place++, field); });
  return place;
}

/// Reads the struct's columns from `column` on.
template <class T>
Status read_row(const Statement& statement, int column, T& value) {
  Status status;
  for_each_column(value, [&](std::string_view, auto& field) {
    if (status) status = read_value(statement, column, field);
    ++column;
  });
  return status;
}

}  // namespace neph::store
