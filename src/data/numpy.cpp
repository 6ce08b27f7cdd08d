// Arrays as numpy stores them, whatever they are for: .npz, .npy, a folder of .npy.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include <fmt/ranges.h>
#include <zlib.h>

#include "data/data.hpp"
#include "data/readers.hpp"
#include "os/file.hpp"

namespace neph::data {
namespace {

namespace fs = std::filesystem;

/// What follows 'KEY': in the dictionary.
std::string_view value_of(std::string_view text, std::string_view key) {
  const auto at = text.find(fmt::format("'{}'", key));
  if (at == text.npos) return {};
  auto rest = text.substr(at + key.size() + 2);
  rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
  return rest;
}

tl::unexpected<Error> no_header(const std::string& name) {
  return fail(ErrorCode::corrupt, "{} is not a .npy file, or its header is damaged", name);
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
  header.bytes = bytes;
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

constexpr std::string_view ending = ".npy";

Result<Array> read_array(ByteSource& source, std::string_view file, const std::string& where) {
  NEPH_TRY(const auto header, read_npy_header(source, where));
  Array array{.name = std::string(file.substr(0, file.size() - ending.size())),
              .kind = header.kind,
              .width = header.width,
              .shape = header.shape};
  NEPH_TRY(array.bytes, read_count(source, header.bytes, where, header.header_bytes));
  std::uint8_t more = 0;
  NEPH_TRY(const auto over, source.read({&more, 1}));
  if (over > 0) return fail(ErrorCode::corrupt, "{} has more bytes than its header declares", where);
  return array;
}

Result<std::vector<Array>> read_npz(const fs::path& path) {
  NEPH_TRY(const auto file, ZipFile::open(path));
  std::vector<Array> arrays;
  for (const auto& member : file.members()) {
    const auto where = fmt::format("{} in {}", member.name, path.string());
    if (!member.name.ends_with(ending))
      return fail(ErrorCode::unsupported, "{} is not a .npy file; write the file with numpy.savez", where);
    NEPH_TRY(const auto source, file.open_member(member, where));
    NEPH_TRY(auto array, read_array(*source, member.name, where));
    arrays.push_back(std::move(array));
  }
  if (arrays.empty()) return fail(ErrorCode::invalid_argument, "{} has no array in it", path.string());
  return arrays;
}

Result<Array> read_npy(const fs::path& path) {
  NEPH_TRY(const auto source, open_bytes(path));
  return read_array(*source, path.filename().string(), path.string());
}

Result<std::vector<Array>> read_folder(const fs::path& folder) {
  std::vector<Array> arrays;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ending) continue;
    NEPH_TRY(auto array, read_npy(at->path()));
    arrays.push_back(std::move(array));
  }
  if (error) return fail(ErrorCode::io, "{}: {}", folder.string(), error.message());
  if (arrays.empty())
    return fail(ErrorCode::invalid_argument, "{} has no .npy file; write one for each input, NAME.npy",
                folder.string());
  return arrays;
}

// Written stored and not deflated, as numpy.savez() does.

/// Little-endian.
template <class T>
void put(std::string& file, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) file.push_back(static_cast<char>(value >> 8 * i));
}

/// numpy's format 1.0: the header ends at a multiple of 64 bytes.
std::string npy_header(const Array& array) {
  constexpr std::size_t magic_bytes = 10, alignment = 64;
  auto text = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                          array.width == 1 ? '|' : '<', array.kind, array.width, fmt::join(array.shape, ", "),
                          array.shape.size() == 1 ? "," : "");
  text.append(alignment - (magic_bytes + text.size() + 1) % alignment, ' ').push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  put(header, static_cast<std::uint16_t>(text.size()));
  return header + text;
}

/// What the local header and the directory's entry have in common: PKWARE's APPNOTE 4.4.
struct Member {
  std::string name;
  std::uint32_t crc = 0, bytes = 0, offset = 0;

  void put_fields(std::string& file) const {
    constexpr std::uint16_t version = 20, first_of_1980 = 0x21;
    put(file, version);
    put(file, std::uint32_t{0});  // no flags; stored
    put(file, std::uint16_t{0});
    put(file, first_of_1980);
    for (const auto field : {crc, bytes, bytes}) put(file, field);
    put(file, static_cast<std::uint16_t>(name.size()));
    put(file, std::uint16_t{0});
  }
};

Member add_member(std::string& file, const Array& array) {
  const auto header = npy_header(array);
  Member member{.name = array.name + ".npy",
                .bytes = static_cast<std::uint32_t>(header.size() + array.bytes.size()),
                .offset = static_cast<std::uint32_t>(file.size())};
  auto crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size());
  if (!array.bytes.empty())  // without bytes it would begin anew
    crc = ::crc32_z(crc, array.bytes.data(), array.bytes.size());
  member.crc = static_cast<std::uint32_t>(crc);
  file += "PK\x03\x04";
  member.put_fields(file);
  file += member.name + header;
  file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return member;
}

std::string directory_entry(const Member& member) {
  std::string entry = "PK\x01\x02";
  put(entry, std::uint16_t{20});
  member.put_fields(entry);
  entry.append(10, '\0');  // no comment, disk 0, no attributes
  put(entry, member.offset);
  return entry + member.name;
}

}  // namespace

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
  header.header_bytes = before + size;
  NEPH_CHECK(parse_elements(value_of(text, "descr"), name, header));
  NEPH_CHECK(parse_shape(value_of(text, "shape"), name, header));
  const auto order = value_of(text, "fortran_order");
  if (order.starts_with("True") && header.shape.size() > 1)
    return fail(ErrorCode::unsupported, "{} is in Fortran's order; write it with numpy.ascontiguousarray",
                name);
  return header;
}

Result<std::vector<Array>> read_arrays(const fs::path& path) {
  std::error_code ignored;
  std::vector<Array> arrays;
  if (fs::is_directory(path, ignored)) {
    NEPH_TRY(arrays, read_folder(path));
  } else if (path.extension() == ending) {
    NEPH_TRY(auto array, read_npy(path));
    arrays.push_back(std::move(array));
  } else {
    NEPH_TRY(arrays, read_npz(path));
  }
  std::ranges::sort(arrays, {}, &Array::name);
  return arrays;
}

Status write_arrays(const std::filesystem::path& path, const std::vector<Array>& arrays) {
  std::uint64_t bytes = 0;
  for (const auto& array : arrays) bytes += array.bytes.size() + 2 * array.name.size() + 256;
  if (bytes >= std::numeric_limits<std::uint32_t>::max() ||
      arrays.size() >= std::numeric_limits<std::uint16_t>::max())
    return fail(ErrorCode::unsupported, "{}: arrays of {} bytes do not fit into a .npz of 4 GiB",
                path.string(), bytes);
  std::string file, directory;
  file.reserve(bytes);
  for (const auto& array : arrays) directory += directory_entry(add_member(file, array));
  const auto at = static_cast<std::uint32_t>(file.size());
  file += directory + "PK\x05\x06" + std::string(4, '\0');
  for (int i = 0; i < 2; ++i) put(file, static_cast<std::uint16_t>(arrays.size()));
  put(file, static_cast<std::uint32_t>(directory.size()));
  put(file, at);
  put(file, std::uint16_t{0});
  return write_file(path, file);
}

}  // namespace neph::data
