#include "record/samples.hpp"

#include <algorithm>
#include <cmath>

namespace neph {

const std::vector<double>* column_of(const RunResult& result, std::string_view name) {
  for (const auto& column : result.samples)
    if (column.name == name) return &column.values;
  return nullptr;
}

std::vector<double> latencies_ms(const RunResult& result) {
  const auto* done = column_of(result, samples::done_s);
  const auto* begin = column_of(result, samples::scheduled_s);
  if (!begin) begin = column_of(result, samples::issued_s);
  std::vector<double> latencies;
  if (!done || !begin) return latencies;
  const auto* items = column_of(result, samples::items);
  const double whole = items && !items->empty() ? *std::ranges::max_element(*items) : 0;
  const auto is_short = [&](std::size_t i) { return items && i < items->size() && (*items)[i] < whole; };
  for (std::size_t i = 0; i < std::min(done->size(), begin->size()); ++i)
    if (const double ms = 1e3 * ((*done)[i] - (*begin)[i]); std::isfinite(ms) && !is_short(i))
      latencies.push_back(ms);
  return latencies;
}

}  // namespace neph
