// Machines for a rate, computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advise.hpp"
#include "advise/market_test.hpp"

namespace neph::advise {
namespace {

using testing::Contains;
using testing::HasSubstr;

Capacity sustains(const std::string& name, double cores, double per_s, double spread = 1) {
  Capacity capacity{.configuration = takes(name, cores, 1), .sustained_per_s = {.value = per_s}, .unfit = {}};
  if (spread > 1)
    capacity.sustained_per_s.low = per_s / spread, capacity.sustained_per_s.high = per_s * spread;
  return capacity;
}

Capacity gpu_sustains(const std::string& name, double per_s) {
  auto capacity = sustains(name, 1, per_s);
  capacity.configuration.needs.gpus = 1;
  capacity.configuration.needs.gpu = "T4";
  return capacity;
}

RateRequest per_second(double rate) {
  return {.source = "the test",
          .objective = "p99 within 100 ms",
          .rate_per_s = rate,
          .currency = "USD",
          .rules = price::built_in_rules()};
}

const std::vector<price::Offer> market{machine("c2", 2, "0.1"), machine("c8", 8, "0.36"),
                                       machine("g", 8, "0.6", "T4")};

TEST(Rate, CountsMachinesAndPricesAMillionAtTheOfferedRate) {
  const std::vector capacities{sustains("2 cores", 2, 40), sustains("8 cores", 8, 150),
                               gpu_sustains("gpu", 900)};
  const auto advice = advise_rate(capacities, market, per_second(200)).value();
  const auto& small = candidate_of(advice, "2 cores");
  EXPECT_EQ(small.machines, 5);
  EXPECT_EQ(small.cost.amount, "0.50");
  EXPECT_EQ(small.per_million->amount, "0.694444") << "0.5 an hour over 720,000 an hour";
  EXPECT_EQ(recommended(advice).configuration, "2 cores");
  EXPECT_EQ(candidate_of(advice, "8 cores").cost.amount, "0.72");
  EXPECT_EQ(candidate_of(advice, "gpu").machines, 1);
  EXPECT_EQ(candidate_of(advice, "gpu").why, "0.10 USD an hour dearer than 5 × 2 cores on test/c2");
}

TEST(Rate, ThatIsExactlySustainedNeedsNoMoreMachines) {
  const auto advice = advise_rate(std::vector{sustains("2 cores", 2, 40)}, market, per_second(120)).value();
  EXPECT_EQ(recommended(advice).machines, 3);
}

TEST(Rate, TellsBelowWhichASmallerMachineWins) {
  // At 300 the GPU costs 0.6, eight small ones 0.8. Five small ones, 0.5, carry 200; six cost as much as the
  // GPU.
  const std::vector capacities{sustains("2 cores", 2, 40), gpu_sustains("gpu", 900)};
  const auto advice = advise_rate(capacities, market, per_second(300)).value();
  EXPECT_EQ(recommended(advice).configuration, "gpu");
  EXPECT_THAT(advice.break_evens, Contains("Below 200/s a smaller machine is cheaper: 2 cores on test/c2."));
}

TEST(Rate, TellsHowSureTheNumberOfMachinesIs) {
  const auto advice =
      advise_rate(std::vector{sustains("2 cores", 2, 200, 1.2)}, market, per_second(200)).value();
  EXPECT_NEAR(*recommended(advice).p_rate, 0.5, 1e-9);
  EXPECT_FALSE(
      recommended(advise_rate(std::vector{sustains("x", 2, 200)}, market, per_second(200)).value()).p_rate);
}

TEST(Rate, LeavesOutWhatMissesTheObjective) {
  auto late = sustains("2 cores", 2, 40);
  late.unfit = "its p99 is 130 ms, above 100 ms";
  const auto advice =
      advise_rate(std::vector{late, sustains("8 cores", 8, 150)}, market, per_second(100)).value();
  EXPECT_EQ(recommended(advice).configuration, "8 cores");
  EXPECT_EQ(advice.left_out.front().reason, "its p99 is 130 ms, above 100 ms");
  EXPECT_THAT(advise_rate(std::vector{late}, market, per_second(100)).error().text(),
              HasSubstr("its p99 is 130 ms"));
}

TEST(Rate, SaysOfClosedLoopsThatRequestsQueue) {
  auto closed = sustains("2 cores", 2, 40);
  EXPECT_THAT(advise_rate(std::vector{closed}, market, per_second(30))->assumptions,
              testing::Not(Contains(HasSubstr("queue without bound"))));
  closed.is_closed_loop = true;
  EXPECT_THAT(advise_rate(std::vector{closed}, market, per_second(30))->assumptions,
              Contains(HasSubstr("queue without bound")));
}

TEST(Rate, RefusesWhatIsNoRate) {
  const std::vector one{sustains("2 cores", 2, 40)};
  EXPECT_THAT(advise_rate(one, market, per_second(0)).error().text(), HasSubstr("give one above 0"));
  EXPECT_THAT(advise_rate(one, market, per_second(1e12)).error().text(),
              HasSubstr("more than a million machines"));
  EXPECT_THAT(advise_rate({}, market, per_second(10)).error().text(),
              HasSubstr("no configuration has a rate"));
}

}  // namespace
}  // namespace neph::advise
