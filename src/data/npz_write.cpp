// Arrays into a .npz, stored and not deflated, as numpy.savez() does.
#include <limits>

#include <fmt/ranges.h>
#include <zlib.h>

#include "data/data.hpp"
#include "os/file.hpp"

namespace neph::data {
namespace {

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
