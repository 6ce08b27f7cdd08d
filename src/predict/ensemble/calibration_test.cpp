#include "predict/ensemble/calibration.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "predict/model_file/model_file.hpp"

namespace neph::predict {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

double true_time(int batch, int layers, int machine) { return (2 + 0.1 * batch * layers) / machine; }

/// Machines m1 to m3, of which m3 is no multiple of the others' speed: noise of 2 %.
class Calibration : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Random random(1);
    std::string text = "batch,layers,machine,t\n";
    for (const int batch : {1, 2, 4, 8, 16, 32})
      for (const int layers : {4, 6, 8, 12})
        for (const int machine : {1, 2, 3})
          for (int repeat = 0; repeat < 2; ++repeat)
            text += fmt::format("{},{},m{},{}\n", batch, layers, machine,
                                true_time(batch, layers, machine) * std::exp(0.02 * random.normal()));
    FitOptions options;
    options.roles.hardware.machine = "machine";
    const auto fitted = Model::fit(*profile(*table::parse_table(text, "t.csv"), "t"), options);
    ASSERT_TRUE(fitted) << fitted.error().message;
    model_ = std::make_unique<Model>(*read_model(write_model(*fitted), "as a file has it"));
  }
  static void TearDownTestSuite() { model_.reset(); }
  static std::string error_of(const std::string& text) {
    const auto profile = with_rows(*model_, *table::parse_table(text, "few.csv"));
    return profile ? "" : profile.error().text();
  }
  static std::unique_ptr<Model> model_;
};
std::unique_ptr<Model> Calibration::model_;

TEST_F(Calibration, FiveRowsMakeANewMachineKnown) {
  std::string few = "machine,layers,batch,t\n";
  for (const auto& [batch, layers] : {std::pair{1, 4}, {4, 12}, {8, 6}, {16, 8}, {32, 12}})
    few += fmt::format("m9,{},{},{}\n", layers, batch, true_time(batch, layers, 9));
  const auto query = *table::parse_table("batch,layers,machine\n10,10,m9\n2,8,m9\n", "q");
  EXPECT_FALSE(model_->predict(query)->front().refused.empty());
  const auto knowing = calibrated(*model_, *table::parse_table(few, "few.csv"), {});
  ASSERT_TRUE(knowing) << knowing.error().message;
  const auto predictions = *knowing->predict(query);
  const double truths[] = {true_time(10, 10, 9), true_time(2, 8, 9)};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(predictions[i].value, truths[i], 0.1 * truths[i]);
    EXPECT_LT(predictions[i].low, truths[i]);
    EXPECT_GT(predictions[i].high, truths[i]);
  }
  EXPECT_EQ(knowing->origin().points, 77);
  EXPECT_EQ(knowing->origin().rows, 149);
  const auto is_rare = [](const ShiftScore& each) { return each.shift.kind == ShiftKind::rare; };
  EXPECT_TRUE(std::ranges::any_of(knowing->scores().scores, is_rare)) << "intervals without a hold-out";
}

TEST_F(Calibration, ARowOfAKnownPointIsARepeat) {
  const auto before = model_->measured();
  const auto found =
      with_rows(*model_, *table::parse_table("batch,layers,machine,t\n1,4,m1,4\n1,4,m4,5\n1,4,m4,7\n", "f"));
  ASSERT_TRUE(found) << found.error().message;
  const auto& points = found->points;
  EXPECT_EQ(points.target.size(), before.target.size() + 1);
  EXPECT_NEAR(points.target[0], std::pow(before.target[0] * before.target[0] * 4, 1.0 / 3), 1e-9);
  EXPECT_EQ(points.repeats[0], 3);
  EXPECT_EQ(points.features.columns[2].text(3), "m4") << "behind the three machines of batch 1, layers 4";
  EXPECT_NEAR(points.target[3], std::sqrt(5.0 * 7), 1e-9);
  EXPECT_EQ(points.repeats[3], 2);
}

TEST_F(Calibration, DoesNotDependOnTheOrderOfRows) {
  const std::vector<std::string> few{"1,4,m9,0.3", "8,6,m9,0.8", "32,12,m8,4.4", "16,8,m9,1.6", "4,4,m8,0.5"};
  const auto query = *table::parse_table("batch,layers,machine\n10,10,m9\n2,8,m8\n24,5,m2\n", "q");
  const auto answers = [&](const std::vector<std::size_t>& order) {
    std::string text = "batch,layers,machine,t\n";
    for (const auto row : order) text += few[row] + "\n";
    return *calibrated(*model_, *table::parse_table(text, "few.csv"), {})->predict(query);
  };
  const auto first = answers({0, 1, 2, 3, 4}), second = answers({3, 2, 4, 0, 1});
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].value, second[i].value);
    EXPECT_EQ(first[i].high, second[i].high);
  }
}

/// All hold-outs are known then, and none is tried.
TEST_F(Calibration, RowsThatBringNothingNewAreNoTrouble) {
  const auto same = calibrated(*model_, *table::parse_table("batch,layers,machine,t\n1,4,m1,4\n", "f"), {});
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(same->scores().scores.size(), model_->scores().scores.size());
}

TEST_F(Calibration, SaysWhatIsWrongWithARow) {
  EXPECT_THAT(error_of("batch,layers,machine\n1,4,m9\n"), HasSubstr("add what was measured"));
  EXPECT_THAT(error_of("batch,layers,machine,t (ms)\n1,4,m9,2\n"), HasSubstr("'t (ms)'"));
  EXPECT_THAT(error_of("batch,layers,t\n1,4,2\n"), HasSubstr("unknown column 'machine'"));
  EXPECT_THAT(error_of("batch,layers,machine,t\n1,4,m9,2\n1,6,m9,-1\n"),
              HasSubstr("'t' is -1 in row 2; a finite number above 0 is needed"));
  EXPECT_THAT(error_of("batch,layers,machine,t\n1,4,m9,\n"), HasSubstr("'t' is empty in row 1"));
  EXPECT_THAT(error_of("batch,layers,machine,t\n1,4,m9,fast\n"),
              HasSubstr("'t' is no number in row 1 ('fast')"));
  EXPECT_THAT(error_of("batch,layers,machine,t\nmany,4,m9,1\n"),
              HasSubstr("'batch' is 'many', and a number is needed (row 1)"));
  EXPECT_THAT(error_of("batch,layers,machine,t\n-1,4,m9,1\n"), HasSubstr("'batch' is -1 in row 1"));
}

/// A machine that is called by a number in one table, and by a word in the other.
TEST(CalibrationOfNumbers, BecomeTextBesideText) {
  std::string text = "batch,machine,t\n";
  for (int batch = 1; batch <= 8; ++batch)
    for (const int machine : {1, 2}) text += fmt::format("{},{},{}\n", batch, machine, 1.0 * batch / machine);
  FitOptions options{.method = Method::process};
  options.roles.hardware.machine = "machine";
  const auto model = Model::fit(*profile(*table::parse_table(text, "t.csv"), "t"), options);
  ASSERT_TRUE(model) << model.error().message;
  const auto found = with_rows(*model, *table::parse_table("batch,machine,t\n4,new,2\n4,2,2\n", "few.csv"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->points.features.columns[1].levels, ElementsAre("1", "2", "new"));
}

TEST(CalibrationWithUnits, TakesNumbersAlone) {
  std::string text = "size,t\n";
  for (int size = 1; size <= 8; ++size) text += fmt::format("{}MB,{}\n", size, 2.0 * size);
  const auto model =
      Model::fit(*profile(*table::parse_table(text, "t.csv"), "t"), {.method = Method::process});
  ASSERT_TRUE(model) << model.error().message;
  const auto found = with_rows(*model, *table::parse_table("size,t\n4,8\n12,24\n", "few.csv"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->points.features.columns[0].levels, Contains("12MB"));
  EXPECT_EQ(found->points.target.size(), 9U) << "4 is one more repeat of 4MB";
  EXPECT_EQ(
      with_rows(*model, *table::parse_table("size,t\n4 MB,8\n12,24\n", "few.csv"))->points.target.size(), 9U);
  EXPECT_THAT(with_rows(*model, *table::parse_table("size,t\n4GB,8\n", "few.csv")).error().message,
              HasSubstr("'4GB', and was fitted in 'MB'"));
}

}  // namespace
}  // namespace neph::predict
