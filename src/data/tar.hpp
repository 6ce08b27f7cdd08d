// A tar archive, read from front to back without unpacking: ustar, GNU's long names, pax. Only for files of
// this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/byte_source.hpp"

namespace neph::data {

struct TarEntry {
  std::string name;
  std::uint64_t size = 0;
  bool is_file = false;
};

/// As a ByteSource it gives the content of the entry that next() gave last.
class TarReader final : public ByteSource {
 public:
  /// `source` outlives it; `name` is the archive's, for messages.
  TarReader(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// Empty behind the last. Errors: corrupt (damaged, cut short), io.
  Result<std::optional<TarEntry>> next();
  Result<std::size_t> read(std::span<std::uint8_t> into) override;
  std::uint64_t at_most() const override;

 private:
  Status skip(std::uint64_t count);
  Result<std::string> text_of_entry(std::uint64_t size);
  Status read_extended(std::uint64_t size);

  ByteSource& source_;
  std::string name_;
  std::uint64_t left_ = 0, padding_ = 0;
  std::string next_name_;                   ///< of a long name's entry or a pax header
  std::optional<std::uint64_t> next_size_;  ///< of a pax header
};

}  // namespace neph::data
