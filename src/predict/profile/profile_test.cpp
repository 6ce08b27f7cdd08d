#include "predict/profile/profile.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

Profile surveyed(const std::string& text, const std::string& target, const ProfileOptions& options = {}) {
  const auto found = profile(*table::parse_table(text, "t"), target, options);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *found : Profile{};
}

std::string message(const std::string& text, const std::string& target) {
  const auto found = profile(*table::parse_table(text, "t"), target);
  EXPECT_FALSE(found);
  return found ? "" : found.error().text();
}

std::vector<ColumnKind> kinds(const Profile& profile) {
  std::vector<ColumnKind> all;
  for (const auto& column : profile.columns) all.push_back(column.kind);
  return all;
}

/// Two machines, four batches, `repeats` runs of each: another measured column, an optimizer that never
/// changes.
std::string repeated(int repeats) {
  Random random(5);
  std::string text = "run,machine,batch,optimizer,epoch_s,step_s,who\n";
  for (int run = 0; run < repeats; ++run)
    for (const int machine : {1, 3})
      for (const int batch : {16, 32, 64, 128}) {
        const double step = machine * batch * 1e-3 * std::exp(0.01 * random.normal());
        text += fmt::format("r{},m{},{}pictures,SGD,{},{},row{}\n", run, machine, batch, 9.1 * step, step,
                            random.bits());
      }
  return text;
}

TEST(Profile, ADrawOfFewTakesAnEmptyColumnAndTheOnlyEmptyCell) {
  std::string text = "nothing,x,some,t\n";
  for (int i = 1; i <= 80; ++i)
    text += fmt::format(",{},{},{}\n", i, i == 41 ? "" : std::to_string(i), 3 * i);
  const auto points = surveyed(text, "t", {.most_points = 20}).points;
  EXPECT_EQ(points.target.size(), 20U);
  EXPECT_THAT(points.target, testing::Contains(testing::DoubleNear(3 * 41, 1e-9)));
}

/// Else a machine that is called by a number might be gone.
TEST(Profile, ADrawKeepsEachValueOfANumberWithFew) {
  Random random(1);
  std::string text = "gpu,batch,t\n";
  for (int i = 0; i < 3000; ++i)
    text += fmt::format("{},{},{}\n", i == 1500 ? 4080 : random.below(2) == 0 ? 3090 : 4090, 1 + i, 1 + i);
  const auto found = profile(*table::parse_table(text, "t"), "t", {.most_points = 600});
  ASSERT_TRUE(found) << found.error().message;
  const auto& features = found->points.features;
  ASSERT_TRUE(features.find("gpu"));
  const auto& gpus = features.columns[*features.find("gpu")].numbers;
  EXPECT_EQ(gpus.size(), 600U);
  EXPECT_THAT(gpus, Contains(4080));
}

/// Else its hold-outs would be drawn another way, and a small table answered otherwise.
TEST(Profile, OfAShuffledTableIsTheSame) {
  const auto points_of = [](bool is_turned) {
    std::vector<std::string> rows;
    for (int i = 0; i < 30; ++i)
      rows.push_back(fmt::format("{},{}px,{},{}\n", i % 3 == 0 ? "" : fmt::format("m{}", i % 3), 8 << i % 4,
                                 i % 5 == 0 ? "" : std::to_string(i % 5), 1 + i % 7));
    if (is_turned) std::ranges::reverse(rows);
    std::string text = "machine,side,batch,t\n";
    for (const auto& row : rows) text += row;
    auto found = surveyed(text, "t", {.most_points = 25}).points;
    for (std::size_t row = 0; row < found.features.rows; ++row)
      for (const auto& column : found.features.columns) found.features.source += column.text(row) + " ";
    return found;
  };
  const auto points = points_of(false), turned = points_of(true);
  EXPECT_EQ(points.features.source, turned.features.source);
  EXPECT_EQ(points.features.columns[0].levels, turned.features.columns[0].levels);
  EXPECT_EQ(points.target, turned.target);
  EXPECT_THAT(points.features.source, testing::StartsWith("t 8px   8px 2  8px 4  16px 1  16px 4  32px 1 "))
      << "sorted";
}

TEST(Profile, TellsKindsOfColumnsApart) {
  const auto found = surveyed(repeated(20), "step_s");
  EXPECT_THAT(kinds(found),
              ElementsAre(ColumnKind::repeat, ColumnKind::category, ColumnKind::number, ColumnKind::constant,
                          ColumnKind::outcome, ColumnKind::target, ColumnKind::identifier));
  ASSERT_EQ(found.points.target.size(), 8U);
  EXPECT_THAT(found.points.repeats, testing::Each(20));
  EXPECT_NEAR(found.points.noise, 0.01, 0.003);
  EXPECT_NEAR(found.points.target[0], 0.016, 0.001);
  EXPECT_EQ(found.points.features.columns.size(), 3U) << "constants stay: a query may differ in them";
}

TEST(Profile, ATableBehindItselfHasTheSameKinds) {
  const auto text = repeated(5);
  const auto twice = text + text.substr(text.find('\n') + 1);
  EXPECT_EQ(kinds(surveyed(twice, "step_s")), kinds(surveyed(text, "step_s")));
  EXPECT_THAT(surveyed(twice, "step_s").points.repeats, testing::Each(10))
      << "copies are repeats all the same";
}

TEST(Profile, NumbersThatAreTooLargeAreImpossible) {
  const auto points_of = [](const char* first, const char* last, const ProfileOptions& options = {},
                            const char* unit = "") {
    std::string text = fmt::format("a,b,t\n{}{},9,1\n{}{},4,6\n", first, unit, last, unit);
    for (int a = 2; a <= 5; ++a) text += fmt::format("{}{},{},{}\n", a, unit, 10 - a, a);
    return surveyed(text, "t", options).points.target.size();
  };
  EXPECT_EQ(points_of("1", "1e308"), 6U) << "its logarithm is looked at";
  EXPECT_EQ(points_of("0", "1e308"), 5U) << "its square is no number";
  EXPECT_EQ(points_of("1", "inf"), 5U);
  EXPECT_EQ(points_of("1", "inf", {.ignored = {"a"}}), 6U) << "nobody looks there";
  EXPECT_EQ(points_of("0", "2e200", {}, "px"), 5U) << "with a unit too";
  EXPECT_EQ(points_of("0,3,\n1", "2e200"), 6U) << "a row without a target says nothing of the column";
}

TEST(Profile, ColumnsAreUsedOrIgnoredAsTheUserSays) {
  const auto found = surveyed(repeated(5), "step_s", {.ignored = {"epoch_s", "who"}, .used = {"run"}});
  EXPECT_EQ(found.points.target.size(), 40U);
  EXPECT_EQ(found.columns.size(), 5U);
}

TEST(Profile, NumbersThatDifferInEveryRowAreFeaturesWhereTheTargetFollowsThem) {
  Random random(6);
  std::string text = "rate,kind,t\n";
  for (int i = 0; i < 100; ++i) {
    const double rate = random.uniform() + 0.1;
    text += fmt::format("{},k{},{}\n", rate, i % 2, (1 + i % 2) / rate);
  }
  EXPECT_THAT(kinds(surveyed(text, "t")),
              ElementsAre(ColumnKind::number, ColumnKind::category, ColumnKind::target));
}

TEST(Profile, SaysWhichRowsAreImpossible) {
  const auto found = surveyed(
      "gpus,batch,t\n1,1,8\n2,1,3\n4,1,2\n1,2,16\n2,2,8\n4,2,-4\n4,2,nan\n1,4,30\n2,4,15\n1,inf,2\n1,1,8\n",
      "t");
  EXPECT_THAT(found.findings, Contains(Field(&Finding::message, "no 't' in 1 row: left out")));
  EXPECT_THAT(found.findings,
              Contains(testing::AllOf(Field(&Finding::code, "impossible"), Field(&Finding::rows, 1))));
  EXPECT_THAT(found.findings,
              Contains(Field(&Finding::message,
                             "'batch' is too large to compute with, as inf in row 10: 1 row left out")));
  EXPECT_THAT(found.findings,
              Contains(testing::AllOf(Field(&Finding::code, "duplicates"), Field(&Finding::rows, 1))));
}

TEST(Profile, SaysThatAColumnHasSeveralUnits) {
  const auto found = surveyed("size,t\n512MB,1\n1GB,2\n2GB,3\n4GB,5\n8GB,9\n", "t");
  EXPECT_EQ(found.columns[0].kind, ColumnKind::category);
  EXPECT_THAT(found.findings, Contains(Field(&Finding::message, HasSubstr("several units (GB, MB)"))));
}

TEST(Profile, FarOutliersAmongRepeatsAreSaid) {
  const auto found = surveyed("x,t\n1,1\n1,1.01\n1,1.02\n1,9\n2,2\n3,3\n4,4\n5,5\n", "t");
  EXPECT_THAT(found.findings,
              Contains(testing::AllOf(Field(&Finding::code, "outliers"), Field(&Finding::rows, 1))));
  EXPECT_NEAR(found.points.target[0], 1.015, 1e-3);
}

TEST(Profile, OfManyPointsADrawHasTheEndsOfNumbersAndAllLevels) {
  std::string text = "machine,batch,t\n";
  for (int i = 0; i < 1000; ++i)
    text += fmt::format("{},{},{}\n", i == 777 ? "rare" : i == 778 ? "" : "usual", i * i, 1 + i);
  const auto few = *profile(*table::parse_table(text, "t.csv"), "t", {.most_points = 50});
  ASSERT_EQ(few.points.target.size(), 50U);
  EXPECT_EQ(few.rows, 1000);
  const auto& batches = few.points.features.columns[1].numbers;
  EXPECT_EQ(std::ranges::min(batches), 0);
  EXPECT_EQ(std::ranges::max(batches), 999.0 * 999);
  EXPECT_THAT(few.points.features.columns[0].levels, testing::UnorderedElementsAre("usual", "rare"));
  EXPECT_TRUE(std::ranges::any_of(few.points.features.columns[0].codes, [](int code) { return code < 0; }));
  ASSERT_FALSE(few.findings.empty());
  EXPECT_EQ(few.findings.back().code, "drawn");
  const auto all = *profile(*table::parse_table(text, "t.csv"), "t", {.most_points = 1000});
  EXPECT_EQ(all.points.target.size(), 1000U);
}

TEST(Profile, RefusesWhatCannotBeFittedTo) {
  EXPECT_EQ(message("a,t\n1,x\n2,y\n", "t"),
            "t: the target 't' is no number in row 1 ('x'): a column of numbers is needed");
  EXPECT_EQ(message("a,t\n1,0\n2,-1\n", "t"), "t: no row has a 't' above 0");
  EXPECT_EQ(message("t\n1\n2\n", "t"),
            "t: no column tells its rows apart but 't': nothing to predict it from");
  EXPECT_EQ(message("a,t\n1,1\n1,2\n", "t"),
            "t: no column tells its rows apart but 't': nothing to predict it from");
  EXPECT_EQ(message("a,t\n1,1\n2,2\n", "t"),
            "t: 2 different rows are too few to fit anything to; 5 are the least");
  EXPECT_EQ(message("a,t\n1,1\n2,2\n", "u"), "unknown column 'u' in t; known: a, t");
}

}  // namespace
}  // namespace neph::predict
