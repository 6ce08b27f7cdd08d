#include "core/clock.hpp"

#include <ctime>
#include <thread>

namespace neph {

Moment SteadyClock::now() const { return std::chrono::steady_clock::now(); }

void SteadyClock::sleep_until(Moment moment) const { std::this_thread::sleep_until(moment); }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace neph
