// Two hundred random tables whose law is known: whether nine of ten measurements lie in the 90 % intervals,
// inside of what was measured and beyond it, and whether those are no wider than they must be.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "predict/ensemble/known_law_test.hpp"
#include "predict/ensemble/parallel.hpp"
#include "predict/explain/validation.hpp"
#include "stats/stats.hpp"

namespace neph::predict {
namespace {

constexpr std::size_t tables = 200, measured_rows = 48, asked_rows = 20;
constexpr double least_coverage = 0.88;

struct Judged {
  std::vector<PredictedPoint> judgements;
  std::vector<double> widths;   ///< of the intervals, over those of one who knows the law
  std::vector<double> factors;  ///< between what is predicted and the truth, not below 1

  void add(const Judged& other) {
    judgements.insert(judgements.end(), other.judgements.begin(), other.judgements.end());
    widths.insert(widths.end(), other.widths.begin(), other.widths.end());
    factors.insert(factors.end(), other.factors.begin(), other.factors.end());
  }
};

Judged judged(const Model& model, const Law& law, const std::vector<Row>& rows, Random& random) {
  const auto table = table_of(law, rows, random);
  const auto predictions = *model.predict(table, 1);
  Judged all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& each = predictions[i];
    all.judgements.push_back(point_of(0, i, table.columns.back().numbers[i], each));
    all.widths.push_back(std::log(each.high / each.low) / (2 * 1.645 * law.noise));
    all.factors.push_back(std::exp(std::abs(std::log(each.value / law.time(rows[i])))));
  }
  return all;
}

/// Each number anywhere between its least and its largest level.
std::vector<Row> rows_inside(const Law& law, Random& random) {
  auto rows = drawn_rows(law, asked_rows, random);
  for (auto& row : rows)
    for (std::size_t i = 0; i < row.numbers.size(); ++i)
      row.numbers[i] = drawn_between(law.levels[i].front(), law.levels[i].back(), random);
  return rows;
}

/// As inside, but one number is so many times its largest level.
std::vector<Row> rows_above(const Law& law, double least, double most, Random& random) {
  auto rows = rows_inside(law, random);
  for (auto& row : rows) {
    const auto beyond = drawn_below(row.numbers.size(), random);
    row.numbers[beyond] = law.levels[beyond].back() * drawn_between(least, most, random);
  }
  return rows;
}

struct Answers {
  Judged inside, above, far;
};

Answers answers_about(std::uint64_t seed) {
  Random random(seed);
  const auto law = drawn_law(random);
  const auto known = table_of(law, drawn_rows(law, measured_rows, random), random);
  const auto model = Model::fit(*profile(known, "t"), {.threads = 1});
  EXPECT_TRUE(model) << seed << ": " << model.error().message;
  if (!model) return {};
  return {.inside = judged(*model, law, rows_inside(law, random), random),
          .above = judged(*model, law, rows_above(law, 1.1, 2, random), random),
          .far = judged(*model, law, rows_above(law, 4, 4, random), random)};
}

/// Of all tables. Fitted once for all tests of this process.
const Answers& answers() {
  static const Answers all = [] {
    std::vector<Answers> each(tables);
    share_out(each.size(), 2, "tables", [&](std::size_t i) { each[i] = answers_about(1 + i); });
    Answers sum;
    for (const auto& one : each) {
      sum.inside.add(one.inside);
      sum.above.add(one.above);
      sum.far.add(one.far);
    }
    return sum;
  }();
  return all;
}

/// The bounds are those of the promise; measured: 94 %.
TEST(KnownTruth, IntervalsInsideHoldNineOfTen) {
  const auto& inside = answers().inside;
  EXPECT_GE(score_of(inside.judgements).coverage, least_coverage);
  EXPECT_LE(score_of(inside.judgements).flagged, 0.05);
}

/// Who knows the law but for its k coefficients needs sqrt(1 + k / 48) of the width that the noise alone
/// has, 1.05 with five. The rest is the price of not knowing the law, and of asking between measured values:
/// measured 1.55. (1.29 where terms were looked for in the data, which other tables did not bear out.)
TEST(KnownTruth, IntervalsInsideAreHardlyWiderThanTheNoise) {
  EXPECT_LE(stats::median(answers().inside.widths), 1.65);
}

/// Measured: 98 %, at 2.9 times the width of the noise.
TEST(KnownTruth, IntervalsAboveTheRangeHoldNineOfTenAndAllIsFlagged) {
  const auto& above = answers().above;
  EXPECT_GE(score_of(above.judgements).coverage, least_coverage);
  EXPECT_EQ(score_of(above.judgements).flagged, 1);
  EXPECT_LE(stats::median(above.widths), 3.1);
}

/// Four times the largest measured number: nine of ten within a factor of 2.1 of the truth (measured:
/// 1.99; half within 1.061, and within 1.06 without plain trees, which real tables need). The others are laws
/// with a term that is small wherever something was measured and rules there: nobody can know, and the
/// intervals say so.
TEST(KnownTruth, SumsOfPowersAreFollowedFarBeyondTheRange) {
  const auto& far = answers().far;
  EXPECT_LE(stats::median(far.factors), 1.065);
  EXPECT_LE(stats::quantile(far.factors, 0.9), 2.1);
  EXPECT_GE(score_of(far.judgements).coverage, least_coverage);
  EXPECT_EQ(score_of(far.judgements).flagged, 1);
}

}  // namespace
}  // namespace neph::predict
