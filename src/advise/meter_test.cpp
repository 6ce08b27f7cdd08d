// The fast meter against the exact bill.
#include "advise/meter.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::advise {
namespace {

double exact(const price::Rule& rule, price::Instant begin, const std::vector<Segment>& segments,
             double job_s) {
  price::Start start{.begin = begin, .stretches = {}};
  for (const auto& segment : segments)
    start.stretches.push_back(
        {.stage = segment.stage, .length = from_seconds(segment.fixed_s + segment.share * job_s)});
  const auto bill = price::bill(rule, price::parse_price("1USD/h").value(), std::vector{start}).value();
  return seconds(bill.billed);
}

TEST(Meter, AgreesWithTheBillOfEveryRule) {
  Random random(7);
  const auto noon = price::parse_instant("2026-11-24T12:00Z", "UTC", {}).value();
  for (const auto& rule : price::built_in_rules())
    for (int i = 0; i < 300; ++i) {
      const auto begin = noon + std::chrono::milliseconds(random.below(7'200'000));
      const auto ms = [&](std::uint64_t most) { return 1e-3 * static_cast<double>(random.below(most)); };
      const std::vector<Segment> segments{{.stage = BillStage::provision, .fixed_s = ms(60'000)},
                                          {.stage = BillStage::boot, .fixed_s = ms(90'000)},
                                          {.stage = BillStage::install, .fixed_s = ms(600'000)},
                                          {.stage = BillStage::start, .share = 0.1},
                                          {.stage = BillStage::learn, .share = 0.9},
                                          {.stage = BillStage::poweroff, .fixed_s = ms(60'000)}};
      const double job_s = ms(20'000'000);
      const auto meter = Meter::of(rule, begin, segments).value();
      EXPECT_NEAR(meter.billed_s(job_s), exact(rule, begin, segments, job_s), 1e-6)
          << rule.name << " " << i << " " << job_s;
    }
}

TEST(Meter, DoesNotBeginAStepThatIsJustReached) {
  const auto noon = price::parse_instant("2026-11-24T12:00Z", "UTC", {}).value();
  for (const auto* name : {"ru-2017-hour", "selectel"}) {
    const auto rule = price::find_rule(name, price::built_in_rules()).value();
    const std::vector<Segment> segments{{.stage = BillStage::learn, .share = 0.1},
                                        {.stage = BillStage::save, .share = 0.9}};
    const auto meter = Meter::of(rule, noon, segments).value();
    EXPECT_EQ(meter.billed_s(3600), 3600) << name;
    EXPECT_EQ(meter.billed_s(3600.001), 7200) << name;
  }
}

TEST(Meter, PaysForClockStepsOnBothSidesOfAnUnpaidStage) {
  auto rule = price::find_rule("selectel", price::built_in_rules()).value();
  rule.billed.install = false;
  const auto begin = price::parse_instant("2026-11-24T12:50Z", "UTC", {}).value();
  const std::vector<Segment> segments{{.stage = BillStage::boot, .fixed_s = 60},
                                      {.stage = BillStage::install, .fixed_s = 3 * 3600},
                                      {.stage = BillStage::learn, .share = 1}};
  const auto meter = Meter::of(rule, begin, segments).value();
  EXPECT_EQ(meter.billed_s(60), 2 * 3600) << "the hours from 12 and from 15";
  EXPECT_EQ(meter.billed_s(60), exact(rule, begin, segments, 60));
}

}  // namespace
}  // namespace neph::advise
