#include "engine/onnxruntime/log.hpp"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "engine/onnxruntime/provider.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

constexpr std::size_t most_names = 8;

/// Between two texts; empty: they do not stand there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const auto begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const auto end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

std::int64_t number_behind(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  std::int64_t number = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + words.size(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void ErrorLog::hear(void* log, OrtLoggingLevel level, const char*, const char*, const char*,
                    const char* message) {
  if (level < ORT_LOGGING_LEVEL_ERROR) return;
  auto& self = *static_cast<ErrorLog*>(log);
  const std::lock_guard lock(self.mutex_);
  self.last_ = message;
}

void ErrorLog::forget() {
  const std::lock_guard lock(mutex_);
  last_.clear();
}

std::string ErrorLog::last_error() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void PlacementLog::listen(Ort::SessionOptions& options) {
  options.SetLogSeverityLevel(ORT_LOGGING_LEVEL_VERBOSE);
  const auto hear = [](void* self, OrtLoggingLevel, const char*, const char*, const char*,
                       const char* message) { static_cast<PlacementLog*>(self)->hear(message); };
  Ort::ThrowOnError(Ort::GetApi().SetUserLoggingFunction(options, hear, this));
}

/// " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 3", and each behind it, "   NonZero
/// (places)"; or " All nodes placed on [...]. Number of nodes: 4".
void PlacementLog::hear(std::string_view message) {
  if (is_closed_) return;
  if (const auto provider = between(message, "placed on [", "]"); !provider.empty()) {
    placed_.push_back(
        {.provider = std::string(provider), .nodes = number_behind(message, "Number of nodes: ")});
    return;
  }
  const bool is_of_last =
      !placed_.empty() && message.starts_with("  ") && message.find(" (") != std::string_view::npos;
  if (is_of_last && std::ssize(placed_.back().names) < placed_.back().nodes)
    placed_.back().names.emplace_back(trimmed(message));
}

std::string fallback_text(const std::vector<Placed>& placed, std::string_view wanted) {
  std::string text;
  std::int64_t all = 0;
  for (const auto& each : placed) all += each.nodes;
  for (const auto& each : placed) {
    if (each.provider == wanted || each.nodes == 0) continue;
    auto names = each.names;
    if (names.size() > most_names) {
      const auto more = names.size() - most_names;
      names.resize(most_names);
      names.push_back(fmt::format("{} more", more));
    }
    text += fmt::format("{}{} of {} nodes on {}{}{}", text.empty() ? "" : "; ", each.nodes, all,
                        short_name(each.provider), names.empty() ? "" : ": ", fmt::join(names, ", "));
  }
  return text;
}

}  // namespace neph::engine::onnxruntime_plugin
