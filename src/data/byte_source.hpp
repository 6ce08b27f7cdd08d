// Bytes one after the other, wherever they come from: a file, plain or compressed with gzip, or memory. Only
// for files of this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::data {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `into` as far as there are bytes; fewer only at the end. Errors: corrupt, io.
  virtual Result<std::size_t> read(std::span<std::uint8_t> into) = 0;
  /// No more than these can still come: what a header may claim without being believed.
  virtual std::uint64_t at_most() const = 0;
  /// Whether compressed bytes ended before their own end.
  virtual bool is_cut() const { return false; }
};

/// A file, unpacked if it is gzip's. Errors: not_found, unavailable, invalid_argument (a folder), io.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path);

class MemoryBytes final : public ByteSource {
 public:
  /// `bytes` outlive it.
  explicit MemoryBytes(std::span<const std::uint8_t> bytes) : left_(bytes) {}
  Result<std::size_t> read(std::span<std::uint8_t> into) override;
  std::uint64_t at_most() const override { return left_.size(); }

 private:
  std::span<const std::uint8_t> left_;
};

/// All of `into`. Errors: corrupt (`name` is cut short, and by how much of `total` bytes, of which `before`
/// were read already).
Status read_whole(ByteSource& source, std::span<std::uint8_t> into, const std::string& name,
                  std::uint64_t before, std::uint64_t total);
/// `count` bytes, all that are left of `before` + `count`. Errors: corrupt (fewer), unavailable (memory).
Result<std::vector<std::uint8_t>> read_count(ByteSource& source, std::uint64_t count, const std::string& name,
                                             std::uint64_t before);
/// That nothing comes any more, and that gzip's checksum agreed. Errors: corrupt.
Status expect_end(ByteSource& source, const std::string& name);

/// "NAME is cut short: 1,234 of its 47,040,016 bytes are missing".
tl::unexpected<Error> cut_short(const std::string& name, std::uint64_t missing, std::uint64_t total);

/// 47040016 → "47,040,016".
std::string grouped(std::uint64_t number);

}  // namespace neph::data
