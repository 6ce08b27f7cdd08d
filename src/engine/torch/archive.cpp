#include "engine/torch/archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace neph::engine::torch_plugin {
namespace {

// Sizes and marks of the format's records, without what is of variable length.
constexpr std::uint64_t end_bytes = 22, locator_bytes = 20, wide_end_bytes = 56, entry_bytes = 46,
                        local_bytes = 30, longest_comment = 0xffff;
constexpr std::uint64_t end_mark = 0x06054b50, locator_mark = 0x07064b50, wide_end_mark = 0x06064b50,
                        entry_mark = 0x02014b50, local_mark = 0x04034b50;
constexpr std::uint64_t in_wide_field = 0xffffffff;
constexpr std::size_t piece_bytes = 1 << 20;

/// Little-endian; 0 where the text ends before. (Inlined, GCC 12 warns of short strings that it makes up.)
[[gnu::noinline]] std::uint64_t number(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  if (at > text.size() || bytes > text.size() - at) return 0;
  for (auto i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[at + i]);
  return value;
}

tl::unexpected<Error> damaged() {
  return fail(ErrorCode::corrupt, "it is not a whole package: no zip archive, cut short or damaged");
}

/// Numbers that are too large for an entry's own fields stand in an extra one, in this order.
void read_wide(std::string_view extra, Member& member, std::uint64_t& packed) {
  while (extra.size() >= 4) {
    const auto id = number(extra, 0, 2);
    auto field = extra.substr(4, number(extra, 2, 2));
    extra.remove_prefix(4 + field.size());
    if (id != 1) continue;
    for (auto* const value : {&member.bytes, &packed, &member.offset})
      if (*value == in_wide_field && field.size() >= 8) {
        *value = number(field, 0, 8);
        field.remove_prefix(8);
      }
  }
}

/// The checksum of zip archives, from that of the bytes before.
std::uint32_t add_to_crc(std::uint32_t crc, std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      auto value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ 0xedb88320U : value >> 1;
      made[i] = value;
    }
    return made;
  }();
  crc = ~crc;
  for (const auto byte : bytes) crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
  return ~crc;
}

}  // namespace

Result<Archive> Archive::open(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0)
    return tl::unexpected(system_error(path.string(), errno));
  if (!S_ISREG(about.st_mode)) return fail(ErrorCode::invalid_argument, "it is not a file");
  Archive archive(std::move(file), static_cast<std::uint64_t>(about.st_size));
  NEPH_CHECK(archive.list());
  return archive;
}

Result<std::string> Archive::read(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > bytes_ || bytes > bytes_ - offset) return damaged();
  std::string text(bytes, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const auto got =
        ::pread(file_.get(), text.data() + done, text.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(system_error("reading the package", errno));
    if (got == 0) return damaged();
    done += static_cast<std::size_t>(got);
  }
  return text;
}

/// The list of all files, which the record at the archive's end points to.
Result<std::string> Archive::read_directory() const {
  const auto tail_bytes = std::min(bytes_, locator_bytes + end_bytes + longest_comment);
  NEPH_TRY(const auto tail, read(bytes_ - tail_bytes, tail_bytes));
  if (tail.size() < end_bytes) return damaged();
  for (auto at = tail.size() - end_bytes + 1; at-- > 0;) {
    if (number(tail, at, 4) != end_mark) continue;
    auto size = number(tail, at + 12, 4), offset = number(tail, at + 16, 4);
    if (at >= locator_bytes && number(tail, at - locator_bytes, 4) == locator_mark) {
      NEPH_TRY(const auto wide, read(number(tail, at - locator_bytes + 8, 8), wide_end_bytes));
      if (number(wide, 0, 4) != wide_end_mark) return damaged();
      size = number(wide, 40, 8);
      offset = number(wide, 48, 8);
    }
    return read(offset, size);
  }
  return damaged();
}

Status Archive::list() {
  NEPH_TRY(const auto directory, read_directory());
  std::string_view rest = directory;
  std::uint64_t all_bytes = 0;
  while (!rest.empty()) {
    const auto name = number(rest, 28, 2), extra = number(rest, 30, 2), comment = number(rest, 32, 2);
    if (number(rest, 0, 4) != entry_mark || rest.size() < entry_bytes + name + extra + comment)
      return damaged();
    Member member{.name = std::string(rest.substr(entry_bytes, name)),
                  .offset = number(rest, 42, 4),
                  .bytes = number(rest, 24, 4),
                  .crc = static_cast<std::uint32_t>(number(rest, 16, 4))};
    auto packed = number(rest, 20, 4);
    read_wide(rest.substr(entry_bytes + name, extra), member, packed);
    const bool is_encrypted = (number(rest, 8, 2) & 1) != 0;
    if (is_encrypted || number(rest, 10, 2) != 0)
      return fail(ErrorCode::unsupported,
                  "its files are compressed or encrypted, which torch does not do; save it anew by torch");
    all_bytes += member.bytes;
    if (packed != member.bytes || member.bytes > bytes_ || all_bytes > bytes_) return damaged();
    members_.push_back(std::move(member));
    rest.remove_prefix(entry_bytes + name + extra + comment);
  }
  return {};
}

Status Archive::unpack(const Member& member, const std::filesystem::path& to) const {
  NEPH_TRY(const auto local, read(member.offset, local_bytes));
  if (number(local, 0, 4) != local_mark) return damaged();
  auto at = member.offset + local_bytes + number(local, 26, 2) + number(local, 28, 2);
  std::ofstream out(to, std::ios::binary);
  std::uint32_t crc = 0;
  for (auto left = member.bytes; left > 0 && out;) {
    NEPH_TRY(const auto piece, read(at, std::min<std::uint64_t>(left, piece_bytes)));
    crc = add_to_crc(crc, piece);
    out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    at += piece.size();
    left -= piece.size();
  }
  out.close();
  if (!out)
    return fail(ErrorCode::io, "{} cannot be written: {} bytes are needed there (TMPDIR says where)",
                to.string(), member.bytes);
  return crc == member.crc ? Status() : damaged();
}

}  // namespace neph::engine::torch_plugin
