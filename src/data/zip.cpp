#include "data/zip.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "os/process.hpp"

namespace neph::data {
namespace {

constexpr std::uint64_t end_bytes = 22, locator_bytes = 20, end64_bytes = 56, entry_bytes = 46,
                        local_bytes = 30;
constexpr std::uint32_t end_mark = 0x06054b50, locator_mark = 0x07064b50, end64_mark = 0x06064b50,
                        entry_mark = 0x02014b50, local_mark = 0x04034b50;
constexpr std::uint64_t see_extra = 0xffffffff;  ///< the number stands in a zip64 field

/// A little-endian number; the caller has seen that it is there.
std::uint64_t number(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

class DiskBytes final : public RandomBytes {
 public:
  DiskBytes(Descriptor file, std::uint64_t size, std::string name)
      : file_(std::move(file)), size_(size), name_(std::move(name)) {}
  std::uint64_t size() const override { return size_; }
  Status read_at(std::uint64_t offset, std::span<std::uint8_t> into) const override {
    while (!into.empty()) {
      const auto got = ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return tl::unexpected(system_error(name_, errno));
      if (got == 0) return fail(ErrorCode::corrupt, "{} is cut short", name_);
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }

 private:
  Descriptor file_;
  std::uint64_t size_;
  std::string name_;
};

class MemberBytes final : public ByteSource {
 public:
  MemberBytes(const RandomBytes& file, std::uint64_t offset, ZipMember member, std::string name)
      : file_(file),
        at_(offset),
        packed_left_(member.packed),
        left_(member.size),
        member_(std::move(member)),
        name_(std::move(name)),
        buffer_(1 << 18) {
    inflateInit2(&stream_, -15);
  }
  ~MemberBytes() override { inflateEnd(&stream_); }
  MemberBytes(const MemberBytes&) = delete;
  MemberBytes& operator=(const MemberBytes&) = delete;

  std::uint64_t at_most() const override {
    constexpr std::uint64_t deflate_ratio = 1032;
    const auto most = member_.method == 0 ? member_.packed : member_.packed * deflate_ratio;
    return std::min(left_, most);
  }
  Result<std::size_t> read(std::span<std::uint8_t> into) override {
    into = into.first(std::min<std::uint64_t>(into.size(), left_));
    if (into.empty()) return 0;
    NEPH_CHECK(member_.method == 0 ? take(into) : unpack(into));
    for (auto part = into; !part.empty(); part = part.subspan(std::min<std::size_t>(part.size(), 1 << 30)))
      crc_ = crc32(crc_, part.data(), static_cast<uInt>(std::min<std::size_t>(part.size(), 1 << 30)));
    left_ -= into.size();
    if (left_ == 0 && crc_ != member_.crc) return fail(ErrorCode::corrupt, "{}: its checksum differs", name_);
    return into.size();
  }

 private:
  Status take(std::span<std::uint8_t> into) {
    NEPH_CHECK(file_.read_at(at_, into));
    at_ += into.size();
    return {};
  }
  Status unpack(std::span<std::uint8_t> into) {
    while (!into.empty()) {
      if (stream_.avail_in == 0 && packed_left_ > 0) {
        const auto more = std::span(buffer_).first(std::min<std::uint64_t>(buffer_.size(), packed_left_));
        NEPH_CHECK(take(more));
        packed_left_ -= more.size();
        stream_.next_in = more.data();
        stream_.avail_in = static_cast<uInt>(more.size());
      }
      const auto room = static_cast<uInt>(std::min<std::size_t>(into.size(), 1 << 30));
      stream_.next_out = into.data();
      stream_.avail_out = room;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      into = into.subspan(room - stream_.avail_out);
      const bool is_over = code == Z_STREAM_END && !into.empty();
      if (is_over || (code != Z_OK && code != Z_STREAM_END))
        return fail(ErrorCode::corrupt, "{} is damaged: its deflated data {}", name_,
                    is_over ? "end too early" : "are none");
    }
    return {};
  }

  const RandomBytes& file_;
  std::uint64_t at_, packed_left_, left_;
  ZipMember member_;
  std::string name_;
  std::vector<std::uint8_t> buffer_;
  z_stream stream_{};
  uLong crc_ = 0;
};

struct Directory {
  std::uint64_t offset = 0, size = 0;
};

/// The end's record, which a comment may follow.
Result<Directory> find_directory(const RandomBytes& file, const std::string& name) {
  const auto tail_size = std::min<std::uint64_t>(file.size(), end_bytes + 0xffff + locator_bytes);
  std::vector<std::uint8_t> tail(tail_size);
  NEPH_CHECK(file.read_at(file.size() - tail_size, tail));
  for (auto at = tail_size >= end_bytes ? tail_size - end_bytes + 1 : 0; at-- > 0;) {
    if (number(tail, at, 4) != end_mark) continue;
    Directory directory{number(tail, at + 16, 4), number(tail, at + 12, 4)};
    if (at >= locator_bytes && number(tail, at - locator_bytes, 4) == locator_mark) {
      std::array<std::uint8_t, end64_bytes> end64{};
      const auto where = number(tail, at - locator_bytes + 8, 8);
      if (file.size() < end64_bytes || where > file.size() - end64_bytes)
        return fail(ErrorCode::corrupt, "{} is a damaged zip file", name);
      NEPH_CHECK(file.read_at(where, end64));
      if (number(end64, 0, 4) == end64_mark) directory = {number(end64, 48, 8), number(end64, 40, 8)};
    }
    if (directory.offset > file.size() || directory.size > file.size() - directory.offset)
      return fail(ErrorCode::corrupt, "{} is a zip file that was cut short or damaged", name);
    return directory;
  }
  return fail(ErrorCode::corrupt, "{} is no zip file, or cut short: its end is missing", name);
}

/// Numbers that were too large for their places, in this order, each only if it was.
void take_zip64(std::span<const std::uint8_t> extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const auto id = number(extra, 0, 2);
    const auto size = std::min<std::size_t>(number(extra, 2, 2), extra.size() - 4);
    auto field = extra.subspan(4, size);
    if (id == 1)
      for (auto* value : {&member.size, &member.packed, &member.offset})
        if (*value == see_extra && field.size() >= 8) {
          *value = number(field, 0, 8);
          field = field.subspan(8);
        }
    extra = extra.subspan(4 + size);
  }
}

}  // namespace

Result<std::unique_ptr<RandomBytes>> open_random(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0)
    return tl::unexpected(system_error(path.string(), errno));
  return std::make_unique<DiskBytes>(std::move(file), static_cast<std::uint64_t>(about.st_size),
                                     path.string());
}

Result<std::vector<ZipMember>> list_zip(const RandomBytes& file, const std::string& name) {
  NEPH_TRY(const auto directory, find_directory(file, name));
  std::vector<std::uint8_t> bytes(directory.size);
  NEPH_CHECK(file.read_at(directory.offset, bytes));
  std::vector<ZipMember> members;
  std::span<const std::uint8_t> rest = bytes;
  while (rest.size() >= entry_bytes && number(rest, 0, 4) == entry_mark) {
    const auto names = number(rest, 28, 2), extras = number(rest, 30, 2), comment = number(rest, 32, 2);
    if (rest.size() - entry_bytes < names + extras + comment) break;
    ZipMember member{
        .name = {rest.begin() + entry_bytes, rest.begin() + static_cast<std::ptrdiff_t>(entry_bytes + names)},
        .offset = number(rest, 42, 4),
        .packed = number(rest, 20, 4),
        .size = number(rest, 24, 4),
        .crc = static_cast<std::uint32_t>(number(rest, 16, 4)),
        .method = static_cast<int>(number(rest, 10, 2))};
    take_zip64(rest.subspan(entry_bytes + names, extras), member);
    if ((number(rest, 8, 2) & 1) != 0)
      return fail(ErrorCode::unsupported, "{}: {} is encrypted", name, member.name);
    members.push_back(std::move(member));
    rest = rest.subspan(entry_bytes + names + extras + comment);
  }
  if (!rest.empty()) return fail(ErrorCode::corrupt, "{} has a damaged list of members", name);
  return members;
}

Result<std::unique_ptr<ByteSource>> open_member(const RandomBytes& file, const ZipMember& member,
                                                const std::string& name) {
  if (member.method != 0 && member.method != 8)
    return fail(ErrorCode::unsupported, "{} is compressed by method {}; stored and deflated are read", name,
                member.method);
  std::array<std::uint8_t, local_bytes> local{};
  if (file.size() < local_bytes || member.offset > file.size() - local_bytes)
    return fail(ErrorCode::corrupt, "{} lies behind the file's end", name);
  NEPH_CHECK(file.read_at(member.offset, local));
  const auto begin = member.offset + local_bytes + number(local, 26, 2) + number(local, 28, 2);
  if (number(local, 0, 4) != local_mark || begin > file.size() || member.packed > file.size() - begin ||
      (member.method == 0 && member.packed != member.size))
    return fail(ErrorCode::corrupt, "{} is damaged or cut short", name);
  return std::make_unique<MemberBytes>(file, begin, member, name);
}

}  // namespace neph::data
