// Fits that know which rows they are for.
#include <gtest/gtest.h>

#include "predict/known_law_test.hpp"
#include "predict/model.hpp"
#include "predict/split.hpp"

namespace neph::predict {
namespace {

bool are_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Fits for the rows and for any, and says how many hold-outs fewer were tried for the rows alone.
std::size_t saved_where_answers_are_same(const Survey& known, const Split& split) {
  const auto part = part_of(known, split.train);
  const auto rows = rows_of(known.points.features, split.test);
  const auto for_any = Model::fit(part, {}), for_them = Model::fit(part, {.asked = &rows});
  EXPECT_TRUE(for_any && for_them) << split.name;
  if (!for_any || !for_them) return 0;
  const auto expected = *for_any->predict(rows), given = *for_them->predict(rows);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(are_same(given[i].value, expected[i].value)) << split.name;
    EXPECT_TRUE(are_same(given[i].low, expected[i].low)) << split.name;
    EXPECT_TRUE(are_same(given[i].high, expected[i].high)) << split.name;
    EXPECT_EQ(given[i].refused, expected[i].refused) << split.name;
    EXPECT_EQ(given[i].extrapolates.size(), expected[i].extrapolates.size()) << split.name;
  }
  return for_any->trials().size() - for_them->trials().size();
}

TEST(FitForRows, SaysTheSameOfThemAsAFitForAny) {
  Random random(7);
  std::size_t saved = 0;
  for (int round = 0; round < 4; ++round) {
    auto law = drawn_law(random);
    law.speeds = {1, 2, 3, 4};
    const auto known = *survey(table_of(law, drawn_rows(law, 60, random), random), "t");
    const auto& points = known.points.features;
    const auto& levels = law.levels.front();
    const auto middle = levels[levels.size() / 2], top = levels.back();
    saved += saved_where_answers_are_same(known, folds(points.rows, 5, 1).front());
    for (const auto& way : {fmt::format("x0<{} -> x0={}", top, top), fmt::format("x0!={} -> ", middle),
                            std::string("machine!=m2 -> "), std::string("machine=m1 -> machine!=m1")})
      if (const auto split = parse_split(way, points); split && split->train.size() >= fewest_points)
        saved += saved_where_answers_are_same(known, *split);
  }
  EXPECT_GT(saved, 50U);
}

/// What a wide table's rows are judged by depends on the candidates that stay.
TEST(FitForRows, TriesAllWhereCandidatesChooseTheirColumns) {
  Random random(8);
  std::string text;
  for (int j = 0; j < 40; ++j) text += fmt::format("x{},", j);
  text += "t\n";
  for (int i = 0; i < 40; ++i) {
    double sum = 1;
    for (int j = 0; j < 40; ++j) {
      const double number = 1 + static_cast<double>(random.below(5));
      sum += j < 3 ? number : 0;
      text += fmt::format("{},", number);
    }
    text += fmt::format("{}\n", sum);
  }
  const auto known = *survey(*table::parse_table(text, "wide"), "t");
  EXPECT_EQ(saved_where_answers_are_same(known, folds(40, 5, 1).front()), 0U);
}

}  // namespace
}  // namespace neph::predict
