// Files of arrival times that a user recorded elsewhere. Nothing may crash; what is accepted must ascend from
// 0 and end with its course.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "load/schedule.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace neph;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const load::Course& course :
       {load::Course{.duration_s = 10}, load::Course{.rate_per_s = 50, .duration_s = 2, .count = 20}}) {
    const auto schedule = load::read_trace(text, "trace", course);
    if (!schedule) {
      require(!schedule.error().message.empty());
      continue;
    }
    require(!schedule->empty() && schedule->front().count() == 0);
    require(std::is_sorted(schedule->begin(), schedule->end()));
    require(course.count == 0 || static_cast<std::int64_t>(schedule->size()) <= course.count);
  }
  return 0;
}
