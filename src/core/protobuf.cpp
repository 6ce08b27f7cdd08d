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

std::optional<Field> take_field(std::string_view& rest) {
  const auto begin = rest;
  const auto tag = take_varint(rest);
  if (!tag) return std::nullopt;
  Field field{.number = *tag >> 3, .wire = static_cast<Wire>(*tag & 7U)};
  std::optional<std::uint64_t> length = 0;
  if (field.wire == varint) {
    const auto value = take_varint(rest);
    if (!value) return std::nullopt;
    field.value = *value;
  }
  if (field.wire == eight_bytes) length = 8;
  if (field.wire == four_bytes) length = 4;
  if (field.wire == delimited) length = take_varint(rest);
  if ((*tag & 7U) == 3 || (*tag & 7U) == 4 || (*tag & 7U) > 5 || !length || *length > rest.size())
    return std::nullopt;
  field.content = rest.substr(0, *length);
  rest.remove_prefix(*length);
  field.whole = begin.substr(0, begin.size() - rest.size());
  return field;
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

std::optional<std::string_view> content_of(std::string_view message, std::uint64_t number) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field) return std::nullopt;
    if (field->number == number && field->wire == delimited) return field->content;
  }
  return std::nullopt;
}

}  // namespace neph::protobuf
