#include "compare/noise.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/json.hpp"
#include "os/file.hpp"
#include "os/process.hpp"
#include "stats/stats.hpp"

namespace neph::compare {
namespace {

constexpr std::int64_t fewest = 5;

std::optional<NoiseEntry> entry_of(const std::string& line) {
  const auto json = parse_json(line, "noise");
  if (!json) return std::nullopt;
  const auto entry = from_json<NoiseEntry>(*json, "");
  if (!entry || !(entry->ratio > 0) || !std::isfinite(entry->ratio)) return std::nullopt;
  return *entry;
}

/// Also where it is empty, or not there.
bool ends_with_a_line(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream || stream.tellg() <= 0) return true;
  stream.seekg(-1, std::ios::end);
  return stream.get() == '\n';
}

}  // namespace

std::filesystem::path noise_file() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::filesystem::path(state) / "neph/noise.jsonl";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".local/state/neph/noise.jsonl";
  return cache_folder() / "noise.jsonl";
}

Status keep_noise(const std::filesystem::path& file, const Comparison& comparison) {
  std::string lines;
  for (const auto& row : comparison.rows)
    if (row.ratio.value > 0 && (!row.is_paired || row.ratio.n >= fewest))
      lines +=
          dump_json(to_json(NoiseEntry{comparison.machine, row.metric, row.is_paired, row.ratio.value})) +
          "\n";
  if (comparison.machine.empty() || lines.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  // In one write: others may write too. One may have died in the middle of a line.
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  const Descriptor closing(descriptor);
  if (!ends_with_a_line(file)) lines.insert(0, "\n");
  if (descriptor < 0 || ::write(descriptor, lines.data(), lines.size()) != std::ssize(lines))
    return tl::unexpected(system_error(fmt::format("cannot write {}", file.string()), errno));
  return {};
}

std::optional<NoiseFloor> noise_floor(const std::filesystem::path& file, const NoiseEntry& like) {
  std::ifstream stream(file);
  double squares = 0;
  std::int64_t n = 0;
  for (std::string line; std::getline(stream, line);) {
    const auto entry = entry_of(line);
    if (!entry || entry->machine != like.machine || entry->metric != like.metric ||
        entry->is_paired != like.is_paired)
      continue;
    squares += std::log(entry->ratio) * std::log(entry->ratio);
    ++n;
  }
  if (n < fewest) return std::nullopt;
  const double deviation = std::sqrt(squares / static_cast<double>(n));
  return NoiseFloor{.comparisons = n, .share = std::expm1(stats::student_errors(n + 1) * deviation)};
}

}  // namespace neph::compare
