#include "load/schedule.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace neph::load {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Schedule, ConstantArrivalsHaveEqualGaps) {
  const auto schedule = *make_schedule(Arrival::constant, {.rate_per_s = 100, .duration_s = 2}, 1, 1);
  ASSERT_EQ(schedule.size(), 200U);
  EXPECT_EQ(schedule[0], 0ns);
  EXPECT_EQ(schedule[150], 1500ms);
}

TEST(Schedule, PoissonGapsAreExponentialWithTheRate) {
  const auto schedule = *make_schedule(Arrival::poisson, {.rate_per_s = 50, .duration_s = 2000}, 1, 7);
  const auto n = static_cast<double>(schedule.size());
  EXPECT_NEAR(n, 100'000, 4 * std::sqrt(100'000));
  double sum = 0, squares = 0, beyond = 0;
  for (std::size_t i = 1; i < schedule.size(); ++i) {
    const double gap = seconds(schedule[i] - schedule[i - 1]);
    sum += gap;
    squares += gap * gap;
    beyond += gap > 0.04;  // two means: e^-2
  }
  const double mean = sum / (n - 1);
  EXPECT_NEAR(mean, 0.02, 0.02 * 4 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / (n - 1) - mean * mean), mean, 0.02 * mean) << "deviation equals the mean";
  EXPECT_NEAR(beyond / n, std::exp(-2), 0.005);
}

TEST(Schedule, TheSeedDecidesPoissonArrivals) {
  const Course course{.rate_per_s = 50, .duration_s = 1};
  EXPECT_EQ(*make_schedule(Arrival::poisson, course, 1, 3), *make_schedule(Arrival::poisson, course, 1, 3));
  EXPECT_NE(*make_schedule(Arrival::poisson, course, 1, 3), *make_schedule(Arrival::poisson, course, 1, 4));
}

TEST(Schedule, BurstsKeepTheMeanRate) {
  const auto schedule = *make_schedule(Arrival::burst, {.rate_per_s = 100, .duration_s = 1}, 25, 1);
  ASSERT_EQ(schedule.size(), 100U);
  EXPECT_EQ(schedule[24], 0ns);
  EXPECT_EQ(schedule[25], 250ms);
  EXPECT_EQ(schedule[99], 750ms);
}

TEST(Schedule, ACountIsOfWhatIsMeasured) {
  const auto schedule =
      *make_schedule(Arrival::constant, {.rate_per_s = 10, .warmup_s = 1, .count = 7}, 1, 1);
  EXPECT_EQ(schedule.size(), 17U);
}

TEST(Schedule, RefusesWhatMemoryCannotHold) {
  EXPECT_FALSE(make_schedule(Arrival::constant, {.rate_per_s = 1e6, .duration_s = 1e6}, 1, 1));
  EXPECT_FALSE(make_schedule(Arrival::constant, {.rate_per_s = 0, .duration_s = 1}, 1, 1));
}

TEST(Schedule, ReadsATrace) {
  const Course course{.duration_s = 10};
  EXPECT_THAT(*read_trace("time,size\n# seen on Monday\n100.0,3\n100.5,1\r\n\n102,2", "t", course),
              ElementsAre(0ns, 500ms, 2s));
  EXPECT_THAT(*read_trace("0\n1\n2\n3\n", "t", {.rate_per_s = 2, .duration_s = 10}),
              ElementsAre(0ns, 500ms, 1s, 1500ms));
  EXPECT_THAT(*read_trace("0\n1\n2\n3\n", "t", {.warmup_s = 1, .duration_s = 1}), ElementsAre(0ns, 1s));
  const auto fault = [&](std::string_view text) {
    return read_trace(text, "arrivals.csv", course).error().message;
  };
  EXPECT_THAT(fault("1\n0.5\n"), HasSubstr("arrivals.csv: line 2 is earlier"));
  EXPECT_THAT(fault("1\nsoon\n"), HasSubstr("arrivals.csv: line 2 does not begin with seconds"));
  EXPECT_THAT(fault("# nothing\n"), HasSubstr("no arrival"));
  EXPECT_THAT(fault("1\ninf\n"), HasSubstr("line 2"));
}

/// Seen: a trace of 3 s whose rates were told over the default duration of 30 s.
TEST(Schedule, ATraceLastsAsLongAsItsArrivals) {
  Schedule schedule;
  for (int i = 0; i < 60; ++i) schedule.push_back(i * 50ms);
  EXPECT_NEAR(measured_length_s(schedule, {.duration_s = 30}), 3, 1e-9);
  EXPECT_NEAR(measured_length_s(schedule, {.warmup_s = 1, .duration_s = 30}), 2, 1e-9);
  EXPECT_NEAR(measured_length_s(schedule, {.duration_s = 2}), 2, 1e-9);
  EXPECT_NEAR(measured_length_s({0s, 0s, 1s, 1s}, {.duration_s = 30}), 1.5, 1e-9) << "two at a time";
  EXPECT_NEAR(measured_length_s({0s}, {.duration_s = 30}), 30, 1e-9);
}

TEST(Schedule, SlicesShareAllArrivals) {
  const Schedule schedule{0ns, 1ns, 2ns, 3ns, 4ns};
  EXPECT_THAT(slice(schedule, 0, 2), ElementsAre(0ns, 2ns, 4ns));
  EXPECT_THAT(slice(schedule, 1, 2), ElementsAre(1ns, 3ns));
}

}  // namespace
}  // namespace neph::load
