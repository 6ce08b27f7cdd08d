// Any bytes as a file of dstat or dool. Nothing may crash; what is read has rows, times that do not go back
// and finite values, and is read again, from what is written of it, with as many recordings or fewer (what
// has no column in the written file is lost).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "host/host.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace neph;
  const auto recordings = host::read_dstat({reinterpret_cast<const char*>(data), size}, "input");
  if (!recordings) {
    require(!recordings.error().message.empty());
    return 0;
  }
  require(!recordings->empty());
  for (const auto& recording : *recordings) {
    require(recording.rows > 0 && recording.interval_s > 0 && recording.length_s >= 0);
    for (const auto& series : recording.series) {
      require(!series.values.empty() && series.values.size() == series.at_s.size());
      require(std::is_sorted(series.at_s.begin(), series.at_s.end()));
      for (const double value : series.values) require(std::isfinite(value));
    }
  }
  const auto again = host::read_dstat(host::write_dstat(*recordings), "written");
  require(!again || again->size() <= recordings->size());
  return 0;
}
