// A small file of the kernel's that is read again and again: kept open, read with one pread, parsed where it
// lies. Reading allocates only when a file has outgrown its buffer.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "os/descriptors.hpp"

namespace neph::host {

class CounterFile {
 public:
  CounterFile() = default;
  /// `expected_bytes`: as much as is read at once.
  explicit CounterFile(std::filesystem::path path, std::size_t expected_bytes = 1024);

  /// The content as it is now, valid until the next call; empty when it cannot be read (then why() says why).
  std::optional<std::string_view> read();
  /// The first `expected_bytes` only: for long files whose first lines are what counts.
  std::optional<std::string_view> read_head();
  /// "/proc/pressure/cpu: No such file or directory".
  std::string why() const;

 private:
  std::optional<std::size_t> read_into_buffer();

  std::filesystem::path path_;
  Descriptor descriptor_;
  int error_ = 0;
  std::string buffer_;
};

/// Walks over numbers and words in a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  /// Moves behind the first line start with `key` and whatever blanks and colons follow it. False: no such
  /// line.
  bool seek(std::string_view key);
  /// The next word of digits, also in the middle of "total=123"; empty when the line has no more.
  std::optional<std::uint64_t> number();
  std::string_view word();
  bool skip(int count) {
    while (count-- > 0)
      if (word().empty()) return false;
    return true;
  }
  bool next_line();
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// The number after `key` at the start of a line.
inline std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  Scanner scanner(text);
  if (!scanner.seek(key)) return std::nullopt;
  return scanner.number();
}

}  // namespace neph::host
