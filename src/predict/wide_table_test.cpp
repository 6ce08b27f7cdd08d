// Tables of many columns, most of which say nothing.
#include <bit>
#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "predict/model.hpp"
#include "predict/model_file.hpp"

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
    options.roles.machine = fmt::format("k{}", categories - 1);
    auto model = Model::fit(*survey(*parse_table(text, "t.csv"), "t"), options);
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
  const auto answers = *model_->predict(*parse_table(text, "q"));
  double error = 0;
  for (std::size_t i = 0; i < times.size(); ++i) error += std::abs(answers[i].value / times[i] - 1) / 50;
  EXPECT_LT(error, 0.1);
  for (const auto& candidate : model_->candidates()) {
    ASSERT_TRUE(candidate.sight());
    EXPECT_THAT(candidate.sight()->categories, testing::Contains(categories - 1)) << "the machine";
    EXPECT_LE(candidate.sight()->categories.size(), 13U);
    EXPECT_LE(candidate.sight()->numbers.size(), 24U);
  }

  const auto read = read_model(write_model(*model_), "m.json");
  ASSERT_TRUE(read) << read.error().message;
  const auto again = *read->predict(*parse_table(text, "q"));
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(answers[i].value), std::bit_cast<std::uint64_t>(again[i].value));
}

TEST_F(WideTable, AModelThatLooksBeyondItsColumnsIsRefused) {
  const auto json = *parse_json(write_model(*model_), "it");
  for (const char* part : {"numbers", "categories"})
    for (const auto column : {-1, 5, 99}) {  // 5: some column twice, or out of order
      auto edited = json;
      auto& seen = edited["candidates"][0]["sight"][part];
      seen.back() = seen.size() > 1 && column == 5 ? seen.front() : Json(column);
      const auto read = read_model(dump_json(edited), "m.json");
      ASSERT_FALSE(read) << part << " " << column;
      EXPECT_THAT(read.error().message, HasSubstr("which columns are seen"));
    }
}

}  // namespace
}  // namespace neph::predict
