// How long an inference of known behaviour takes.
#pragma once

#include <cstdint>
#include <string>

#include "core/clock.hpp"
#include "engine/identity/model_file.hpp"

namespace neph::engine {

/// Values only, so any thread may ask. Cost: a few ns where the time is fixed, some 50 ns where it is drawn.
class ServiceTime {
 public:
  /// The stalls begin at `loaded` + k × stall_every_s, k = 1, 2, ..., whatever is asked when.
  ServiceTime(const IdentityFile& file, std::int64_t batch, Moment loaded);

  /// No time, ever: nobody needs to look at the clock.
  bool is_none() const { return median_ <= 0 && per_batch_.count() == 0 && stall_.count() == 0; }

  /// Of inference `number` without stalls: the same for the same seed and number, so that a simulation can
  /// repeat the very sequence. Lognormal: median × exp(σ z), σ = ln(p99 / median) / 2.326. Pareto: x₀
  /// u^(-1/α), α = ln 50 / ln(p99 / median), x₀ = median / 2^(1/α) (both: Johnson, Kotz, Balakrishnan,
  /// *Continuous Univariate Distributions*, vol. 1, 14 and 20). At most a day.
  Nanoseconds work(std::uint64_t number) const;

  /// When `work` that begins at `begin` is done. A stall stops everything: work in progress goes on after it,
  /// and what would begin in it begins at its end.
  Moment end(Moment begin, Nanoseconds work) const;

  /// "lognormal, median 10.0 ms, p99 50.0 ms; 500 ms stalls every 5.00 s"
  std::string text() const;

 private:
  double factor(std::uint64_t number) const;

  Distribution distribution_;
  double median_;    ///< seconds
  double p99_;       ///< seconds
  double exponent_;  ///< lognormal: σ; pareto: 1/α
  std::uint64_t seed_;
  Nanoseconds per_batch_;
  Nanoseconds stall_every_;
  Nanoseconds stall_;
  Moment loaded_;
};

}  // namespace neph::engine
