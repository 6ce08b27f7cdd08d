// Files from front to back, plain or compressed by gzip.
#include <algorithm>
#include <cerrno>

#include <sys/stat.h>
#include <zlib.h>

#include "core/units.hpp"
#include "data/readers.hpp"
#include "os/memory.hpp"

namespace neph::data {
namespace {

constexpr std::uint64_t deflate_ratio = 1032;  // zlib's technical notes: 258 bytes from two bits is the most

/// zlib reads a file that is not gzip's as it is.
class FileBytes final : public ByteSource {
 public:
  FileBytes(gzFile file, std::string name, std::uint64_t bytes)
      : file_(file), name_(std::move(name)), left_(gzdirect(file) ? bytes : bytes * deflate_ratio) {}
  ~FileBytes() override { gzclose_r(file_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  Result<std::size_t> read(std::span<std::uint8_t> into) override {
    constexpr std::size_t piece = 1 << 30;  // gzread counts in an int
    std::size_t got = 0;
    while (got < into.size()) {
      const auto wanted = static_cast<unsigned>(std::min(piece, into.size() - got));
      const int count = gzread(file_, into.data() + got, wanted);
      if (count < 0) return failed();
      got += static_cast<std::size_t>(count);
      if (static_cast<unsigned>(count) < wanted) break;
    }
    left_ -= std::min<std::uint64_t>(left_, got);
    return got;
  }
  std::uint64_t at_most() const override { return left_; }

 private:
  tl::unexpected<Error> failed() const {
    const int number = errno;
    int code = Z_OK;
    const char* said = gzerror(file_, &code);
    if (code == Z_ERRNO) return tl::unexpected(system_error(name_, number));
    if (code == Z_BUF_ERROR) return fail(ErrorCode::corrupt, "{} is cut short", name_);
    return fail(ErrorCode::corrupt, "{} is damaged: {}", name_, said);
  }

  gzFile file_;
  std::string name_;
  std::uint64_t left_;
};

/// "NAME is cut short: 1,234 of its 47,040,016 bytes are missing".
tl::unexpected<Error> cut_short(const std::string& name, std::uint64_t missing, std::uint64_t total) {
  return tl::unexpected(
      Error{ErrorCode::corrupt,
            fmt::format("{} is cut short: {} of its {} bytes {} missing", name,
                        format_grouped(static_cast<std::int64_t>(missing)),
                        format_grouped(static_cast<std::int64_t>(total)), missing == 1 ? "is" : "are"),
            "get the file again"});
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return tl::unexpected(system_error(path.string(), errno));
  if (!S_ISREG(about.st_mode)) return fail(ErrorCode::invalid_argument, "{} is not a file", path.string());
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return tl::unexpected(system_error(path.string(), errno ? errno : ENOMEM));
  gzbuffer(file, 1 << 18);
  return std::make_unique<FileBytes>(file, path.string(), static_cast<std::uint64_t>(about.st_size));
}

Status read_whole(ByteSource& source, std::span<std::uint8_t> into, const std::string& name,
                  std::uint64_t before, std::uint64_t total) {
  NEPH_TRY(const auto got, source.read(into));
  if (got < into.size()) return cut_short(name, total - before - got, total);
  return {};
}

Result<std::vector<std::uint8_t>> read_count(ByteSource& source, std::uint64_t count, const std::string& name,
                                             std::uint64_t before) {
  const auto there = std::min(count, source.at_most());  // a header may claim anything
  NEPH_CHECK(enough_memory(there, name));
  std::vector<std::uint8_t> bytes(there);
  NEPH_CHECK(read_whole(source, bytes, name, before, before + count));
  if (there < count) return cut_short(name, count - there, before + count);
  return bytes;
}

}  // namespace neph::data
