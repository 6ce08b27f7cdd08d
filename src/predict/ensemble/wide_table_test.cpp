// Tables of many columns, most of which say nothing.
#include <cmath>

#include <gmock/gmock.h>

#include "core/json.hpp"
#include "core/random.hpp"
#include "predict/ensemble/model.hpp"
#include "predict/model_file/model_file.hpp"

namespace neph::predict {
namespace {

using testing::HasSubstr;

constexpr int numbers = 60, categories = 30;

/// Column n7 and the batch say what a time is, and the machine (k29), and whether k3 is v1.
class WideTable : public testing::Test {
 protected:
  struct Row {
    std::string text;
    double time;
  };
  Row row() {
    const int machine = static_cast<int>(random_.below(3));
    double time = 1 << machine;
    Row made;
    for (int j = 0; j < numbers; ++j) {
      const auto value = 1 + random_.below(16);
      if (j == 7) time *= 1 + static_cast<double>(value);
      made.text += fmt::format("{},", value);
    }
    for (int c = 0; c + 1 < categories; ++c) {
      const auto level = random_.below(3);
      if (c == 3 && level == 1) time *= 3;
      made.text += fmt::format("v{},", level);
    }
    const auto batch = 1 << random_.below(5);
    made.text += fmt::format("m{},{}", machine, batch);
    made.time = time * (2 + batch);
    return made;
  }
  static std::string heading() {
    std::string text;
    for (int j = 0; j < numbers; ++j) text += fmt::format("n{},", j);
    for (int c = 0; c < categories; ++c) text += fmt::format("k{},", c);
    return text + "batch";
  }
  void SetUp() override {
    std::string text = heading() + ",t\n";
    for (int i = 0; i < 150; ++i) {
      const auto made = row();
      text += fmt::format("{},{}\n", made.text, made.time * std::exp(0.02 * random_.normal()));
    }
    FitOptions options{.method = Method::process};
    options.roles.hardware.machine = fmt::format("k{}", categories - 1);
    auto model = Model::fit(*profile(*table::parse_table(text, "t.csv"), "t"), options);
    ASSERT_TRUE(model) << model.error().message;
    model_ = std::move(*model);
  }

  Random random_{1};
  std::optional<Model> model_;
};

TEST_F(WideTable, IsPredictedFromTheColumnsThatCount) {
  std::string text = heading() + "\n";
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    const auto made = row();
    text += made.text + "\n";
    times.push_back(made.time);
  }
  const auto answers = *model_->predict(*table::parse_table(text, "q"));
  double error = 0;
  for (std::size_t i = 0; i < times.size(); ++i) error += std::abs(answers[i].value / times[i] - 1) / 50;
  EXPECT_LT(error, 0.1);
  const auto& columns = model_->ensemble().columns;
  EXPECT_THAT(columns.categories, testing::Contains(categories - 1)) << "the machine";
  EXPECT_LE(columns.categories.size(), 13U);
  EXPECT_LE(columns.numbers.size(), 24U);

  const auto read = read_model(write_model(*model_), "m.json");
  ASSERT_TRUE(read) << read.error().message;
  const auto again = *read->predict(*table::parse_table(text, "q"));
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(again[i].value, answers[i].value, 1e-6 * answers[i].value);
}

TEST_F(WideTable, AModelThatLooksBeyondItsColumnsIsRefused) {
  const auto json = *parse_json(write_model(*model_), "it");
  for (const char* part : {"numbers", "categories"})
    for (const auto column : {-1, 5, 99}) {  // 5: some column twice, or out of order
      auto edited = json;
      auto& seen = edited["ensemble"]["columns"][part];
      seen.back() = seen.size() > 1 && column == 5 ? seen.front() : Json(column);
      const auto read = read_model(dump_json(edited), "m.json");
      ASSERT_FALSE(read) << part << " " << column;
      EXPECT_THAT(read.error().message, HasSubstr("which columns are seen"));
    }
}

/// `time_of` is what a row of such cells takes.
template <class TimeOf>
std::string random_table(Random& random, int rows, int columns, const TimeOf& time_of) {
  std::string text;
  for (int j = 0; j < columns; ++j) text += fmt::format("c{},", j);
  text += "t\n";
  std::vector<double> cells(static_cast<std::size_t>(columns));
  for (int i = 0; i < rows; ++i) {
    for (auto& number : cells) text += fmt::format("{},", number = 1 + static_cast<double>(random.below(50)));
    text += fmt::format("{}\n", time_of(cells));
  }
  return text;
}

/// Columns chosen once from all rows would seem to predict those that were left out.
TEST(TableOfNoise, IsCalledNoise) {
  Random random(3);
  const auto found = *profile(
      *table::parse_table(
          random_table(random, 60, 300, [&](const auto&) { return std::exp(random.normal()); }), "t"),
      "t");
  const auto model = Model::fit(found, {.method = Method::process});
  ASSERT_TRUE(model) << model.error().message;
  const auto& scores = model->scores().scores;
  const auto inside = std::ranges::find(scores, Shift{}, &ShiftScore::shift);
  ASSERT_NE(inside, scores.end());
  EXPECT_GT(inside->median, 0.6) << "half of a normal distribution lies within 0.67 deviations";
}

/// Beyond the range of a column that nothing looks at lies nearly every row of such a table.
TEST(WideIntervals, DoNotGrowWithColumnsThatSayNothing) {
  Random random(4);
  const auto time_of = [&](const auto& cells) {
    return (cells[7] + cells[8]) * std::exp(0.01 * random.normal());
  };
  const auto text = random_table(random, 60, 1200, time_of), asked = random_table(random, 50, 1200, time_of);
  const auto model = Model::fit(*profile(*table::parse_table(text, "t"), "t"), {});
  ASSERT_TRUE(model) << model.error().message;
  const auto query = *table::parse_table(asked, "q");
  const auto said = *model->predict(query);
  std::vector<double> widths;
  std::size_t flagged = 0, covered = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const double truth = query.columns.back().numbers[i];
    widths.push_back(said[i].high / said[i].low);
    flagged += said[i].extrapolates.empty() ? 0 : 1;
    covered += said[i].low <= truth && truth <= said[i].high ? 1 : 0;
  }
  std::ranges::sort(widths);
  EXPECT_LT(widths[widths.size() / 2], 8);
  EXPECT_GE(covered, 43U) << "of 50";
  EXPECT_GE(flagged, 45U);
}

}  // namespace
}  // namespace neph::predict
