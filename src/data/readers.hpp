// The files that data sets lie in: plain or compressed by gzip, tar, zip, .npy. Only for files of this
// module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "os/descriptors.hpp"

namespace neph::data {

/// Bytes one after the other.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `into` as far as there are bytes; fewer only at the end. Errors: corrupt, io.
  virtual Result<std::size_t> read(std::span<std::uint8_t> into) = 0;
  /// No more than these can still come: what a header may claim without being believed.
  virtual std::uint64_t at_most() const = 0;
};

/// A file, unpacked if it is gzip's. Errors: not_found, unavailable, invalid_argument (a folder), io.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path);

/// All of `into`. Errors: corrupt (`name` is cut short, and by how much of `total` bytes, of which `before`
/// were read already).
Status read_whole(ByteSource& source, std::span<std::uint8_t> into, const std::string& name,
                  std::uint64_t before, std::uint64_t total);
/// `count` bytes, all that are left of `before` + `count`. Errors: corrupt (fewer), unavailable (memory).
Result<std::vector<std::uint8_t>> read_count(ByteSource& source, std::uint64_t count, const std::string& name,
                                             std::uint64_t before);

/// The names of the files in a tar archive, from front to back: ustar, GNU's long names, pax.
class TarNames {
 public:
  /// `source` outlives it; `name` is the archive's, for messages.
  TarNames(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// Empty behind the last. Errors: corrupt (damaged, cut short), io.
  Result<std::optional<std::string>> next();

 private:
  Status skip(std::uint64_t count);
  Result<std::string> text_of_entry();
  Status read_extended();

  ByteSource& source_;
  std::string name_;
  std::uint64_t left_ = 0, padding_ = 0;    ///< of the last entry
  std::string next_name_;                   ///< of a long name's entry or a pax header
  std::optional<std::uint64_t> next_size_;  ///< of a pax header
};

struct ZipMember {
  std::string name;
  std::uint64_t offset = 0;  ///< of its local header
  std::uint64_t packed = 0, size = 0;
  std::uint32_t crc = 0;
  int method = 0;  ///< 0: stored, 8: deflated
};

/// A zip file, with zip64 (numpy writes it).
class ZipFile {
 public:
  /// Errors: not_found, unavailable, io, corrupt (no zip file, cut short, damaged), unsupported (encryption).
  static Result<ZipFile> open(const std::filesystem::path& path);

  const std::vector<ZipMember>& members() const { return members_; }
  /// Its content; the checksum is looked at when the last byte was read. This outlives it. Errors: corrupt,
  /// unsupported (another compression).
  Result<std::unique_ptr<ByteSource>> open_member(const ZipMember& member, const std::string& name) const;

  /// All of `into`, from `offset`. Errors: corrupt (behind the end), io.
  Status read_at(std::uint64_t offset, std::span<std::uint8_t> into) const;

 private:
  Result<std::vector<std::uint8_t>> directory() const;
  Status list();

  Descriptor file_;
  std::uint64_t size_ = 0;
  std::string name_;
  std::vector<ZipMember> members_;
};

/// numpy's .npy: a header that is a Python dictionary, then the elements.
struct NpyHeader {
  char kind = 'u';        ///< 'u', 'i', 'f', 'b'
  std::size_t width = 1;  ///< bytes of an element, little-endian
  std::vector<std::int64_t> shape;
  std::uint64_t header_bytes = 0;
  std::uint64_t bytes = 0;  ///< of all elements
};
/// Errors: corrupt, unsupported (other elements, big-endian, Fortran's order).
Result<NpyHeader> read_npy_header(ByteSource& source, const std::string& name);

}  // namespace neph::data
