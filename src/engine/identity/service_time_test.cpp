#include "engine/identity/service_time.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::engine {
namespace {

using namespace std::chrono_literals;

constexpr Moment loaded{1'000s};

ServiceTime stalling(Nanoseconds every, Nanoseconds stall) {
  return {IdentityFile{.stall_every_s = seconds(every), .stall_ms = seconds(stall) * 1e3}, 1, loaded};
}

TEST(ServiceTime, IsFixedAndGrowsWithTheBatch) {
  const ServiceTime service(IdentityFile{.service_ms = 10, .per_item_ms = 0.5}, 8, loaded);
  EXPECT_EQ(service.work(0), 14ms);
  EXPECT_EQ(service.work(1'000'000), 14ms);
  EXPECT_EQ(service.end(loaded + 3s, 14ms), loaded + 3s + 14ms);
  EXPECT_FALSE(service.is_none());
  EXPECT_TRUE(ServiceTime(IdentityFile{}, 8, loaded).is_none());
  EXPECT_EQ(service.text(), "10.0 ms and 4.00 ms for the batch");
}

class Drawn : public testing::TestWithParam<Distribution> {};

TEST_P(Drawn, HasTheMedianAndTheTailItWasGiven) {
  constexpr int count = 200'000;
  const ServiceTime service(
      IdentityFile{.service_ms = 10, .distribution = GetParam(), .p99_ms = 60, .seed = 7}, 1, loaded);
  int below_median = 0, below_p99 = 0;
  for (int i = 0; i < count; ++i) {
    const auto work = service.work(static_cast<std::uint64_t>(i));
    ASSERT_GT(work, 0ns);
    below_median += work <= 10ms;
    below_p99 += work <= 60ms;
  }
  // Binomial: five standard deviations.
  EXPECT_NEAR(below_median, count * 0.5, 5 * std::sqrt(count * 0.25));
  EXPECT_NEAR(below_p99, count * 0.99, 5 * std::sqrt(count * 0.99 * 0.01));
}

TEST_P(Drawn, RepeatsItselfForItsSeed) {
  const auto works = [](std::int64_t seed) {
    const ServiceTime service(
        IdentityFile{.service_ms = 10, .distribution = GetParam(), .p99_ms = 60, .seed = seed}, 1, loaded);
    std::vector<Nanoseconds> all;
    for (std::uint64_t i = 0; i < 100; ++i) all.push_back(service.work(i));
    return all;
  };
  EXPECT_EQ(works(7), works(7));
  EXPECT_NE(works(7), works(8));
}

INSTANTIATE_TEST_SUITE_P(Distributions, Drawn, testing::Values(Distribution::lognormal, Distribution::pareto),
                         [](const auto& test) { return std::string(enum_name(test.param)); });

TEST(ServiceTime, ATailWithoutEndEndsAfterADay) {
  const ServiceTime service(
      IdentityFile{.service_ms = 0.001, .distribution = Distribution::pareto, .p99_ms = 3.6e6}, 1, loaded);
  auto longest = 0ns;
  for (std::uint64_t i = 0; i < 10'000; ++i) longest = std::max(longest, service.work(i));
  EXPECT_EQ(longest, 24h);
}

TEST(ServiceTime, AStallHoldsUpWhatGoesOnAndWhatComes) {
  const auto service = stalling(5s, 500ms);
  const auto end = [&](Nanoseconds begin, Nanoseconds work) {
    return service.end(loaded + begin, work) - loaded;
  };
  EXPECT_EQ(end(0s, 10ms), 10ms) << "loading is no stall";
  EXPECT_EQ(end(4'980ms, 10ms), 4'990ms) << "done before";
  EXPECT_EQ(end(4'990ms, 10ms), 5s) << "done just before";
  EXPECT_EQ(end(4'995ms, 10ms), 5'505ms) << "half done";
  EXPECT_EQ(end(5s, 10ms), 5'510ms) << "comes as it begins";
  EXPECT_EQ(end(5'400ms, 10ms), 5'510ms) << "comes within";
  EXPECT_EQ(end(5'500ms, 10ms), 5'510ms) << "comes as it ends";
  EXPECT_EQ(end(5'200ms, 0ms), 5'500ms) << "no work, and yet it waits";
  EXPECT_EQ(end(4s, 10s), 15s) << "1 s, then 4.5 s twice, up to the third stall";
  EXPECT_EQ(end(4s, 10s + 1ns), 15'500ms + 1ns);
}

TEST(ServiceTime, AgreesWithAClockThatTicksThroughTheStalls) {
  constexpr std::int64_t seed = 11;
  Random random(seed);
  for (int round = 0; round < 2'000; ++round) {
    const auto every = 2 + static_cast<std::int64_t>(random.below(40));
    const auto stall = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(every - 1)));
    const auto begin = static_cast<std::int64_t>(random.below(200));
    const auto work = static_cast<std::int64_t>(random.below(200));
    const auto stalled = [&](std::int64_t tick) { return tick >= every && tick % every < stall; };
    std::int64_t now = begin;
    while (stalled(now)) ++now;
    for (std::int64_t left = work; left > 0; ++now) left -= stalled(now) ? 0 : 1;
    EXPECT_EQ(stalling(every * 1ms, stall * 1ms).end(loaded + begin * 1ms, work * 1ms) - loaded, now * 1ms)
        << "seed " << seed << " round " << round << ": " << work << " ms from " << begin << " with " << stall
        << " in " << every;
  }
}

}  // namespace
}  // namespace neph::engine
