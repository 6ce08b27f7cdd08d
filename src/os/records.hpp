// Reading the kernel's small text files, once (counters that are read again and again: counter_file.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neph {

/// The tree below which proc, sys and etc lie: "/" on the live machine, a recorded tree in tests.
class Records {
 public:
  explicit Records(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path path(std::string_view file) const { return root_ / file; }
  bool is_live() const { return root_ == "/"; }
  bool exists(std::string_view file) const;
  /// Whole content without white space at its ends; empty if it cannot be read or holds nothing.
  std::optional<std::string> text(std::string_view file) const;
  std::optional<std::int64_t> number(std::string_view file) const;
  /// Names in a folder that are `prefix` and a number, by that number ("cpu0", "cpu1", "cpu10").
  std::vector<std::int64_t> numbered(std::string_view folder, std::string_view prefix) const;

 private:
  std::filesystem::path root_;
};

std::optional<std::int64_t> to_number(std::string_view text);
/// "48K", "2M", as /sys writes cache sizes.
std::optional<std::int64_t> to_bytes(std::string_view text);
/// What follows "key:" (or "key" and a blank) at the start of a line.
std::optional<std::string> value_of(std::string_view text, std::string_view key);
/// The same for "key: 123 kB", in bytes.
std::optional<std::int64_t> kibibytes_of(std::string_view text, std::string_view key);
/// "0-3,8" → 0, 1, 2, 3, 8; nothing if it is not such a list.
std::optional<std::vector<std::int64_t>> to_cpus(std::string_view list);
std::vector<std::string> words(std::string_view text);
std::vector<std::string> lines(std::string_view text);

}  // namespace neph
