#include "record/probe.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

Probe at(double rate_per_s, Slo outcome, bool is_fresh = false) {
  return {.rate_per_s = rate_per_s, .outcome = outcome, .is_fresh = is_fresh};
}

TEST(Probe, TheHighestRateThatWasMetLiesBelowAllThatWereViolated) {
  EXPECT_EQ(slo_words({}), "");
  EXPECT_EQ(slo_words({at(10, Slo::met), at(20, Slo::met), at(40, Slo::violated)}),
            "met at 20.0 requests/s; violated at 40.0");
  EXPECT_EQ(slo_words({at(10, Slo::met), at(20, Slo::met), at(20, Slo::violated, true)}),
            "met at 10.0 requests/s; violated at 20.0")
      << "a rate that was met once and violated once is not met";
  EXPECT_EQ(slo_words({at(10, Slo::violated)}), "met at no rate tried; violated at 10.0 requests/s");
}

TEST(Probe, AFreshOneCountsForMoreThanAHigherRateThatWasLucky) {
  const std::vector<Probe> probes{at(20, Slo::met), at(20, Slo::inconclusive, true), at(19, Slo::met, true)};
  EXPECT_EQ(search_words(probes), "met at 19.0 requests/s; inconclusive at 20.0");
  EXPECT_EQ(search_words({at(20, Slo::met)}), "met at 20.0 requests/s; not confirmed by a fresh probe");
  EXPECT_EQ(search_words({at(20, Slo::violated)}), "met at no rate tried; violated at 20.0 requests/s");
}

TEST(Probe, SaysNoPercentileThatHasNoInterval) {
  const Probe probe{.rate_per_s = 10, .outcome = Slo::met, .requests = 40, .response_ms = {.value = 12.1}};
  EXPECT_EQ(probe_words(probe), "10.0/s met (0 of 40 late, p99 too few (needs 299))");
}

TEST(Probe, IsToldWithItsPercentileAndWhatWouldTell) {
  Probe probe{.rate_per_s = 49.6, .requests = 320, .response_ms = {.value = 12.1, .low = 11.8, .high = 12.6}};
  probe.undecided = "473 requests would tell";
  EXPECT_EQ(probe_words(probe),
            "49.6/s inconclusive (0 of 320 late, p99 12.1 ms (11.8 to 12.6); 473 requests would tell)");
}

}  // namespace
}  // namespace neph
