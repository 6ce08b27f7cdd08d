#include "core/protobuf.hpp"

namespace neph::protobuf {

std::optional<std::uint64_t> take_varint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

namespace {

/// As many as protobuf's own readers follow.
constexpr int most_nested_groups = 100;

/// The end of a group is a field too.
std::optional<Field> take_any(std::string_view& rest, int groups) {
  const auto begin = rest;
  const auto tag = take_varint(rest);
  if (!tag) return std::nullopt;
  Field field{.number = *tag >> 3, .wire = static_cast<Wire>(*tag & 7U)};
  std::optional<std::uint64_t> length = 0;
  switch (field.wire) {
    case varint: {
      const auto value = take_varint(rest);
      if (!value) return std::nullopt;
      field.value = *value;
      break;
    }
    case eight_bytes:
      length = 8;
      break;
    case four_bytes:
      length = 4;
      break;
    case delimited:
      length = take_varint(rest);
      break;
    case group: {
      if (groups == 0) return std::nullopt;
      std::optional<Field> part;
      do part = take_any(rest, groups - 1);
      while (part && part->wire != group_end);
      if (!part || part->number != field.number) return std::nullopt;
      break;
    }
    case group_end:
      break;
    default:
      return std::nullopt;
  }
  if (!length || *length > rest.size()) return std::nullopt;
  field.content = rest.substr(0, *length);
  rest.remove_prefix(*length);
  field.whole = begin.substr(0, begin.size() - rest.size());
  return field;
}

}  // namespace

std::optional<Field> take_field(std::string_view& rest) {
  auto field = take_any(rest, most_nested_groups);
  return field && field->wire == group_end ? std::nullopt : field;
}

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7) to += static_cast<char>((value & 0x7fU) | 0x80U);
  to += static_cast<char>(value);
}

void put_head(std::string& to, std::uint64_t number, std::size_t bytes) {
  put_varint(to, number << 3 | delimited);
  put_varint(to, bytes);
}

void put_field(std::string& to, std::uint64_t number, std::string_view content) {
  put_head(to, number, content.size());
  to += content;
}

void put_number(std::string& to, std::uint64_t number, std::uint64_t value) {
  put_varint(to, number << 3 | varint);
  put_varint(to, value);
}

std::optional<Field> find_field(std::string_view message, std::uint64_t number, Wire wire) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field || (field->number == number && field->wire == wire)) return field;
  }
  return std::nullopt;
}

std::optional<std::string_view> content_of(std::string_view message, std::uint64_t number) {
  const auto field = find_field(message, number, delimited);
  return field ? std::optional(field->content) : std::nullopt;
}

}  // namespace neph::protobuf
