// Protobuf's encoding, walked from length to length: what a message has in it, and the message with something
// else in one place. Nothing is copied that is not changed, and nothing is allocated in reading.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace neph::protobuf {

enum Wire : std::uint64_t {
  varint = 0,
  eight_bytes = 1,
  delimited = 2,
  group = 3,  ///< of proto2; its parts are passed over
  group_end = 4,
  four_bytes = 5
};

struct Field {
  std::uint64_t number = 0;
  Wire wire = varint;
  std::string_view whole;    ///< with its tag and length
  std::string_view content;  ///< of a delimited one
  std::uint64_t value = 0;   ///< of a varint
};

/// The number at the beginning of `rest`, which is behind it afterwards. Nothing where there is none.
std::optional<std::uint64_t> take_varint(std::string_view& rest);
/// The first of `rest`, which is behind it afterwards. Nothing where the bytes are no field.
std::optional<Field> take_field(std::string_view& rest);
void put_varint(std::string& to, std::uint64_t value);
/// The tag and length of a field whose content of so many bytes follows.
void put_head(std::string& to, std::uint64_t number, std::size_t bytes);
void put_field(std::string& to, std::uint64_t number, std::string_view content);
void put_number(std::string& to, std::uint64_t number, std::uint64_t value);

/// Calls `visit` with each field of a message, up to where it is none.
template <class Visit>
void each_field(std::string_view message, Visit visit) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field) return;
    visit(*field);
  }
}

/// The first field of a message with that number and encoding; nothing where it has none.
std::optional<Field> find_field(std::string_view message, std::uint64_t number, Wire wire);
/// The content of a message's field; nothing where it has none.
std::optional<std::string_view> content_of(std::string_view message, std::uint64_t number);

/// What becomes of a field's content; nothing where that is no message.
using Change = std::function<std::optional<std::string>(std::string_view)>;

/// The message with what `change_of(number)` makes of its delimited fields; those without a change stay as
/// they are. Nothing where it is no message.
template <class ChangeOf>
std::optional<std::string> changed(std::string_view message, ChangeOf change_of) {
  std::string made;
  made.reserve(message.size() + message.size() / 64 + 64);
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field) return std::nullopt;
    const Change change = field->wire == delimited ? change_of(field->number) : Change();
    if (!change) {
      made += field->whole;
      continue;
    }
    const auto content = change(field->content);
    if (!content) return std::nullopt;
    put_field(made, field->number, *content);
  }
  return made;
}

/// The change of one field of a message.
inline auto only(std::uint64_t number, Change change) {
  return [number, change = std::move(change)](std::uint64_t found) {
    return found == number ? change : Change();
  };
}

}  // namespace neph::protobuf
