#include "workload/command/event_line.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace neph::workload::command {
namespace {

constexpr Lifetime life{.begin_s = 100, .now_s = 110};

Told read(std::string_view line) {
  const auto told = read_event(line, life);
  EXPECT_TRUE(told) << line << ": " << (told ? "" : told.error().text());
  return told.value_or(Told{});
}

std::string refused(std::string_view line) {
  const auto told = read_event(line, life);
  return told ? "" : told.error().text();
}

TEST(EventLine, AStepIsNowUnlessItSaysWhen) {
  EXPECT_EQ(std::get<Steps>(read(R"({"event":"step"})").what).ends_s, std::vector{110.0});
  EXPECT_EQ(std::get<Steps>(read(R"({"event":"step","at_s":104.5})").what).ends_s, std::vector{104.5});
}

TEST(EventLine, HooksTellManySteps) {
  const auto told = read(R"({"event":"steps","from":"torch","pid":7,"stream":1,"at_s":[101.5,102.25]})");
  EXPECT_EQ(told.by, Teller::torch);
  EXPECT_EQ(told.pid, 7);
  EXPECT_EQ(std::get<Steps>(told.what).stream, 1);
  EXPECT_EQ(std::get<Steps>(told.what).ends_s, (std::vector{101.5, 102.25}));
}

TEST(EventLine, ASpanKnowsWhetherALoopWasLeftEarly) {
  const auto whole = read(
      R"({"event":"span","phase":"loop","begin_s":101,"end_s":102,"drawn":5,"batches":5,"samples":1000})");
  EXPECT_TRUE(std::get<Span>(whole.what).is_whole);
  EXPECT_EQ(std::get<Span>(whole.what).samples, 1000);
  const auto left =
      read(R"({"event":"span","phase":"loop","begin_s":101,"end_s":102,"drawn":2,"batches":5})");
  EXPECT_FALSE(std::get<Span>(left.what).is_whole);
}

TEST(EventLine, BordersOfAPhaseMakeASpan) {
  Tellings all;
  all.add(read(R"({"event":"begin","phase":"verify","at_s":103})"));
  all.add(read(R"({"event":"end","phase":"verify","at_s":104})"));
  all.add(read(R"({"event":"end","phase":"save"})"));  // never begun
  ASSERT_EQ(all.by[Teller::events].spans.size(), 1U);
  EXPECT_EQ(all.by[Teller::events].spans[0].kind, SpanKind::verify);
  EXPECT_EQ(all.by[Teller::events].spans[0].end_s, 104);
}

TEST(EventLine, AValueMayBeNoNumber) {
  const auto told = read(R"({"event":"value","name":"train_loss","value":"nan"})");
  EXPECT_TRUE(std::isnan(std::get<Figure>(told.what).number));
  EXPECT_EQ(std::get<Figure>(read(R"({"event":"value","name":"test_accuracy","value":0.5})").what).number,
            0.5);
}

TEST(EventLine, GarbageIsRefusedWithItsReason) {
  for (const auto* line : {"", "step", "{", "[1,2]", "\xff\xfe", R"({"event":"step")", "null", "7"})
    EXPECT_EQ(refused(line), "it is no JSON object") << line;
  EXPECT_NE(refused(R"({"event":"stpe"})").find("'step'"), std::string::npos);
  EXPECT_NE(refused(R"({"event":7})"), "");
  EXPECT_NE(refused(R"({"event":"steps"})"), "");
  EXPECT_NE(refused(R"({"event":"steps","at_s":["x"]})"), "");
  EXPECT_NE(refused(R"({"event":"steps","at_s":[101],"stream":-1})"), "");
  EXPECT_NE(refused(R"({"event":"span","phase":"save","begin_s":104,"end_s":103})"), "");
  EXPECT_NE(refused(R"({"event":"span","phase":"sav","begin_s":103,"end_s":104})").find("'save'"),
            std::string::npos);
  EXPECT_NE(refused(R"({"event":"span","phase":"save","begin_s":103,"end_s":104,"bytes":1e300})"), "");
  EXPECT_NE(refused(R"({"event":"value","name":"loss","value":1})"), "");
  EXPECT_NE(refused(R"({"event":"value","name":"train_loss"})"), "");
}

TEST(EventLine, MomentsOfAnotherClockAreRefused) {
  EXPECT_NE(refused(R"({"event":"step","at_s":1764072000.5})").find("CLOCK_MONOTONIC"), std::string::npos);
  EXPECT_NE(refused(R"({"event":"step","at_s":99})"), "");
  EXPECT_EQ(refused(R"({"event":"step","at_s":110.001})"), "");
}

}  // namespace
}  // namespace neph::workload::command
