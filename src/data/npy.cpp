#include "data/npy.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

namespace neph::data {
namespace {

/// What follows 'KEY': in the dictionary.
std::string_view value_of(std::string_view text, std::string_view key) {
  const auto at = text.find(fmt::format("'{}'", key));
  if (at == text.npos) return {};
  auto rest = text.substr(at + key.size() + 2);
  rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
  return rest;
}

tl::unexpected<Error> no_header(const std::string& name) {
  return fail(ErrorCode::corrupt, "{} is no .npy, or its header is damaged", name);
}

/// "(60000, 28, 28)".
Status parse_shape(std::string_view text, const std::string& name, NpyHeader& header) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == text.npos) return no_header(name);
  text = text.substr(1, end - 1);
  std::uint64_t bytes = header.width;
  while (!text.empty()) {
    std::int64_t size = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc{} || size < 0) return no_header(name);
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes) ||
        bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      return fail(ErrorCode::corrupt, "{} claims more elements than can be", name);
    header.shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  return {};
}

/// "'<f4'".
Status parse_elements(std::string_view text, const std::string& name, NpyHeader& header) {
  const auto end = text.empty() ? text.npos : text.find('\'', 1);
  if (!text.starts_with('\'') || end == text.npos || end < 3) return no_header(name);
  const auto elements = text.substr(1, end - 1);
  header.kind = elements[1];
  if (header.kind == 'O')
    return fail(ErrorCode::unsupported, "{} holds Python objects; write numbers, as with astype('float32')",
                name);
  const auto [stop, error] =
      std::from_chars(elements.data() + 2, elements.data() + elements.size(), header.width);
  const bool is_number = std::string_view("uifb").find(header.kind) != std::string_view::npos;
  const bool is_width = header.width == 1 || header.width == 2 || header.width == 4 || header.width == 8;
  if (error != std::errc{} || stop != elements.data() + elements.size() || !is_number || !is_width ||
      (elements[0] == '>' && header.width > 1))
    return fail(ErrorCode::unsupported, "{} has elements '{}'; little-endian integers and floats are read",
                name, elements);
  return {};
}

}  // namespace

std::uint64_t NpyHeader::elements() const {
  std::uint64_t count = 1;
  for (const auto size : shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

Result<NpyHeader> read_npy_header(ByteSource& source, const std::string& name) {
  constexpr std::size_t most = 1 << 16;
  std::array<std::uint8_t, 12> start{};
  const auto first = std::span(start).first(10);
  NEPH_CHECK(read_whole(source, first, name, 0, 10));
  if (std::string_view(reinterpret_cast<const char*>(start.data()), 6) != "\x93NUMPY" || start[6] < 1 ||
      start[6] > 3)
    return no_header(name);
  std::size_t size = start[8] + std::size_t{start[9]} * 256;
  std::size_t before = 10;
  if (start[6] > 1) {
    NEPH_CHECK(read_whole(source, std::span(start).subspan(10), name, 10, 12));
    size += std::size_t{start[10]} << 16 | std::size_t{start[11]} << 24;
    before = 12;
  }
  if (size > most) return no_header(name);
  NEPH_TRY(const auto bytes, read_count(source, size, name, before));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  NpyHeader header;
  header.bytes = before + size;
  NEPH_CHECK(parse_elements(value_of(text, "descr"), name, header));
  NEPH_CHECK(parse_shape(value_of(text, "shape"), name, header));
  const auto order = value_of(text, "fortran_order");
  if (order.starts_with("True") && header.shape.size() > 1)
    return fail(ErrorCode::unsupported, "{} is in Fortran's order; write it with numpy.ascontiguousarray",
                name);
  return header;
}

Result<std::vector<std::uint8_t>> read_npy_elements(ByteSource& source, const NpyHeader& header,
                                                    const std::string& name) {
  NEPH_TRY(auto bytes, read_count(source, header.elements() * header.width, name, header.bytes));
  NEPH_CHECK(expect_end(source, name));
  return bytes;
}

}  // namespace neph::data
