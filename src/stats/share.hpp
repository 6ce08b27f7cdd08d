// Shares of samples: how many in a hundred, and whether that is shown to be below or above a border.
#pragma once

#include <cstdint>
#include <span>

#include "core/estimate.hpp"
#include "record/probe.hpp"

namespace neph::stats {

/// k of n with the exact interval (Clopper, Pearson, Biometrika 26, 1934). NaN for n 0.
Estimate share_estimate(std::int64_t k, std::int64_t n);

/// Probability of k or fewer, or of k or more, of n independent samples of which each counts with
/// probability `share`.
double chance_of_at_most(std::int64_t k, std::int64_t n, double share);
double chance_of_at_least(std::int64_t k, std::int64_t n, double share);

/// Whether the share that `late` of `n` independent requests show is below or above what is allowed, each
/// with the probability `doubt` of being wrong. Counts need not be whole: divided by a design effect, say.
Slo slo_of(double late, double n, double allowed, double doubt);

/// How many times as many samples of a run are needed as independent ones to know the share of those that
/// count (1 or 0 each, in the order of their times) as well: Kish's design effect (Survey Sampling, 1965)
/// over 10 contiguous stretches; at least 1. Dividing k and n by it makes tests for independent samples hold
/// (Rao, Scott, Biometrics 48, 1992).
double design_effect(std::span<const std::uint8_t> counts);

}  // namespace neph::stats
