#include "workload/timeline.hpp"

#include <gtest/gtest.h>

namespace neph::workload {
namespace {

class Told final : public EventSink {
 public:
  void emit(const Event& event) override {
    if (const auto* phase = std::get_if<Phase>(&event)) phases.push_back(*phase);
  }
  std::vector<Phase> phases;
};

class TimelineOfARun : public testing::Test {
 protected:
  ManualClock clock_;
  Told told_;
  Timeline timeline_{clock_, Moment(), told_};
};

TEST_F(TimelineOfARun, NoPhaseEndsBeforeItBegins) {
  timeline_.add(phase::measure, 0.5, 5.5);
  timeline_.add(phase::drain, 5.5, 5.312);
  ASSERT_EQ(timeline_.phases().size(), 2u);
  EXPECT_EQ(timeline_.phases()[1].begin_s, 5.5);
  EXPECT_EQ(timeline_.phases()[1].end_s, 5.5);
  EXPECT_EQ(told_.phases[1].end_s, 5.5) << "what is told is what is kept";
}

TEST_F(TimelineOfARun, APhaseLastsAsLongAsItsBody) {
  clock_.advance(std::chrono::milliseconds(250));
  EXPECT_EQ(timeline_.during(phase::connect,
                             [&] {
                               clock_.advance(std::chrono::milliseconds(500));
                               return 7;
                             }),
            7);
  EXPECT_EQ(timeline_.phases()[0].begin_s, 0.25);
  EXPECT_EQ(timeline_.phases()[0].end_s, 0.75);
}

}  // namespace
}  // namespace neph::workload
