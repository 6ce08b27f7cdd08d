// Described structs as messages of protobuf: their fields have the numbers 1, 2, ... in the order of the
// description.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/protobuf.hpp"
#include "core/text.hpp"
#include "wire/service.hpp"

namespace neph::wire {

/// How many of a struct's fields gRPC has; the others are HTTP's alone.
template <class T>
inline constexpr std::uint64_t most_fields = UINT64_MAX;
template <>
inline constexpr std::uint64_t most_fields<InferStatistics> = 6;

template <class T>
std::string to_protobuf(const T& from);

/// As proto3 has it: 0 and empty texts are not written. Texts are made printable.
template <class T>
void put_value(std::string& to, std::uint64_t number, const T& value) {
  if constexpr (std::integral<T>) {
    if (value != 0) protobuf::put_number(to, number, static_cast<std::uint64_t>(value));
  } else if constexpr (std::same_as<T, std::string>) {
    if (!value.empty()) protobuf::put_field(to, number, printable(value));
  } else if constexpr (std::same_as<T, std::vector<std::int64_t>>) {
    std::string packed;
    for (const auto each : value) protobuf::put_varint(packed, static_cast<std::uint64_t>(each));
    if (!packed.empty()) protobuf::put_field(to, number, packed);
  } else if constexpr (requires { value.begin(); }) {
    for (const auto& each : value) put_value(to, number, each);
  } else {
    protobuf::put_field(to, number, to_protobuf(value));
  }
}

template <class T>
std::string to_protobuf(const T& from) {
  std::string to;
  std::uint64_t number = 0;
  describe(
      [&](std::string_view, const auto& value, const auto&...) {
        if (++number <= most_fields<T>) put_value(to, number, value);
      },
      from);
  return to;
}

/// Fills what is empty. Fields of another encoding are passed over. False: not such a message.
template <class T>
bool from_protobuf(std::string_view message, T& to);

template <class T>
bool take_value(const protobuf::Field& field, T& value) {
  if constexpr (std::integral<T>) {
    if (field.wire == protobuf::varint) value = static_cast<T>(field.value);
  } else if constexpr (std::same_as<T, std::vector<std::int64_t>>) {
    if (field.wire == protobuf::varint) value.push_back(static_cast<std::int64_t>(field.value));
    auto packed = field.wire == protobuf::delimited ? field.content : std::string_view();
    while (!packed.empty()) {
      const auto each = protobuf::take_varint(packed);
      if (!each) return false;
      value.push_back(static_cast<std::int64_t>(*each));
    }
  } else if (field.wire == protobuf::delimited) {
    if constexpr (std::same_as<T, std::string>) {
      value = field.content;
      return is_utf8(value);
    } else if constexpr (requires { value.emplace_back(); }) {
      return take_value(field, value.emplace_back());
    } else {
      return from_protobuf(field.content, value);
    }
  }
  return true;
}

template <class T>
bool from_protobuf(std::string_view message, T& to) {
  while (!message.empty()) {
    const auto field = protobuf::take_field(message);
    bool is_right = field && field->number != 0;
    std::uint64_t number = 0;
    const auto take = [&](std::string_view, auto& value, const auto&...) {
      if (is_right && ++number == field->number) is_right = take_value(*field, value);
    };
    describe(take, to);
    if (!is_right) return false;
  }
  return true;
}

}  // namespace neph::wire
