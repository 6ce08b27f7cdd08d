#include <fmt/format.h>

#include "compare/sources_test.hpp"

namespace neph::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Source of_concurrency(const std::string& name, const std::vector<double>& rates) {
  std::string text = "Concurrency,Inferences/Second\n";
  for (std::size_t i = 0; i < rates.size(); ++i) text += fmt::format("{},{}\n", i + 1, rates[i]);
  return parse_source(text, name).value();
}

TEST(Joined, AFileIsARunBehindThoseBeforeIt) {
  const auto all =
      joined({of_concurrency("a", {100, 150}), of_concurrency("b", {110, 160}), of_concurrency("c", {120})});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->name, "a and 2 more");
  EXPECT_EQ(all->kind, "perf_analyzer");
  EXPECT_THAT(values(all->configurations[0], "inferences_per_s"), ElementsAre(100, 110, 120));
  EXPECT_THAT(blocks(all->configurations[0]), ElementsAre(0, 1, 2));
  EXPECT_THAT(values(all->configurations[1], "inferences_per_s"), ElementsAre(150, 160));
}

TEST(Joined, AFilesMeanIsARunAndFactsStandSideBySide) {
  auto one = golden("google_benchmark_aggregates.json"), other = one, third = one;
  other.configurations[0].facts["machine"] = "other";
  other.configurations[0].means["real_time_s"].value = 1;
  const auto all = joined({one, other, third});
  ASSERT_TRUE(all);
  const auto& only = all->configurations[0];
  EXPECT_THAT(values(only, "real_time_s"), ElementsAre(testing::DoubleEq(1.9582874069992997e-6), 1,
                                                       testing::DoubleEq(1.9582874069992997e-6)));
  EXPECT_TRUE(only.means.empty());
  EXPECT_EQ(only.facts.at("machine"), "host, 2 CPUs, 2100 MHz and other");
  EXPECT_EQ(only.doubts.size(), 1u);
}

TEST(Joined, OneFileIsItselfAndNoneAnError) {
  const auto one = joined({golden("neph.csv")});
  ASSERT_TRUE(one);
  EXPECT_FALSE(one->configurations[0].means.empty());
  EXPECT_FALSE(joined({}));
}

TEST(Joined, KindsAreNotMixedAndNoExperimentCountsTwice) {
  EXPECT_THAT(
      joined({golden("neph.json"), golden("neph.csv")}).error().text(),
      HasSubstr("neph.json is of neph, tests/golden/compare/neph.csv of neph table; join files of one kind"));
  EXPECT_THAT(joined({golden("neph.json"), golden("neph.json")}).error().text(),
              HasSubstr("are the same runs"));
}

}  // namespace
}  // namespace neph::compare
