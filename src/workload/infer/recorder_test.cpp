#include "workload/infer/recorder.hpp"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>

#include "os/file.hpp"

namespace neph::workload {
namespace {

using std::chrono::milliseconds;

struct NoEvents final : EventSink {
  void emit(const Event&) override {}
};

/// Batches of two pictures from a set of three, on a clock that the test moves.
class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    for (const auto* path : {"a.jpg", "b.jpg", "c.jpg"}) set_.usable.push_back({.path = path});
  }

  Recorder recorder(std::int64_t pictures, std::int64_t distinct, const std::string& file = {}) {
    const ItemName name = [this, distinct](std::int64_t item) -> const std::string& {
      return set_.usable[static_cast<std::size_t>(item % distinct)].path;
    };
    return {
        {.items = pictures, .batch = 2}, class_answers(name, pictures, 2, *AnswersFile::open(file)), clock_};
  }

  /// One batch that the engine needs `infer` for, after a pause in which nothing is in flight.
  void add(Recorder& recorder, Nanoseconds infer, Nanoseconds pause = {},
           std::vector<image::FailedPicture> failed = {}) {
    clock_.advance(pause);
    const auto issued = clock_.now();
    clock_.advance(infer);
    const image::Batch batch{.first = recorder.items_done(),
                             .size = 2,
                             .times = {.read = milliseconds(1), .decode = milliseconds(3)},
                             .bytes_read = 1000,
                             .failed = std::move(failed)};
    recorder.add(batch, {issued, clock_.now()}, outputs_of(scores_));
  }

  RunResult finish(const Recorder& recorder, std::int64_t loaders = 2) {
    RunResult result;
    recorder.finish(Timeline(clock_, Moment(), events_), Moment(), clock_.now(), loaders, result);
    return result;
  }

  static Estimate figure(const RunResult& result, std::string_view name) {
    for (const auto& figure : result.figures)
      if (figure.name == name) return figure.estimate;
    return {};
  }

  static Outputs outputs_of(const std::vector<float>& scores) {
    static Output output;
    output = {.name = "scores", .shape = {}, .data = std::as_bytes(std::span(scores))};
    return {&output, 1};
  }

  const std::vector<float> scores_{0, 1, 1, 0};
  image::PictureSet set_;
  ManualClock clock_;
  NoEvents events_;
};

TEST_F(RecorderTest, FiguresAreThoseOfTheWholeMeasurement) {
  auto recorder = this->recorder(4, 3);
  add(recorder, milliseconds(30), milliseconds(10));
  add(recorder, milliseconds(30), milliseconds(30));
  const auto result = finish(recorder);
  EXPECT_DOUBLE_EQ(figure(result, "images_per_s").value, 40);
  EXPECT_FALSE(figure(result, "images_per_s").low) << "two batches carry no interval";
  EXPECT_DOUBLE_EQ(figure(result, "engine_busy").value, 0.6);
  EXPECT_DOUBLE_EQ(figure(result, "loaders_busy").value, 0.04);
  EXPECT_DOUBLE_EQ(figure(result, "first_answer_s").value, 0.04);
  EXPECT_DOUBLE_EQ(figure(result, "read_bytes_per_s").value, 20'000);
  EXPECT_THAT(result.outputs, testing::ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(result.warnings, testing::IsEmpty());
}

TEST_F(RecorderTest, ABatchThatIsShortIsSaidToBe) {
  auto several = this->recorder(3, 3);
  add(several, milliseconds(30));
  clock_.advance(milliseconds(10));
  several.add({.first = 2, .size = 1}, {clock_.now() - milliseconds(10), clock_.now()}, outputs_of(scores_));
  auto result = finish(several);
  EXPECT_EQ(result.facts["last_batch"], "1 of 2 images, not in the latency percentiles");
  auto alone = this->recorder(1, 3);
  alone.add({.first = 0, .size = 1}, {clock_.now() - milliseconds(10), clock_.now()}, outputs_of(scores_));
  result = finish(alone);
  EXPECT_THAT(result.warnings, testing::Contains(testing::Field(&Warning::code, WarningCode::short_batch)));
  EXPECT_FALSE(result.facts.contains("last_batch"));
}

TEST_F(RecorderTest, InferencesThatOverlapKeepTheEngineBusyOnce) {
  auto recorder = this->recorder(4, 3);
  clock_.advance(milliseconds(100));
  const auto at = [](int ms) { return Moment(milliseconds(ms)); };
  recorder.add({.first = 0, .size = 2}, {at(0), at(60)}, outputs_of(scores_));
  recorder.add({.first = 2, .size = 2}, {at(20), at(80)}, outputs_of(scores_));
  const auto result = finish(recorder);
  EXPECT_DOUBLE_EQ(figure(result, "engine_busy").value, 0.8);
  EXPECT_EQ(result.stages[3].name, "infer");
  EXPECT_DOUBLE_EQ(result.stages[3].busy_s, 0.08);
}

TEST_F(RecorderTest, AFailedPictureIsNoAnswer) {
  auto recorder = this->recorder(4, 3);
  add(recorder, milliseconds(50), {}, {{0, "a.jpg: cut short"}});
  add(recorder, milliseconds(50));
  const auto result = finish(recorder);
  EXPECT_DOUBLE_EQ(figure(result, "images_per_s").value, 30);
  EXPECT_DOUBLE_EQ(figure(result, "pictures_failed").value, 1);
  EXPECT_THAT(result.outputs, testing::ElementsAre(-1, 0, 1, 0));
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, WarningCode::pictures_failed);
  EXPECT_EQ(result.warnings[0].weight, Weight::doubt);
}

TEST_F(RecorderTest, ASteadyRunHasANarrowInterval) {
  auto recorder = this->recorder(2 * 53, 3);  // 53 batches: no ten equal stretches of time hold equally many
  for (int i = 0; i < 53; ++i) add(recorder, milliseconds(20));
  const auto rate = figure(finish(recorder), "images_per_s");
  EXPECT_DOUBLE_EQ(rate.value, 100);
  EXPECT_EQ(rate.n, 10);
  EXPECT_NEAR(rate.low.value_or(0), 100, 1e-6);
  EXPECT_NEAR(rate.high.value_or(0), 100, 1e-6);
}

TEST_F(RecorderTest, AnIntervalIsStudentsOverTenStretches) {
  auto recorder = this->recorder(2 * 50, 3);
  for (int i = 0; i < 50; ++i) add(recorder, milliseconds((i / 5) % 2 == 0 ? 18 : 22));
  const auto rate = figure(finish(recorder), "images_per_s");
  EXPECT_DOUBLE_EQ(rate.value, 100);
  // Ten means of 9 and 11 ms a picture: 10 ± t(9, 97.5 %) x sqrt(10/9) / sqrt(10) ms.
  const double half_ms = 2.2621571628 / 3;
  EXPECT_NEAR(rate.low.value_or(0), 1e3 / (10 + half_ms), 1e-6);
  EXPECT_NEAR(rate.high.value_or(0), 1e3 / (10 - half_ms), 1e-6);
}

TEST_F(RecorderTest, BatchesThatGetSlowerAreUnsteady) {
  auto recorder = this->recorder(2 * 30, 3);
  for (int i = 0; i < 30; ++i) add(recorder, milliseconds(100 + i));
  const auto result = finish(recorder);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, WarningCode::unsteady);
}

TEST_F(RecorderTest, NamesThePictureThatWasLoaded) {
  const auto path = testing::TempDir() + "neph-recorder-answers.csv";
  auto recorder = this->recorder(4, 2, path);  // memory held two of the three pictures
  add(recorder, milliseconds(1));
  add(recorder, milliseconds(1));
  ASSERT_TRUE(recorder.close_answers_file());
  const auto lines = *read_file(path);
  EXPECT_THAT(lines, testing::HasSubstr("\na.jpg,1,1,0,0,,,,,,\nb.jpg,0,1,1,0,,,,,,\na.jpg"));
  EXPECT_THAT(lines, testing::Not(testing::HasSubstr("c.jpg")));
  std::filesystem::remove(path);
}

TEST_F(RecorderTest, SaysThatScoresAreNoNumbers) {
  auto recorder = this->recorder(2, 3);
  const image::Batch batch{.size = 2, .failed = {{.index = 1, .reason = "cut short"}}};
  const std::vector<float> nothing{NAN, NAN, NAN, NAN};
  recorder.add(batch, {clock_.now(), clock_.now()}, outputs_of(nothing));
  const auto warnings = finish(recorder).warnings;
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[1].code, WarningCode::no_answer);
  EXPECT_THAT(warnings[1].message, testing::StartsWith("1 images got no answer"));
}

TEST_F(RecorderTest, AnswersThatAreNoClassesAreSummedUp) {
  static const std::string name = "generated 0";
  const auto path = testing::TempDir() + "neph-recorder-tensors.csv";
  const ItemName named = [](std::int64_t) -> const std::string& { return name; };
  Recorder recorder({.items = 2, .batch = 1, .item = Item::sequence, .tokens = 128},
                    *tensor_answers(named, path), clock_);
  const std::vector<std::int64_t> shape{1, 4};
  const std::vector<float> values{3, -3, 3, NAN};
  const Output output{.name = "logits", .shape = shape, .data = std::as_bytes(std::span(values))};
  for (std::int64_t i = 0; i < 2; ++i) {
    clock_.advance(milliseconds(500));
    recorder.add({.index = i, .first = i, .size = 1}, {clock_.now() - milliseconds(500), clock_.now()},
                 {&output, 1});
  }
  ASSERT_TRUE(recorder.close_answers_file());
  const auto result = finish(recorder, 0);
  EXPECT_DOUBLE_EQ(figure(result, "sequences_per_s").value, 2);
  EXPECT_DOUBLE_EQ(figure(result, "tokens_per_s").value, 256);
  EXPECT_TRUE(result.outputs_checksum.empty()) << "there are no classes";
  EXPECT_THAT(result.facts.at("answers"), testing::StartsWith("logits f32 [1, 4]: mean 1, rms 3, mark "));
  EXPECT_THAT(*read_file(path), testing::StartsWith("input,output,type,shape,mean,rms,mark\n"
                                                    "generated 0,logits,f32,\"[1, 4]\",1,3,"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace neph::workload
