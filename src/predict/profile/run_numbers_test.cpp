#include "predict/profile/run_numbers.hpp"

#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/random.hpp"
#include "predict/profile/profile.hpp"

namespace neph::predict {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// Names of the columns of a table, the last of which is the target, that tell runs apart.
std::vector<std::string> found_in(const std::string& text) {
  const auto table = *table::parse_table(text, "t");
  std::vector<std::size_t> features, rows;
  for (std::size_t i = 0; i + 1 < table.columns.size(); ++i) features.push_back(i);
  for (std::size_t i = 0; i < table.rows; ++i) rows.push_back(i);
  std::vector<std::string> names;
  for (const auto& each : run_numbers(table, features.size(), features, {}, rows))
    names.push_back(table.columns[each.column].name);
  return names;
}

/// Three runs each of two numbers of cores and two models, with 8 % of noise; `cell` is put before each row.
std::string repeated(const std::function<std::string(int row, int repeat)>& cell, std::uint64_t seed = 1) {
  Random random(seed);
  std::string text = "x,cores,model,t\n";
  int row = 0;
  for (const int cores : {4, 8})
    for (const char* model : {"a", "b"})
      for (int repeat = 0; repeat < 3; ++repeat, ++row)
        text += fmt::format("{},{},{},{}\n", cell(row, repeat), cores, model,
                            100.0 / cores * std::exp(0.08 * random.normal()) * (*model == 'a' ? 1 : 1.7));
  return text;
}

TEST(RunNumbers, WhatDiffersInEveryRowThatOtherwiseRepeatsIsOne) {
  const std::array gaps{3, 4, 9, 17, 18, 20, 31, 32, 40, 41, 55, 60};
  const std::array ids{48213, 1923, 77120, 5, 60233, 31177, 9120, 44410, 2718, 90001, 15, 38111};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_THAT(found_in(repeated([](int row, int) { return fmt::format("{}", row); }, seed)),
                ElementsAre("x"));
    EXPECT_THAT(found_in(repeated([&](int row, int) { return fmt::format("{}", gaps.at(row)); }, seed)),
                ElementsAre("x"));
    EXPECT_THAT(found_in(repeated([&](int row, int) { return fmt::format("{}", ids.at(row)); }, seed)),
                ElementsAre("x"));
    EXPECT_THAT(found_in(repeated([](int row, int) { return fmt::format("node{:02}", row); }, seed)),
                ElementsAre("x"));
    EXPECT_THAT(found_in(repeated(
                    [](int row, int) { return fmt::format("2026-11-28T12:{:02}:07Z", 3 * row); }, seed)),
                ElementsAre("x"));
    EXPECT_THAT(
        found_in(repeated([](int row, int) { return fmt::format("{}.25", 1764331200 + 31 * row); }, seed)),
        ElementsAre("x"));
    Random random(seed);
    EXPECT_THAT(
        found_in(repeated(
            [&](int, int) { return fmt::format("{:08x}-{:04x}", random.bits() >> 32, random.bits() >> 48); },
            seed)),
        ElementsAre("x"));
  }
}

TEST(RunNumbers, WhatCountsTheRepeatsOfEachConfigurationIsOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const int first : {0, 1})
      EXPECT_THAT(
          found_in(repeated([&](int, int repeat) { return fmt::format("{}", first + repeat); }, seed)),
          ElementsAre("x"));
}

TEST(RunNumbers, WhereNoRowRepeatsOnlyACountOfAllRowsIsOne) {
  const auto grid = [](const std::function<std::string(int)>& cell) {
    std::string text = "x,model,batch,t\n";
    int row = 0;
    for (int model = 1; model <= 3; ++model)
      for (const int batch : {1, 2, 4, 8})
        text += fmt::format("{},m{},{},{}\n", cell(row++), model, batch, model * batch);
    return text;
  };
  EXPECT_THAT(found_in(grid([](int row) { return fmt::format("{}", row); })), ElementsAre("x"));
  EXPECT_THAT(found_in(grid([](int row) { return fmt::format("{}", 1 + row); })), ElementsAre("x"));
  EXPECT_THAT(found_in(grid([](int row) { return fmt::format("{}", row * 5 % 12); })), ElementsAre("x"))
      << "sorted";
  EXPECT_THAT(found_in(grid([](int row) { return fmt::format("{}", 2 * row); })), IsEmpty());
  EXPECT_THAT(found_in(grid([](int row) { return fmt::format("2026-11-{:02}", 1 + row); })), IsEmpty());
}

TEST(RunNumbers, AFeatureThatTheTargetFollowsIsNone) {
  EXPECT_THAT(found_in("cores,t\n1,80\n2,41\n3,28\n4,22\n5,19\n6,17\n7,16\n8,15\n"), IsEmpty());
  EXPECT_THAT(found_in("cores,nodes,t\n1,1,100\n2,1,52\n3,1,36\n4,1,28\n5,2,23\n6,2,20\n7,2,18\n8,2,16\n"),
              IsEmpty());
  EXPECT_THAT(found_in("cores,nodes,t\n1,1,100\n2,1,52\n3,2,36\n4,2,28\n"), IsEmpty());
  EXPECT_THAT(found_in("variant,cores,t\nv1,4,100\nv2,4,70\nv3,8,60\nv4,8,41\n"), IsEmpty());
  EXPECT_THAT(found_in("variant,cores,t\nbare,4,100\nfused,4,99\neager,8,60\nplain,8,61\n"), IsEmpty());
  EXPECT_THAT(found_in("threads,model,t\n1,a,100\n2,a,55\n1,b,900\n2,b,480\n1,c,40\n2,c,23\n"), IsEmpty());
  Random random(3);
  std::string drawn = "batch,gpu,t\n", threads = "threads,model,t\n";
  for (int i = 0; i < 40; ++i) {
    const int batch = 1 + static_cast<int>(random.below(5000));
    drawn += fmt::format("{},{},{}\n", 5000 * i + batch, i % 2 == 0 ? "T4" : "V100",
                         (5000 * i + batch) * std::exp(0.1 * random.normal()));
    threads += fmt::format("{},m{},{}\n", 1 + i % 8, i / 8,
                           (1 + i / 8) * std::abs(1 + i % 8 - 5.2) * std::exp(0.1 * random.normal()));
  }
  EXPECT_THAT(found_in(drawn), IsEmpty());
  EXPECT_THAT(found_in(threads), IsEmpty()) << "best with five";
}

TEST(RunNumbers, AreNamedInTheProfileAndUsedWhereTheUserSays) {
  const auto text = repeated([](int row, int) { return fmt::format("{}", row); });
  const auto found = *profile(*table::parse_table(text + "9,16,a,9\n", "t"), "t");
  EXPECT_EQ(found.columns[0].kind, ColumnKind::number) << "it does not count, and one value comes twice";
  const auto counted = *profile(*table::parse_table(text + "12,16,a,9\n", "t"), "t");
  EXPECT_EQ(counted.columns[0].kind, ColumnKind::identifier);
  EXPECT_THAT(counted.findings,
              Contains(testing::Field(&Finding::message,
                                      "'x' counts the rows and is no feature; --use makes it one")));
  EXPECT_EQ(counted.points.target.size(), 5U);
  const auto used = *profile(*table::parse_table(text + "12,16,a,9\n", "t"), "t", {.used = {"x"}});
  EXPECT_EQ(used.columns[0].kind, ColumnKind::number);
}

}  // namespace
}  // namespace neph::predict
