#include "cli/times.hpp"

#include <gmock/gmock.h>

#include "cli/plan.hpp"

namespace neph::cli {
namespace {

TEST(Times, HaveAUnitOrArePlainSeconds) {
  EXPECT_EQ(name_of_time("timeout_s"), "timeout");
  EXPECT_EQ(name_of_time("rate_per_s"), "");
  EXPECT_EQ(name_of_time("duration"), "");
  EXPECT_EQ(*plain_seconds("500ms", "--wait"), "0.5");
  EXPECT_EQ(*plain_seconds("2min", "--wait"), "120");
  EXPECT_EQ(*plain_seconds("2.5", "--wait"), "2.5");
  EXPECT_THAT(plain_seconds("5x", "--wait").error().text(),
              testing::StartsWith("--wait: '5x' is no length of time"));
}

TEST(Times, OfAFileAreTheSameInEitherForm) {
  const auto plan_of = [](const std::string& timeout, const std::string& warmup) {
    return read_plan(timeout + "\nseed = 1\n[infer]\nmodel = \"m\"\n" + warmup + "\n", "x.toml");
  };
  const auto plain = plan_of("timeout_s = 5", "warmup_max_s = [0.5, 1]");
  ASSERT_TRUE(plain) << plain.error().text();
  for (const auto& [timeout, warmup] : {std::pair("timeout = \"5s\"", "warmup_max = [\"500ms\", \"1s\"]"),
                                        {"timeout_s = \"5s\"", "warmup_max = [0.5, 1]"}}) {
    const auto plan = plan_of(timeout, warmup);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_EQ(plan->options.timeout_s, 5);
    ASSERT_EQ(plan->cells.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(plan->cells[i].spec["warmup_max_s"], plain->cells[i].spec["warmup_max_s"]);
  }
  EXPECT_THAT(plan_of("timeout = \"5x\"", "").error().text(),
              testing::HasSubstr("'5x' is no length of time"));
}

}  // namespace
}  // namespace neph::cli
