#include "price/around.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::price {
namespace {

using enum BillStage;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::pair<BillStage, double>> told(const std::vector<Stretch>& stretches) {
  std::vector<std::pair<BillStage, double>> all;
  for (const auto& stretch : stretches)
    all.emplace_back(stretch.stage, std::chrono::duration<double>(stretch.length).count());
  return all;
}

std::string refusal(std::string_view lines) {
  const auto marks = parse_marks(lines, "run.marks");
  return marks ? "" : marks.error().text();
}

TEST(Marks, AreReadInTheOrderOfTime) {
  const auto marks = parse_marks(
                         "{\"stage\": \"learn\", \"begin_s\": 100, \"end_s\": 160.25}\n\n"
                         "{\"stage\": \"boot\", \"begin_s\": 0, \"end_s\": 41.5, \"by\": \"kernel\"}\n"
                         "{\"stage\": \"install\", \"begin_s\": 41.5, \"end_s\": 90}",
                         "run.marks")
                         .value();
  ASSERT_EQ(marks.size(), 1);
  EXPECT_THAT(told(marks[0].stages),
              ElementsAre(std::pair(boot, 41.5), std::pair(install, 48.5), std::pair(learn, 70.25)))
      << "what lies between two is paid too";
  EXPECT_EQ(marks[0].stages[0].known, Known::measured);
  EXPECT_EQ(begin_of(marks), std::nullopt) << "a clock that counts from the boot tells no day";
}

TEST(Marks, OfAnotherBootAreAnotherStart) {
  const auto marks = parse_marks(
                         "{\"stage\": \"boot\", \"begin_s\": 0, \"end_s\": 40}\n"
                         "{\"stage\": \"provision\", \"begin_s\": 990, \"end_s\": 1000}\n"
                         "{\"stage\": \"boot\", \"begin_s\": 1000, \"end_s\": 1030}",
                         "run.marks")
                         .value();
  ASSERT_EQ(marks.size(), 2);
  EXPECT_THAT(told(marks[0].stages), ElementsAre(std::pair(boot, 40.0)));
  EXPECT_THAT(told(marks[1].stages), ElementsAre(std::pair(provision, 10.0), std::pair(boot, 30.0)));
  EXPECT_EQ(marks[1].at - marks[0].at, seconds(990));
}

TEST(Marks, SinceThe1970sMakeNoStepLonger) {
  const auto marks =
      parse_marks("{\"stage\": \"boot\", \"begin_s\": 1795600000.1, \"end_s\": 1795600060.1}", "m").value();
  EXPECT_EQ(marks[0].stages[0].length, minutes(1));
  EXPECT_EQ(begin_of(marks), Instant(milliseconds(1795600000100)));
}

TEST(Marks, NameTheLineThatIsWrong) {
  EXPECT_THAT(refusal("{\"stage\": \"boot\", \"begin_s\": 5, \"end_s\": 4}"),
              HasSubstr("run.marks, line 1: boot ends before it begins"));
  EXPECT_THAT(refusal("{\"stage\": \"boot\", \"begin_s\": 0, \"end_s\": 40}\n"
                      "{\"stage\": \"install\", \"begin_s\": 39, \"end_s\": 50}"),
              HasSubstr("install (line 2) begins before boot (line 1) has ended"));
  EXPECT_THAT(refusal("{\"stage\": \"boott\", \"begin_s\": 0, \"end_s\": 40}"),
              HasSubstr("did you mean 'boot'?"));
  EXPECT_THAT(refusal("\n{\"stage\": \"boot\", \"begin_s\": 0}"), HasSubstr("line 2: no number end_s"));
  EXPECT_THAT(refusal("{\"stage\": \"boot\", \"begin_s\": \"0\", \"end_s\": 1}"), HasSubstr("begin_s"));
  EXPECT_THAT(refusal("{\"stage\": \"boot\", \"begin_s\": 0, \"end_s\": 1e300}"), HasSubstr("100 years"));
  EXPECT_THAT(refusal("{\"stage\": \"boot\", \"begin_s\": 0, \"end_s\": 9.3e9}"), HasSubstr("100 years"))
      << "it would not fit into nanoseconds";
  EXPECT_THAT(refusal("[1]"), HasSubstr("no stage"));
  EXPECT_THAT(refusal("boot 40"), HasSubstr("line 1"));
  EXPECT_THAT(refusal(" \n"), HasSubstr("no marks in it"));
}

TEST(Stage, IsGivenWithItsLength) {
  const auto stretch = parse_stage("boot=40s", "--phase").value();
  EXPECT_EQ(stretch.stage, boot);
  EXPECT_EQ(stretch.length, seconds(40));
  EXPECT_EQ(stretch.known, Known::given);
  EXPECT_THAT(parse_stage("boot", "--phase").error().text(), HasSubstr("--phase boot: how long?"));
  EXPECT_THAT(parse_stage("bot=1s", "--assume").error().text(), HasSubstr("did you mean 'boot'?"));
  EXPECT_THAT(parse_stage("boot=-1s", "--phase").error().text(), HasSubstr("-1s"));
}

Stretch stretch(BillStage stage, int length_s) { return {.stage = stage, .length = seconds(length_s)}; }

TEST(StagesOfStart, GoFromWhatIsGivenToWhatIsAssumed) {
  const Sources sources{.given = {stretch(boot, 1)},
                        .marks = {stretch(boot, 2), stretch(install, 3), stretch(data_load, 4)},
                        .job = {stretch(data_load, 5), stretch(learn, 6)},
                        .assumed = usual_assumptions()};
  EXPECT_THAT(told(stages_of_start(sources)),
              ElementsAre(std::pair(boot, 1.0), std::pair(install, 3.0), std::pair(data_load, 4.0),
                          std::pair(data_load, 5.0), std::pair(learn, 6.0), std::pair(poweroff, 30.0)));
}

TEST(StagesOfStart, HaveWorkOnce) {
  const Sources marked{.marks = {stretch(learn, 70)}, .job = {stretch(start, 1), stretch(learn, 6)}};
  EXPECT_THAT(told(stages_of_start(marked)), ElementsAre(std::pair(start, 1.0), std::pair(learn, 6.0)))
      << "the script's learn is all of the program's run";
  const Sources alone{.marks = {stretch(learn, 70)}};
  EXPECT_THAT(told(stages_of_start(alone)), ElementsAre(std::pair(learn, 70.0)));
}

TEST(StagesOfStart, OfAWarmMachineAreThoseOfTheJob) {
  const Sources sources{.given = {stretch(idle, 60)},
                        .marks = {stretch(boot, 2), stretch(save, 3)},
                        .job = {stretch(learn, 6)},
                        .assumed = usual_assumptions()};
  EXPECT_THAT(told(stages_of_start(on_a_warm_machine(sources))),
              ElementsAre(std::pair(learn, 6.0), std::pair(save, 3.0), std::pair(idle, 60.0)));
}

TEST(StagesOfStart, ThatAreAbsentAreSaid) {
  const auto all = with_absent({stretch(boot, 40), stretch(learn, 6), stretch(learn, 7), stretch(idle, 8)});
  std::vector<std::pair<BillStage, bool>> known;
  for (const auto& each : all) known.emplace_back(each.stage, each.known != Known::absent);
  EXPECT_THAT(known,
              ElementsAre(std::pair(provision, false), std::pair(boot, true), std::pair(install, false),
                          std::pair(data_load, false), std::pair(start, false), std::pair(learn, true),
                          std::pair(learn, true), std::pair(verify, false), std::pair(save, false),
                          std::pair(idle, true), std::pair(poweroff, false)));
}

TEST(Assumptions, OfAUserGoBeforeTheUsual) {
  const auto all = assumptions_with({{.stage = boot, .length = milliseconds(1500), .known = Known::given},
                                     {.stage = provision, .length = seconds(9)}});
  EXPECT_THAT(told(all), ElementsAre(std::pair(boot, 1.5), std::pair(provision, 9.0),
                                     std::pair(install, 300.0), std::pair(poweroff, 30.0)));
  for (const auto& each : all) EXPECT_EQ(each.known, Known::assumed);
}

}  // namespace
}  // namespace neph::price
