#include "engine/identity/service_time.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "core/units.hpp"

namespace neph::engine {
namespace {

constexpr double longest_s = 86'400;
constexpr double z99 = 2.3263478740408408;  // 99th percentile of the standard normal distribution

double exponent_of(const IdentityFile& file) {
  const double tail = file.distribution == Distribution::fixed ? 0 : std::log(file.p99_ms / file.service_ms);
  return file.distribution == Distribution::pareto ? tail / std::log(50) : tail / z99;
}

/// A generator of its own for each number, so that threads share no state.
Random random_of(std::uint64_t seed, std::uint64_t number) { return Random(split_mix(seed) ^ number); }

}  // namespace

ServiceTime::ServiceTime(const IdentityFile& file, std::int64_t batch, Moment loaded)
    : distribution_(file.distribution),
      median_(file.service_ms * 1e-3),
      p99_(file.p99_ms * 1e-3),
      exponent_(exponent_of(file)),
      seed_(static_cast<std::uint64_t>(file.seed)),
      per_batch_(from_seconds(std::min(file.per_item_ms * 1e-3 * static_cast<double>(batch), longest_s))),
      stall_every_(from_seconds(file.stall_every_s)),
      stall_(from_seconds(file.stall_ms * 1e-3)),
      loaded_(loaded) {}

double ServiceTime::factor(std::uint64_t number) const {
  if (distribution_ == Distribution::fixed) return 1;
  auto random = random_of(seed_, number);
  if (distribution_ == Distribution::lognormal) return std::exp(exponent_ * random.normal());
  return std::pow(2 * (1 - random.uniform()), -exponent_);  // in (0, 2]: never 0
}

Nanoseconds ServiceTime::work(std::uint64_t number) const {
  return per_batch_ + from_seconds(std::min(median_ * factor(number), longest_s));
}

Moment ServiceTime::end(Moment begin, Nanoseconds work) const {
  if (stall_.count() == 0) return begin + work;
  auto since = begin - loaded_;
  auto period = since / stall_every_;  // 0 has no stall: it begins with loading
  if (period > 0) since = std::max(since, period * stall_every_ + stall_);
  const auto free = (period + 1) * stall_every_ - since;
  if (work <= free) return loaded_ + since + work;
  // The rest fills whole periods, each without its stall, and at last a part of one.
  const auto rest = work - free;
  const auto useful = stall_every_ - stall_;
  const auto whole = (rest - Nanoseconds(1)) / useful;
  period += 1 + whole;
  return loaded_ + period * stall_every_ + stall_ + (rest - whole * useful);
}

std::string ServiceTime::text() const {
  std::string text = format_seconds(median_);
  if (distribution_ != Distribution::fixed)
    text = fmt::format("{}, median {}, p99 {}", enum_name(distribution_), text, format_seconds(p99_));
  if (per_batch_.count() > 0)
    text += fmt::format(" and {} for the batch", format_seconds(seconds(per_batch_)));
  if (stall_.count() > 0)
    text += fmt::format("; {} stalls every {}", format_seconds(seconds(stall_)),
                        format_seconds(seconds(stall_every_)));
  return text;
}

}  // namespace neph::engine
