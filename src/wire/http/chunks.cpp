#include "wire/http/chunks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "wire/http/reply_head.hpp"

namespace neph::wire {
namespace {

constexpr std::uint64_t most_beside = 64 << 10;  // as of a head
constexpr std::uint64_t no_digit = 16;

std::uint64_t digit_of(char byte) {
  if (byte >= '0' && byte <= '9') return static_cast<std::uint64_t>(byte - '0');
  if (byte >= 'a' && byte <= 'f') return static_cast<std::uint64_t>(byte - 'a' + 10);
  if (byte >= 'A' && byte <= 'F') return static_cast<std::uint64_t>(byte - 'A' + 10);
  return no_digit;
}

}  // namespace

Status Chunks::take(std::string_view& bytes, std::string* data) {
  while (!bytes.empty() && !done()) {
    if (part_ == Part::data) {
      take_data(bytes, data);
    } else {
      NEPH_CHECK(take_beside(bytes.front()));
      bytes.remove_prefix(1);
    }
  }
  return {};
}

void Chunks::take_data(std::string_view& bytes, std::string* data) {
  const auto here = bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size()));
  if (data != nullptr) *data += here;
  bytes.remove_prefix(here.size());
  left_ -= here.size();
  if (left_ == 0) part_ = Part::data_cr;
}

Status Chunks::take_beside(char byte) {
  if (++beside_ > most_beside) return no_reply("more than 64 KiB beside the data of a chunk");
  switch (part_) {
    case Part::size:
      return take_size(byte);
    case Part::extension:
      return take_line(byte, Part::extension, Part::size_end);
    case Part::size_end:
      return take_end_of_line(byte, left_ > 0 ? Part::data : Part::line);
    case Part::data_cr:
      if (byte != '\r') return no_reply("a chunk that is longer than its size");
      part_ = Part::data_end;
      return {};
    case Part::data_end:
      return take_end_of_line(byte, Part::size);
    case Part::line:
      return take_line(byte, Part::trailer, Part::end);
    case Part::trailer:
      return take_line(byte, Part::trailer, Part::line_end);
    case Part::line_end:
      return take_end_of_line(byte, Part::line);
    case Part::end:
      return take_end_of_line(byte, Part::done);
    case Part::data:
    case Part::done:
      break;
  }
  return {};
}

Status Chunks::take_size(char byte) {
  if (const auto digit = digit_of(byte); digit != no_digit) return take_digit(digit);
  if (!has_digit_) return no_reply("a chunk without a size");
  if (byte != '\r' && byte != ';' && byte != ' ' && byte != '\t') return no_reply("the size of a chunk");
  sum_ += left_;
  return take_line(byte, Part::extension, Part::size_end);
}

Status Chunks::take_digit(std::uint64_t digit) {
  const auto most = most_ - sum_;
  const bool fits = left_ <= most / 16;
  left_ = left_ * 16 + digit;
  if (!fits || left_ > most) return no_reply(fmt::format("a body in chunks of more than {} bytes", most_));
  has_digit_ = true;
  return {};
}

/// A line whose words nobody wants. A line feed alone ends none: not all who read it would agree.
Status Chunks::take_line(char byte, Part rest, Part end) {
  if (byte == '\n') return no_reply("a line of chunks without a carriage return");
  part_ = byte == '\r' ? end : rest;
  return {};
}

Status Chunks::take_end_of_line(char byte, Part next) {
  if (byte != '\n') return no_reply("a carriage return that ends no line of chunks");
  part_ = next;
  if (next == Part::data) beside_ = 0;
  if (next == Part::size) has_digit_ = false;
  return {};
}

}  // namespace neph::wire
