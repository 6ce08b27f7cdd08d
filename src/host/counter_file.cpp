#include "host/counter_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace neph::host {

CounterFile::CounterFile(std::filesystem::path path, std::size_t expected_bytes)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)),
      error_(descriptor_.is_open() ? 0 : errno),
      buffer_(expected_bytes, '\0') {}

std::optional<std::size_t> CounterFile::read_into_buffer() {
  if (!descriptor_.is_open()) return std::nullopt;
  const auto size = ::pread(descriptor_.get(), buffer_.data(), buffer_.size(), 0);
  if (size < 0) {
    error_ = errno;
    return std::nullopt;
  }
  return static_cast<std::size_t>(size);
}

std::optional<std::string_view> CounterFile::read_head() {
  const auto size = read_into_buffer();
  if (!size) return std::nullopt;
  return std::string_view(buffer_.data(), *size);
}

std::optional<std::string_view> CounterFile::read() {
  auto size = read_into_buffer();
  while (size && *size == buffer_.size()) {  // there may be more
    buffer_.resize(2 * buffer_.size());
    size = read_into_buffer();
  }
  if (!size) return std::nullopt;
  return std::string_view(buffer_.data(), *size);
}

std::string CounterFile::why() const { return fmt::format("{}: {}", path_.string(), std::strerror(error_)); }

bool Scanner::seek(std::string_view key) {
  while (!rest_.starts_with(key))
    if (!next_line()) return false;
  rest_.remove_prefix(key.size());
  if (rest_.empty() || (rest_.front() != ' ' && rest_.front() != ':' && rest_.front() != '\t'))
    return next_line() && seek(key);  // a longer key that begins like this one
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t:"), rest_.size()));
  return true;
}

std::optional<std::uint64_t> Scanner::number() {
  const auto begin = rest_.find_first_of("0123456789\n");
  if (begin == rest_.npos || rest_[begin] == '\n') return std::nullopt;
  std::uint64_t value = 0;
  const auto* first = rest_.data() + begin;
  const auto [end, error] = std::from_chars(first, rest_.data() + rest_.size(), value);
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::string_view Scanner::word() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  const auto end = std::min(rest_.find_first_of(" \t\n"), rest_.size());
  const auto found = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return found;
}

bool Scanner::next_line() {
  const auto end = rest_.find('\n');
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  return !rest_.empty();
}

}  // namespace neph::host
