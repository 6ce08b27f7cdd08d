#include "os/records.hpp"

#include <algorithm>
#include <charconv>

#include "core/text.hpp"
#include "os/file.hpp"

namespace neph {
namespace {

constexpr std::int64_t most_cpus = 1 << 16;  // a list that claims more is not one

std::vector<std::string> parts(std::string_view text, std::string_view separators) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find_first_not_of(separators, at)) != text.npos;) {
    const auto end = std::min(text.find_first_of(separators, at), text.size());
    found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

}  // namespace

bool Records::exists(std::string_view file) const {
  std::error_code error;
  return std::filesystem::exists(path(file), error);
}

std::optional<std::string> Records::text(std::string_view file) const {
  const auto content = read_file(path(file));
  if (!content) return std::nullopt;
  const auto text = trimmed(*content);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

std::optional<std::int64_t> Records::number(std::string_view file) const {
  const auto content = text(file);
  return content ? to_number(*content) : std::nullopt;
}

std::vector<std::int64_t> Records::numbered(std::string_view folder, std::string_view prefix) const {
  std::vector<std::int64_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    if (const auto number = to_number(std::string_view(name).substr(prefix.size()))) found.push_back(*number);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<std::int64_t> to_number(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> to_bytes(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  constexpr std::string_view suffixes = "KMG";
  std::int64_t unit = 1;
  if (const auto power = suffixes.find(text.back()); power != suffixes.npos) {
    unit = std::int64_t{1024} << (10 * power);
    text.remove_suffix(1);
  }
  const auto number = to_number(text);
  if (!number || *number < 0) return std::nullopt;
  return *number * unit;
}

std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    auto line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key)) continue;
    line = line.substr(key.size());
    const auto separator = line.find_first_not_of(" \t");
    if (separator == line.npos) continue;
    if (line[separator] == ':') return std::string(trimmed(line.substr(separator + 1)));
    if (separator > 0) return std::string(trimmed(line));
  }
  return std::nullopt;
}

std::optional<std::int64_t> kibibytes_of(std::string_view text, std::string_view key) {
  auto value = value_of(text, key);
  if (!value || !value->ends_with("kB")) return std::nullopt;
  value->resize(value->size() - 2);
  const auto number = to_number(*value);
  if (!number) return std::nullopt;
  return *number * 1024;
}

std::optional<std::vector<std::int64_t>> to_cpus(std::string_view list) {
  std::vector<std::int64_t> cpus;
  for (const auto& range : parts(list, ", \n")) {
    const auto dash = range.find('-');
    const auto first = to_number(std::string_view(range).substr(0, dash));
    const auto last = dash == range.npos ? first : to_number(std::string_view(range).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most_cpus) return std::nullopt;
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  if (cpus.empty()) return std::nullopt;
  return cpus;
}

std::vector<std::string> words(std::string_view text) { return parts(text, " \t\n\r"); }
std::vector<std::string> lines(std::string_view text) { return parts(text, "\n"); }

}  // namespace neph
