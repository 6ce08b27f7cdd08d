#include "workload/last_words.hpp"

#include <array>

#include <poll.h>

#include "core/text.hpp"
#include "os/thread.hpp"

namespace neph::workload {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr int attention_ms = 200;
constexpr auto patience = std::chrono::seconds(1);

}  // namespace

LastWords::LastWords(Descriptor errors) : errors_(std::move(errors)) {
  thread_ = start_thread("words", [this](const std::stop_token& stop) { listen(stop); });
}

void LastWords::listen(const std::stop_token& stop) {
  std::array<char, 4096> piece;
  Lines lines(longest_line);
  while (!stop.stop_requested()) {
    pollfd watched{errors_.get(), POLLIN, 0};
    if (::poll(&watched, 1, attention_ms) <= 0) continue;
    const auto got = ::read(errors_.get(), piece.data(), piece.size());
    if (got <= 0) break;
    lines.add({piece.data(), static_cast<std::size_t>(got)}, [this](std::string_view line) { hear(line); });
  }
  lines.finish([this](std::string_view line) { hear(line); });
  const std::scoped_lock lock(mutex_);
  over_ = true;
  ended_.notify_all();
}

/// docker ends what it has to say with where to read more: "Run 'docker run --help' for more information".
void LastWords::hear(std::string_view line) {
  if (trimmed(line).empty() || line.find("'docker run --help'") != line.npos) return;
  const std::scoped_lock lock(mutex_);
  line_ = trimmed(line);
}

std::string LastWords::line() {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, patience, [this] { return over_; });
  return line_;
}

}  // namespace neph::workload
