// Members stored or deflated, zip64.
#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "data/readers.hpp"

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

class MemberBytes final : public ByteSource {
 public:
  MemberBytes(const ZipFile& file, std::uint64_t offset, ZipMember member, std::string name)
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
    return std::min(left_, member_.packed * deflate_ratio);
  }
  Result<std::size_t> read(std::span<std::uint8_t> into) override {
    into = into.first(std::min<std::uint64_t>(into.size(), left_));
    if (into.empty()) return 0;
    NEPH_CHECK(member_.method == 0 ? take(into) : unpack(into));
    crc_ = crc32_z(crc_, into.data(), into.size());
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

  const ZipFile& file_;
  std::uint64_t at_, packed_left_, left_;
  ZipMember member_;
  std::string name_;
  std::vector<std::uint8_t> buffer_;
  z_stream stream_{};
  uLong crc_ = 0;
};

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

Result<ZipFile> ZipFile::open(const std::filesystem::path& path) {
  ZipFile zip;
  zip.name_ = path.string();
  zip.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!zip.file_.is_open() || ::fstat(zip.file_.get(), &about) != 0)
    return tl::unexpected(system_error(zip.name_, errno));
  zip.size_ = static_cast<std::uint64_t>(about.st_size);
  NEPH_CHECK(zip.list());
  return zip;
}

Status ZipFile::read_at(std::uint64_t offset, std::span<std::uint8_t> into) const {
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

/// The list of members: behind them, and before the end's record, which a comment may follow.
Result<std::vector<std::uint8_t>> ZipFile::directory() const {
  std::vector<std::uint8_t> tail(std::min<std::uint64_t>(size_, end_bytes + 0xffff + locator_bytes));
  NEPH_CHECK(read_at(size_ - tail.size(), tail));
  for (auto at = tail.size() >= end_bytes ? tail.size() - end_bytes + 1 : 0; at-- > 0;) {
    if (number(tail, at, 4) != end_mark) continue;
    auto offset = number(tail, at + 16, 4), size = number(tail, at + 12, 4);
    if (at >= locator_bytes && number(tail, at - locator_bytes, 4) == locator_mark) {
      std::array<std::uint8_t, end64_bytes> end64{};
      const auto where = number(tail, at - locator_bytes + 8, 8);
      if (size_ < end64_bytes || where > size_ - end64_bytes)
        return fail(ErrorCode::corrupt, "{} is a damaged zip file", name_);
      NEPH_CHECK(read_at(where, end64));
      if (number(end64, 0, 4) == end64_mark) offset = number(end64, 48, 8), size = number(end64, 40, 8);
    }
    if (offset > size_ || size > size_ - offset)
      return fail(ErrorCode::corrupt, "{} is a zip file that was cut short or damaged", name_);
    std::vector<std::uint8_t> bytes(size);
    NEPH_CHECK(read_at(offset, bytes));
    return bytes;
  }
  return fail(ErrorCode::corrupt, "{} is not a zip file, or is cut short: its end is missing", name_);
}

Status ZipFile::list() {
  NEPH_TRY(const auto bytes, directory());
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
      return fail(ErrorCode::unsupported, "{}: {} is encrypted", name_, member.name);
    members_.push_back(std::move(member));
    rest = rest.subspan(entry_bytes + names + extras + comment);
  }
  if (!rest.empty()) return fail(ErrorCode::corrupt, "{} has a damaged list of members", name_);
  return {};
}

Result<std::unique_ptr<ByteSource>> ZipFile::open_member(const ZipMember& member,
                                                         const std::string& name) const {
  if (member.method != 0 && member.method != 8)
    return fail(ErrorCode::unsupported, "{} is compressed by method {}; stored and deflated are read", name,
                member.method);
  std::array<std::uint8_t, local_bytes> local{};
  if (size_ < local_bytes || member.offset > size_ - local_bytes)
    return fail(ErrorCode::corrupt, "{} lies behind the file's end", name);
  NEPH_CHECK(read_at(member.offset, local));
  const auto begin = member.offset + local_bytes + number(local, 26, 2) + number(local, 28, 2);
  if (number(local, 0, 4) != local_mark || begin > size_ || member.packed > size_ - begin ||
      (member.method == 0 && member.packed != member.size))
    return fail(ErrorCode::corrupt, "{} is damaged or cut short", name);
  return std::make_unique<MemberBytes>(*this, begin, member, name);
}

}  // namespace neph::data
