#include "workload/last_words.hpp"

#include <array>
#include <sstream>

#include <poll.h>

#include "core/text.hpp"
#include "core/thread.hpp"

namespace neph::workload {
namespace {

constexpr std::size_t kept = 16 << 10;
constexpr int attention_ms = 200;
constexpr auto patience = std::chrono::seconds(1);

/// docker ends what it has to say with where to read more: "Run 'docker run --help' for more information".
std::string last_line_with_meaning(const std::string& text) {
  std::string last, line;
  for (std::istringstream lines(text); std::getline(lines, line);)
    if (!trimmed(line).empty() && line.find("'docker run --help'") == line.npos) last = trimmed(line);
  return last;
}

}  // namespace

LastWords::LastWords(Descriptor errors) : errors_(std::move(errors)) {
  thread_ = start_thread("words", [this](const std::stop_token& stop) { listen(stop); });
}

void LastWords::listen(const std::stop_token& stop) {
  std::array<char, 4096> piece;
  while (!stop.stop_requested()) {
    pollfd watched{errors_.get(), POLLIN, 0};
    if (::poll(&watched, 1, attention_ms) <= 0) continue;
    const auto got = ::read(errors_.get(), piece.data(), piece.size());
    if (got <= 0) break;
    const std::scoped_lock lock(mutex_);
    tail_.append(piece.data(), static_cast<std::size_t>(got));
    if (tail_.size() > 2 * kept) tail_.erase(0, tail_.size() - kept);
  }
  const std::scoped_lock lock(mutex_);
  over_ = true;
  ended_.notify_all();
}

std::string LastWords::line() {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, patience, [this] { return over_; });
  return last_line_with_meaning(tail_);
}

}  // namespace neph::workload
