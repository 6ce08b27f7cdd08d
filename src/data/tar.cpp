// ustar, GNU's long names, pax.
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "core/units.hpp"
#include "data/readers.hpp"

namespace neph::data {
namespace {

constexpr std::uint64_t block = 512;
constexpr std::uint64_t longest_text = 1 << 16;  ///< of a long name or a pax header; more is damage
using Header = std::array<std::uint8_t, block>;

std::string_view field(const Header& header, std::size_t at, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(header.data()) + at, size);
  return all.substr(0, std::min(all.find('\0'), size));
}

/// Octal digits, or GNU's base 256 for what does not fit into them.
std::optional<std::uint64_t> number(const Header& header, std::size_t at, std::size_t size) {
  if ((header[at] & 0x80) != 0) {
    std::uint64_t value = header[at] & 0x7f;
    for (std::size_t i = 1; i < size; ++i) {
      if (value >> 55 != 0) return std::nullopt;
      value = value << 8 | header[at + i];
    }
    return value;
  }
  auto digits = field(header, at, size);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc{} || (end != digits.data() + digits.size() && *end != ' ')) return std::nullopt;
  return value;
}

bool checksum_agrees(const Header& header) {
  constexpr std::size_t at = 148, size = 8;  // the sum's own field counts as blanks
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) sum += i >= at && i < at + size ? ' ' : header[i];
  return number(header, at, size) == sum;
}

std::string name_of(const Header& header) {
  std::string name(field(header, 0, 100));
  if (const auto prefix = field(header, 345, 155); field(header, 257, 6).starts_with("ustar") &&
                                                   !prefix.empty() &&
                                                   header[262] == '\0')  // GNU's own form has times there
    name = std::string(prefix) + "/" + name;
  return name;
}

}  // namespace

Status TarNames::skip(std::uint64_t count) {
  std::array<std::uint8_t, 1 << 14> thrown{};
  while (count > 0) {
    const auto part = std::min<std::uint64_t>(count, thrown.size());
    NEPH_TRY(const auto got, source_.read(std::span(thrown).first(part)));
    if (got < part)
      return fail(ErrorCode::corrupt, "{} is cut short: {} bytes of an entry are missing", name_,
                  format_grouped(static_cast<std::int64_t>(count - got)));
    count -= part;
  }
  return {};
}

Result<std::string> TarNames::text_of_entry() {
  const auto size = std::exchange(left_, 0);
  if (size > longest_text) return fail(ErrorCode::corrupt, "{} has a name of {} bytes", name_, size);
  NEPH_TRY(const auto bytes, read_count(source_, size, name_, 0));
  return std::string(bytes.begin(), bytes.end());
}

/// pax: lines "LENGTH KEY=VALUE\n", whose length counts itself.
Status TarNames::read_extended() {
  NEPH_TRY(const auto text, text_of_entry());
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc{} || length > rest.size() || length < digits + 2)
      return fail(ErrorCode::corrupt, "{} has a damaged pax header", name_);
    const auto line = rest.substr(digits + 1, length - digits - 2);
    if (line.starts_with("path=")) next_name_ = line.substr(5);
    if (line.starts_with("size=")) {
      std::uint64_t value = 0;
      std::from_chars(line.data() + 5, line.data() + line.size(), value);
      next_size_ = value;
    }
    rest.remove_prefix(length);
  }
  return {};
}

Result<std::optional<std::string>> TarNames::next() {
  for (;;) {
    NEPH_CHECK(skip(left_ + padding_));
    left_ = padding_ = 0;
    Header header{};
    NEPH_TRY(const auto got, source_.read(header));
    if (got < block) return fail(ErrorCode::corrupt, "{} is cut short: the archive's end is missing", name_);
    if (std::all_of(header.begin(), header.end(), [](auto byte) { return byte == 0; })) return std::nullopt;
    const auto size = number(header, 124, 12);
    if (!checksum_agrees(header) || !size)
      return fail(ErrorCode::corrupt, "{} is not a tar archive, or is damaged", name_);
    const char type = static_cast<char>(header[156]);
    const bool is_extension = type == 'x' || type == 'g' || type == 'L' || type == 'K';
    left_ = is_extension ? *size : next_size_.value_or(*size);
    if (left_ > std::uint64_t{1} << 60)
      return fail(ErrorCode::corrupt, "{} has an entry of {} bytes", name_, left_);
    padding_ = (block - left_ % block) % block;
    if (type == 'x') {
      NEPH_CHECK(read_extended());
    } else if (type == 'L') {
      NEPH_TRY(next_name_, text_of_entry());
      next_name_.resize(std::min(next_name_.find('\0'), next_name_.size()));
    } else if (!is_extension) {
      auto name = std::exchange(next_name_, {});
      next_size_.reset();
      if (type == '0' || type == '\0') return name.empty() ? name_of(header) : name;
    }
  }
}

}  // namespace neph::data
