#include "predict/ensemble/model.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "predict/models/noisy_work_test.hpp"

namespace neph::predict {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// 2 ms and 0.1 ms per unit of work, on machines of speed 1, 2, 3; noise of 2 %.
double true_time(int batch, int layers, int machine) { return (2 + 0.1 * batch * layers) / machine; }

std::string rows(const std::vector<int>& batches, int machines, Random* noise) {
  std::string text = "batch,layers,machine,t\n";
  for (const int batch : batches)
    for (const int layers : {4, 6, 8, 12})
      for (int machine = 1; machine <= machines; ++machine)
        text +=
            fmt::format("{},{},m{},{}\n", batch, layers, machine,
                        true_time(batch, layers, machine) * (noise ? std::exp(0.02 * noise->normal()) : 1));
  return text;
}

class ModelOfTimes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Random random(1);
    const auto table = *table::parse_table(rows({1, 2, 4, 8, 16, 32}, 3, &random), "t");
    FitOptions options;
    options.roles.hardware.machine = "machine";
    options.progress = [](std::size_t done, std::size_t all) { ASSERT_LE(done, all); };
    auto fitted = Model::fit(*profile(table, "t"), options);
    ASSERT_TRUE(fitted) << fitted.error().message;
    model_ = std::make_unique<Model>(std::move(*fitted));
  }
  static void TearDownTestSuite() { model_.reset(); }
  static std::vector<Prediction> predicted(const std::string& text) {
    auto predictions = model_->predict(*table::parse_table(text, "q"));
    EXPECT_TRUE(predictions) << predictions.error().message;
    return predictions ? *predictions : std::vector<Prediction>{};
  }
  static std::unique_ptr<Model> model_;
};
std::unique_ptr<Model> ModelOfTimes::model_;

TEST_F(ModelOfTimes, IsRightInsideAndSaysNothingOfExtrapolation) {
  for (const auto& prediction : predicted("batch,layers,machine\n3,5,m1\n10,10,m2\n24,7,m3\n")) {
    EXPECT_THAT(prediction.extrapolates, IsEmpty());
    EXPECT_LT(prediction.high / prediction.low, 1.5);
    EXPECT_LT(prediction.low, prediction.value);
  }
  EXPECT_NEAR(predicted("batch,layers,machine\n10,10,m2\n")[0].value, true_time(10, 10, 2),
              0.06 * true_time(10, 10, 2));
}

TEST_F(ModelOfTimes, SaysWhatItExtrapolatesAndHowFar) {
  const auto prediction = predicted("batch,layers,machine\n64,12,m2\n").front();
  ASSERT_THAT(prediction.extrapolates, SizeIs(1));
  EXPECT_EQ(prediction.extrapolates[0].column, "batch");
  EXPECT_EQ(prediction.extrapolates[0].how_far, "64, measured up to 32");
  EXPECT_NEAR(prediction.value, true_time(64, 12, 2), 0.1 * true_time(64, 12, 2));
  EXPECT_LT(prediction.low, true_time(64, 12, 2));
  EXPECT_GT(prediction.high, true_time(64, 12, 2));
  EXPECT_EQ(predicted("batch,layers,machine\n1,2,m2\n")[0].extrapolates[0].how_far, "2, measured down to 4");
}

TEST_F(ModelOfTimes, RefusesAMachineThatNobodyMeasured) {
  const auto prediction = predicted("batch,layers,machine\n8,8,m9\n").front();
  EXPECT_TRUE(std::isnan(prediction.value));
  EXPECT_THAT(prediction.refused, HasSubstr("no row of this machine was measured"));
}

TEST_F(ModelOfTimes, KnowsTheNearestPoints) {
  const auto near = *model_->nearest(*table::parse_table("batch,layers,machine\n8,8,m2\n", "q"), 3);
  ASSERT_THAT(near, SizeIs(1));
  EXPECT_THAT(near[0], SizeIs(3));
  EXPECT_EQ(near[0][0], (3 * 4 + 2) * 3 + 1U) << "batch 8, layers 8, m2 itself";
}

/// Against each point's place in the whole order, worked out point by point; 400 is far outside the range.
TEST_F(ModelOfTimes, NearestAreThoseThatDifferInTheFewestCategoriesAndThenInNumbers) {
  const auto& points = model_->measured().features;
  for (const double batch : {1.0, 3.0, 20.0, 400.0})
    for (const std::string machine : {"m1", "m3", "new"}) {
      const auto asked = fmt::format("batch,layers,machine\n{},7,{}\n", batch, machine);
      std::vector<std::tuple<bool, double, std::size_t>> all;
      for (std::size_t i = 0; i < points.rows; ++i) {
        const double batches = std::log(points.columns[0].numbers[i] / batch) / std::log(32.0),
                     layers = std::log(points.columns[1].numbers[i] / 7) / std::log(12.0 / 4);
        all.emplace_back(points.columns[2].text(i) != machine, batches * batches + layers * layers, i);
      }
      std::ranges::sort(all);
      const auto near = (*model_->nearest(*table::parse_table(asked, "q"), 30)).front();
      ASSERT_THAT(near, SizeIs(30));
      for (std::size_t i = 0; i < near.size(); ++i) {
        const auto found =
            std::ranges::find(all, near[i], [](const auto& each) { return std::get<2>(each); });
        EXPECT_EQ(std::get<0>(*found), std::get<0>(all[i]));
        EXPECT_NEAR(std::get<1>(*found), std::get<1>(all[i]), 1e-12) << asked << "the " << i << "th";
      }
    }
}

/// The median of the numbers, which stands for an empty cell elsewhere, is 4.
TEST(Model, APointWithoutANumberIsNearestToARowWithoutIt) {
  std::string text = "batch,cache,t\n";
  for (const int batch : {1, 2, 4, 8})
    for (const char* cache : {"2", "4", "8", ""})
      text += fmt::format("{},{},{}\n", batch, cache, *cache == '\0' ? 100 + batch : batch);
  const auto model = *Model::fit(*profile(*table::parse_table(text, "t"), "t"), {.method = Method::process});
  const auto nearest = *model.nearest(*table::parse_table("batch,cache\n2,\n2,4\n", "q"), 1);
  EXPECT_NEAR(model.measured().target[nearest[0].front()], 102, 1e-9);
  EXPECT_NEAR(model.measured().target[nearest[1].front()], 2, 1e-9);
}

TEST(Model, AnotherValueOfAConstantDoesNotHideWhichPointsAreNear) {
  std::string text = "batch,layers,gpus,t\n";
  for (const int batch : {1, 2, 4, 8})
    for (const int layers : {2, 4, 8}) text += fmt::format("{},{},8,{}\n", batch, layers, batch * layers);
  const auto model = *Model::fit(*profile(*table::parse_table(text, "t"), "t"), {.method = Method::process});
  const auto nearest =
      model.nearest(*table::parse_table("batch,layers,gpus\n8,8,16\n", "q"), 1)->front().front();
  EXPECT_NEAR(model.measured().target[nearest], 64, 1e-9);
}

/// A number that never differed means what the terms say of it, and no more than can be known without them.
TEST(Model, TermsKnowNumbersThatNeverDiffered) {
  std::string text = "batch,width,t\n";
  for (int batch = 1; batch <= 40; ++batch) text += fmt::format("{},100,{}\n", batch, 3 + 0.5 * batch);
  const auto found = *profile(*table::parse_table(text, "t"), "t");
  const auto query = *table::parse_table("batch,width\n10,200\n", "q");
  FitOptions options{.method = Method::terms};
  options.roles.terms = {.work = {"batch*width^2"}, .latency = {"1"}};
  const auto with = Model::fit(found, options)->predict(query)->front();
  EXPECT_NEAR(with.value, 3 + 0.5 * 10 * 4, 0.01);
  EXPECT_EQ(with.extrapolates.front().kind, ShiftKind::unvaried);
  options.roles.terms = {.work = {"batch"}, .latency = {"1"}};
  EXPECT_NEAR(Model::fit(found, options)->predict(query)->front().value, 8 * std::pow(2, 0.3), 0.01);
}

TEST(Model, TheSameTableGivesTheSameModelHoweverManyThreads) {
  Random random(2);
  const auto found = *profile(*table::parse_table(rows({1, 2, 4, 8}, 2, &random), "t"), "t");
  const auto query = *table::parse_table("batch,layers,machine\n3,5,m1\n30,7,m2\n", "q");
  const auto one = *Model::fit(found, {.threads = 1})->predict(query);
  const auto four = *Model::fit(found, {.threads = 4})->predict(query);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(one[i].value, four[i].value);
    EXPECT_EQ(one[i].high, four[i].high);
  }
}

/// A cache of 0 to 256, most often 0 or 256: nothing is held out between its values, and what was seen
/// between those of the batch speaks for it.
TEST(Model, AnotherUnitOfANumberChangesNothing) {
  const auto answer = [](double unit, double cache, double batch) {
    std::string text = "batch,cache,t\n";
    for (const int cached : {0, 64, 128, 256})
      for (int i = 0; i < (cached % 256 == 0 ? 20 : 1); ++i) {
        const double size = std::exp2(i % 6);
        text +=
            fmt::format("{},{},{}\n", size, unit * cached, (2 + size) * (1 + 0.01 * (i % 3)) + 0.01 * cached);
      }
    const auto model = Model::fit(*profile(*table::parse_table(text, "t"), "t"), {});
    const auto query = fmt::format("batch,cache\n{},{}\n", batch, unit * cache);
    return model->predict(*table::parse_table(query, "q"))->front();
  };
  for (const double cache : {32, 400}) {
    const auto in_one = answer(1, cache, 4), in_other = answer(1024, cache, 4);
    EXPECT_NEAR(in_other.high / in_other.low, in_one.high / in_one.low, 1e-3 * in_one.high / in_one.low);
    EXPECT_LT(in_one.high / in_one.low, 20) << cache;
  }
}

TEST(Model, OfALevelBesideOnlyOneLittleIsKnown) {
  std::string text = "mode,batch,t\n";
  for (int batch = 1; batch <= 20; ++batch) text += fmt::format("inference,{},{}\n", batch, 2 + batch);
  const auto model = Model::fit(*profile(*table::parse_table(text, "t"), "t"), {});
  const auto said = *model->predict(*table::parse_table("mode,batch\ninference,4\ntraining,4\n", "q"));
  EXPECT_LT(said[0].high / said[0].low, 1.1);
  EXPECT_TRUE(std::isnan(said[1].low) && std::isnan(said[1].high)) << "nothing was tried without a level";
  EXPECT_GT(said[1].value, 0);
  EXPECT_EQ(said[0].no_interval, "");
  EXPECT_THAT(said[1].no_interval,
              HasSubstr("unseen category of mode: no part of the table could be left out"));
  EXPECT_EQ(said[1].extrapolates.front().how_far, "'training' was not measured");
}

/// A temperature below and above 0: no power of it is a time's.
TEST(Model, GivesRowsWhatNeverDiffered) {
  std::string text = "batch,gpu,cores,cache,t\n";
  for (int batch = 1; batch <= 20; ++batch) text += fmt::format("{},T4,2,,{}\n", batch, 2 + batch);
  const auto model = Model::fit(*profile(*table::parse_table(text, "t"), "t"), {});
  auto rows = *table::parse_table("batch,gpu\n4,V100\n5,T4\n", "q");
  EXPECT_THAT(model->add_constants(rows), testing::ElementsAre("cores 2", "cache empty"));
  EXPECT_EQ(rows.columns[2].numbers, (std::vector<double>{2, 2}));
  const auto said = *model->predict(rows);
  EXPECT_EQ(said[0].extrapolates.front().how_far, "'V100' was not measured");
  EXPECT_THAT(said[1].extrapolates, IsEmpty());
  auto others = *table::parse_table("gpu,cores (n)\nT4,2\n", "q");
  EXPECT_THAT(model->add_constants(others), testing::ElementsAre("cache empty")) << "one may be the other";
  EXPECT_THAT(model->predict(others).error().text(), HasSubstr("unknown column 'batch'"));
}

TEST(Model, RefusesWhatLiesBeyondAnyInterval) {
  std::string text = "degrees,t\n";
  for (int degrees = -20; degrees <= 20; degrees += 2) text += fmt::format("{},{}\n", degrees, 30 + degrees);
  const auto model = Model::fit(*profile(*table::parse_table(text, "t"), "t"), {});
  const auto said = *model->predict(*table::parse_table("degrees\n3\n25\n1e6\n", "q"));
  EXPECT_EQ(said[0].refused + said[1].refused, "");
  EXPECT_TRUE(std::isnan(said[2].value));
  EXPECT_THAT(said[2].refused, HasSubstr("measure nearer to it"));
  EXPECT_EQ(said[2].extrapolates.front().how_far, "1000000, measured up to 20");
}

TEST(Model, RefusesARowWhoseNetworkCannotBeBuiltAndAnswersTheOthersAsAlone) {
  const auto model =
      *Model::fit(steps_of_networks(), {.roles = roles_of_networks, .method = Method::process});
  const auto asked = [&](const std::string& rows) {
    return *model.predict(*table::parse_table("model,side,batch\n" + rows, "q"));
  };
  const auto all = asked("vgg16,100,4\ninceptionv3,64,4\nresnet50,64,24\n");
  EXPECT_THAT(all[1].refused, HasSubstr("inceptionv3 cannot be built so"));
  EXPECT_TRUE(std::isnan(all[1].value) && std::isnan(all[1].low) && std::isnan(all[1].high));
  EXPECT_NEAR(all[0].value, asked("vgg16,100,4\n")[0].value, 1e-9 * all[0].value);
  EXPECT_NEAR(all[2].high, asked("resnet50,64,24\n")[0].high, 1e-9 * all[2].high);
}

TEST(Model, ATableOfTextAloneHasAnInside) {
  const auto found =
      *profile(*table::parse_table("a,b,t\nx,p,1\nx,q,2\ny,p,3\ny,q,4\nz,p,5\nz,q,6\n", "t"), "t");
  const auto model = Model::fit(found, {});
  ASSERT_TRUE(model) << model.error().message;
  for (const auto& score : model->scores().scores) EXPECT_NE(model->words({{score.shift}}), "");
}

TEST(Model, FitsTheSmallestTable) {
  const auto found = *profile(*table::parse_table("x,t\n1,1\n2,2\n3,3\n4,4\n5,5\n", "t"), "t");
  const auto model = Model::fit(found, {});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_NEAR(model->predict(*table::parse_table("x\n2.5\n", "q"))->front().value, 2.5, 0.5);
}

}  // namespace
}  // namespace neph::predict
