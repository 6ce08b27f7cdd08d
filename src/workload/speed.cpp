#include "workload/speed.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "stats/stats.hpp"

namespace neph::workload {
namespace {

/// Stretches of equally many batches, ten because fewer than thirty keep neighbours nearly independent. Not
/// stretches of equal time: how many batches end in one jumps by a whole batch.
constexpr std::size_t stretches = 10;
constexpr std::size_t least_batches = 5 * stretches;

/// A server that fails more of its requests than this has done another work than the one that was asked for.
/// Files that cannot be read are the user's own: the figures of the others still stand.
constexpr double tolerated_failures = 0.01;
constexpr double nearly_all = 0.999;

/// Fewer batches show no trend.
constexpr std::size_t least_for_trend = 20;
/// Of the time per batch from the first to the last batch.
constexpr double drift_tolerance = 0.05;

}  // namespace

Estimate items_per_s(std::span<const BatchEnd> ends, Moment begin, Moment end) {
  std::int64_t answered = 0;
  for (const auto& batch : ends) answered += batch.answered;
  Estimate rate{.value = static_cast<double>(answered) / seconds(end - begin), .n = 1};
  if (ends.size() < least_batches) return rate;
  std::vector<double> per_picture_s;
  Moment from = begin;
  for (std::size_t k = 0; k < stretches; ++k) {
    std::int64_t pictures = 0;
    Moment until = from;
    for (auto i = ends.size() * k / stretches; i < ends.size() * (k + 1) / stretches; ++i) {
      pictures += ends[i].answered;
      until = std::max(until, ends[i].done);
    }
    if (pictures == 0) return rate;
    per_picture_s.push_back(seconds(until - from) / static_cast<double>(pictures));
    from = until;
  }
  const auto mean = stats::mean_estimate(per_picture_s);
  if (!mean.low || *mean.low <= 0) return rate;  // so uneven that the rate has no upper end
  rate.low = rate.value * mean.value / *mean.high;
  rate.high = rate.value * mean.value / *mean.low;
  rate.n = mean.n;
  return rate;
}

std::optional<Warning> unsteady(std::span<const BatchEnd> ends) {
  if (ends.size() < least_for_trend) return std::nullopt;
  std::vector<double> batch_s;
  for (const auto& batch : ends) batch_s.push_back(seconds(batch.done - batch.issued));
  const auto trend = stats::trend_of(batch_s);
  if (!stats::drifts(trend, drift_tolerance)) return std::nullopt;
  return make_warning(WarningCode::unsteady,
                      fmt::format("the time per batch was {} times as long at the end as at the beginning",
                                  format_number(stats::end_over_beginning(batch_s), 3)),
                      "measure longer, or look at the telemetry for what changed with it");
}

Figure failed_figure(std::int64_t failed, std::int64_t items) {
  return figure(metric::pictures_failed, {.value = static_cast<double>(failed), .n = items});
}

Warning failed_warning(std::int64_t failed, std::int64_t items, const std::string& first,
                       std::string_view item, Answerer answerer) {
  const bool served = answerer == Answerer::server;
  const double share = static_cast<double>(failed) / static_cast<double>(std::max<std::int64_t>(1, items));
  return {WarningCode::pictures_failed,
          fmt::format("{} of {} {}s could not be used; {}", failed, items, item, first),
          served ? "look at the server's words, or give it more time: --request-timeout"
                 : "neph images check names them all",
          share > (served ? tolerated_failures : nearly_all) ? Weight::voids : Weight::doubt};
}

}  // namespace neph::workload
