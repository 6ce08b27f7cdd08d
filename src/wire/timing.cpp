#include "wire/timing.hpp"

#include <charconv>

#include <fmt/compile.h>

namespace neph::wire {
void append_timing(const StageTimes& stages, std::string& text) {
  bool first = true;
  for (const auto& stage : timed_stages) {
    const auto us = (stages.*stage.time).count() / 1000;
    if (us <= 0) continue;
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}{};dur={}.{:03}"), first ? "" : ", ", stage.name,
                   us / 1000, us % 1000);
    first = false;
  }
}

StageTimes parse_timing(std::string_view text) {
  StageTimes stages;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto item = text.substr(0, comma);
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    const auto name = item.substr(0, item.find(';'));
    constexpr std::string_view duration = ";dur=";
    const auto at = item.find(duration);
    for (const auto& stage : timed_stages) {
      if (name != stage.name || at == std::string_view::npos) continue;
      double ms = 0;
      const auto digits = item.substr(at + duration.size());
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), ms);
      if (read.ec == std::errc{} && ms >= 0 && ms < 1e9) stages.*stage.time = from_seconds(ms * 1e-3);
    }
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 1);
  }
  return stages;
}

}  // namespace neph::wire
