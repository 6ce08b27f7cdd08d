#include "price/hire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::price {
namespace {

using enum BillStage;
using testing::ElementsAre;
using testing::HasSubstr;

Hire hire_of(Estimate learn_s) {
  return {.work = {.stages = {{.stage = learn, .seconds = learn_s}}},
          .begins = {parse_instant("2026-11-24T13:25", "Europe/Moscow", {}).value()}};
}

Rule rule_of(std::string_view name) { return find_rule(name, built_in_rules()).value(); }
Price price_of(std::string_view text) { return parse_price(text).value(); }

TEST(Hire, HasABillWithTheEndsOfItsTimes) {
  const auto result =
      priced(rule_of("aws-ec2"), price_of("3.6USD/h"), hire_of({.value = 100, .low = 90, .high = 120.5}))
          .value();
  EXPECT_EQ(decimal_text(result.bill.amount), "0.10");
  EXPECT_EQ(decimal_text(*result.low), "0.09");
  EXPECT_EQ(decimal_text(*result.high), "0.121") << "121 s are paid";
}

TEST(Hire, HasASpreadOfWhatIsAssumed) {
  auto hire = hire_of({.value = 100, .low = 90, .high = 120});
  hire.around.assumed = {{.stage = boot, .length = std::chrono::seconds(40), .known = Known::assumed}};
  const auto result = priced(rule_of("exact"), price_of("3600USD/h"), hire).value();
  EXPECT_EQ(decimal_text(result.bill.amount), "140.00");
  EXPECT_EQ(decimal_text(*result.low), "110.00") << "half of the boot";
  EXPECT_EQ(decimal_text(*result.high), "200.00") << "twice the boot";
  hire.begins.push_back(hire.begins[0] + std::chrono::seconds(150));
  EXPECT_EQ(decimal_text(*priced(rule_of("exact"), price_of("3600USD/h"), hire)->high), "350.00")
      << "150 and 200 s: the first start has ended before the second begins";
}

TEST(Hire, HasNoIntervalWithoutThatOfAStageThatIsPaid) {
  const auto price = price_of("3.6USD/h");
  const auto result = priced(rule_of("aws-ec2"), price, hire_of({.value = 100})).value();
  EXPECT_FALSE(result.low);
  EXPECT_THAT(result.without_interval, ElementsAre(learn));
  auto unpaid = hire_of({.value = 100});
  unpaid.work.stages.push_back({.stage = poweroff, .seconds = {.value = 5, .low = 4, .high = 6}});
  EXPECT_FALSE(priced(rule_of("aws-ec2"), price, unpaid)->low);
  auto given = hire_of({.value = 100, .low = 90, .high = 120});
  given.around.given = {{.stage = learn, .length = std::chrono::seconds(70), .known = Known::given}};
  const auto as_given = priced(rule_of("aws-ec2"), price, given).value();
  EXPECT_FALSE(as_given.low);
  EXPECT_EQ(decimal_text(as_given.bill.amount), "0.07");
}

TEST(Hire, HasEachOfItsJobsOnEachOfItsStarts) {
  auto hire = hire_of({.value = 100});
  hire.around.assumed = usual_assumptions();
  hire.jobs = 3;
  hire.begins.push_back(hire.begins[0] + std::chrono::hours(5));
  const auto result = priced(rule_of("exact"), price_of("3600USD/h"), hire).value();
  EXPECT_EQ(decimal_text(result.bill.amount), "1340.00") << "2 × (40 + 300 + 3 × 100 + 30) s";
}

TEST(Hire, HasEachOfItsMarkedStarts) {
  Hire hire{.begins = {parse_instant("2026-11-24T10:00", "UTC", {}).value()}};
  hire.marked = {
      {.at = std::chrono::hours(100), .stages = {{.stage = learn, .length = std::chrono::minutes(10)}}},
      {.at = std::chrono::hours(110), .stages = {{.stage = save, .length = std::chrono::seconds(100)}}}};
  hire.around.marks = hire.marked[0].stages;
  const auto rule = rule_of("gcp-2017");
  EXPECT_EQ(decimal_text(priced(rule, price_of("0.6USD/h"), hire)->bill.amount), "0.20")
      << "ten minutes are the least of each start";
  const auto starts = starts_of(rule, hire, Bound::value).value();
  ASSERT_EQ(starts.size(), 2);
  EXPECT_EQ(starts[1].begin - starts[0].begin, std::chrono::hours(10));
}

TEST(Hire, IsNotOffForLongerThanItWasBetweenTwoMarkedStarts) {
  Hire hire{.begins = {parse_instant("2026-11-24T10:00", "UTC", {}).value()}};
  const auto learning = [](int length_s) {
    return std::vector{Stretch{.stage = learn, .length = std::chrono::seconds(length_s)}};
  };
  hire.marked = {{.at = {}, .stages = learning(100)},
                 {.at = std::chrono::seconds(115), .stages = learning(60)}};
  hire.around = {
      .marks = hire.marked[0].stages,
      .assumed = {{.stage = poweroff, .length = std::chrono::seconds(30), .known = Known::assumed}}};
  const auto bill = priced(rule_of("exact"), price_of("3600USD/h"), hire).value().bill;
  EXPECT_EQ(decimal_text(bill.amount), "205.00") << "100 and 15 s, 60 and 30 s: it was only restarted";
}

TEST(Hire, HasTheIdleTimeOfItsRuleAfterEachJob) {
  const auto paid = [](const Hire& hire) {
    return decimal_text(priced(rule_of("runpod-serverless"), price_of("3600USD/h"), hire)->bill.amount);
  };
  auto hire = hire_of({.value = 100});
  EXPECT_EQ(paid(hire), "105.00");
  hire.jobs = 3;
  EXPECT_EQ(paid(hire), "315.00");
  const Hire given{.around = {.given = {{.stage = learn, .length = std::chrono::seconds(100)},
                                        {.stage = poweroff, .length = std::chrono::seconds(10)}}},
                   .begins = hire.begins};
  EXPECT_EQ(paid(given), "115.00") << "also where stages are given";
  hire.around.given = {{.stage = idle, .known = Known::given}};
  EXPECT_EQ(paid(hire), "300.00") << "unless it is told otherwise";
  EXPECT_TRUE(with_idle_of(rule_of("aws-ec2"), {}).empty());
  EXPECT_EQ(with_idle_of(rule_of("runpod-serverless"), {{.stage = boot}}).size(), 1U)
      << "no job, no idle time";
}

TEST(Hire, IsSweptOverTheHourOfTheClock) {
  auto hire = hire_of({.value = 1555});  // 25 min 55 s
  const auto sweep = sweep_hour(rule_of("selectel"), price_of("100RUB/h"), hire, hire.begins[0]).value();
  ASSERT_EQ(sweep.size(), 2U);
  EXPECT_EQ(sweep[0].last, 34) << "13:34 and 25:55 are 13:59:55";
  EXPECT_EQ(sweep[1].first, 35);
  EXPECT_EQ(sweep_text(sweep, "RUB"),
            "Start from :00 to :34: 100.00 RUB, from :35 to :59: 200.00 RUB.\n"
            "Start at :00, not at :35: 100.00 instead of 200.00 RUB.\n");
  const auto anyhow = sweep_hour(rule_of("aws-ec2"), price_of("3.6USD/h"), hire, hire.begins[0]).value();
  EXPECT_THAT(sweep_text(anyhow, "USD"), HasSubstr("makes no difference: 1.555 USD"));
}

}  // namespace
}  // namespace neph::price
