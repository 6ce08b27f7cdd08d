#include "cli/progress.hpp"

#include "core/clock.hpp"
#include "core/units.hpp"

namespace neph::cli {

std::function<void(std::int64_t, std::int64_t)> progress_on(ProgressLine& line, std::string what) {
  const SteadyClock clock;
  return [&line, what = std::move(what), clock, begin = clock.now(), next = Moment()](
             std::int64_t done, std::int64_t total) mutable {
    const auto now = clock.now();
    if (now < next && done != total) return;
    next = now + std::chrono::milliseconds(100);
    const double left_s =
        seconds(now - begin) / static_cast<double>(done) * static_cast<double>(total - done);
    line.show(fmt::format("{} {}/{} · {} left", what, done, total, format_seconds(left_s)));
  };
}

}  // namespace neph::cli
