// A zip file's members, stored or deflated, with zip64 (numpy writes it). Only for files of this module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.hpp"

namespace neph::data {

/// Bytes at any place.
class RandomBytes {
 public:
  virtual ~RandomBytes() = default;
  virtual std::uint64_t size() const = 0;
  /// All of `into`, from `offset`. Errors: corrupt (behind the end), io.
  virtual Status read_at(std::uint64_t offset, std::span<std::uint8_t> into) const = 0;
};

/// Errors: not_found, unavailable, io.
Result<std::unique_ptr<RandomBytes>> open_random(const std::filesystem::path& path);

struct ZipMember {
  std::string name;
  std::uint64_t offset = 0;  ///< of its local header
  std::uint64_t packed = 0, size = 0;
  std::uint32_t crc = 0;
  int method = 0;  ///< 0: stored, 8: deflated
};

/// Errors: corrupt (no zip file, cut short, damaged), unsupported (parts, encryption).
Result<std::vector<ZipMember>> list_zip(const RandomBytes& file, const std::string& name);
/// Its content; the checksum is looked at when the last byte was read. `file` outlives it.
Result<std::unique_ptr<ByteSource>> open_member(const RandomBytes& file, const ZipMember& member,
                                                const std::string& name);

}  // namespace neph::data
