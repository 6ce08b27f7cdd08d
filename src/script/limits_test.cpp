#include "script/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::script {
namespace {

using testing::HasSubstr;

price::Rule rule(std::string_view name) { return *price::find_rule(name, price::built_in_rules()); }

std::string limit(std::string_view name, std::string_view price, std::string_view budget) {
  const auto sum = parse_budget(budget);
  if (!sum) return sum.error().text();
  const auto limit = limit_of(rule(name), *price::parse_price(price), *sum);
  return limit ? fmt::format("{} s, clock {}", limit->seconds, limit->clock_s) : limit.error().text();
}

TEST(Limits, AreWholeStepsOfTheRule) {
  EXPECT_EQ(limit("aws-ec2", "2.5USD/h", "5USD"), "7200 s, clock 0");
  EXPECT_EQ(limit("per-second", "$0.3/h", "$1"), "12000 s, clock 0");
  EXPECT_EQ(limit("lambda", "0.7USD/h", "1 USD"), "5100 s, clock 0");
  EXPECT_EQ(limit("scaleway-cpu", "1EUR/h", "2.99EUR"), "7200 s, clock 0");
  EXPECT_EQ(limit("selectel", "100RUB/h", "350RUB"), "10800 s, clock 3600");
  EXPECT_EQ(limit("exact", "3600USD/h", "1USD"), "1 s, clock 0");
  EXPECT_EQ(limit("exact", "0.000000001USD/h", "1000000USD"), "3000000000 s, clock 0");
}

TEST(Limits, SayWhatIsWrong) {
  EXPECT_THAT(limit("aws-ec2", "36USD/h", "0.5USD"), HasSubstr("bills at least 60.0 s, which is 0.60 USD"));
  EXPECT_THAT(limit("scaleway-cpu", "1EUR/h", "0.99EUR"), HasSubstr("which is 1.00 EUR"));
  EXPECT_THAT(limit("aws-ec2", "1USD/h", "1EUR"), HasSubstr("give both in one currency"));
  EXPECT_THAT(limit("aws-ec2", "0USD/h", "1USD"), HasSubstr("--max-time"));
  for (const auto* wrong : {"", "5", "USD", "nanUSD", "-1USD", "1e999USD", "infUSD"})
    EXPECT_THAT(limit("aws-ec2", "1USD/h", wrong), HasSubstr("no sum of money")) << wrong;
  EXPECT_THAT(limit("aws-ec2", "1USD/h", "0USD"), HasSubstr("for nothing"));
  EXPECT_THAT(limit("aws-ec2", "1USD/h", "1USD/h"), HasSubstr("not a price"));
}

/// The bill of so long is within the budget, and that of one step more is not.
TEST(Limits, AreTheLongestThatTheBudgetPays) {
  for (const auto* name : {"aws-ec2", "lambda", "scaleway-cpu", "gcp", "gcp-2017", "per-second"})
    for (const auto* budget : {"1USD", "2.37USD", "10USD"}) {
      const auto price = *price::parse_price("0.9USD/h");
      const auto sum = *parse_budget(budget);
      const auto limit = limit_of(rule(name), price, sum);
      ASSERT_TRUE(limit) << name;
      const auto costs = [&](std::int64_t seconds) {
        const std::vector<price::Start> starts{
            {.begin = {}, .stretches = {{BillStage::learn, std::chrono::seconds(seconds)}}}};
        return price::bill(rule(name), price, starts)->amount;
      };
      EXPECT_LE(costs(limit->seconds), sum.per_hour) << name;
      EXPECT_GT(costs(limit->seconds + 1), sum.per_hour) << name;
    }
}

}  // namespace
}  // namespace neph::script
