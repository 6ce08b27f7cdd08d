#include "report/effect.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

CellSummary cell(std::int64_t index, Json factors) {
  CellSummary made{.runs_ok = 2};
  made.cell.index = index;
  made.cell.factors = std::move(factors);
  return made;
}

Run run(std::int64_t cell, std::int64_t repeat, double speed) {
  Run made{.cell = cell, .repeat = repeat};
  made.result.figures = {{"images_per_s", "images/s", {.value = speed, .n = 1}}};
  return made;
}

std::optional<double> speed(const Run& run) { return neph::speed_of(view::infer, run); }

std::function<bool(const CellSummary&)> in_mode(const char* mode) {
  return [mode](const CellSummary& cell) { return cell.cell.factors.value("mode", "") == mode; };
}

TEST(Alike, NeedsTheOtherFactorsEqual) {
  const auto a = cell(0, {{"batch", 1}, {"mode", "sync"}}), b = cell(1, {{"batch", 1}, {"mode", "async"}});
  const auto c = cell(2, {{"batch", 8}, {"mode", "sync"}});
  EXPECT_TRUE(alike(a, b, {"mode"}));
  EXPECT_FALSE(alike(a, b, {}));
  EXPECT_FALSE(alike(b, c, {"mode"}));
}

TEST(Alike, PassesOverWhatMeansNothingInOneOfThem) {
  const auto here = cell(0, {{"architecture", "in-process"}, {"files", "off"}});
  const auto there = cell(1, {{"architecture", "local"}, {"protocol", "grpc"}, {"files", "off"}});
  const auto jpeg = cell(2, {{"architecture", "local"}, {"protocol", "grpc"}, {"payload", "jpeg"}});
  EXPECT_TRUE(alike(here, there, {"architecture"}));
  EXPECT_FALSE(alike(here, jpeg, {"architecture", "payload"})) << "a server that decodes reads files";
}

TEST(Ratio, IsTakenRepeatByRepeatOverAllPairs) {
  Document document;
  document.cells = {cell(0, {{"batch", 1}, {"mode", "sync"}}), cell(1, {{"batch", 1}, {"mode", "async"}}),
                    cell(2, {{"batch", 8}, {"mode", "sync"}}), cell(3, {{"batch", 8}, {"mode", "async"}})};
  document.runs = {run(0, 0, 10), run(1, 0, 20), run(2, 0, 10), run(3, 0, 80),   // 2 and 8: 4 times
                   run(0, 1, 30), run(1, 1, 60), run(2, 1, 5),  run(3, 1, 40)};  // the same in another hour
  const auto pairs = matches(document, in_mode("sync"), in_mode("async"), {"mode"});
  ASSERT_EQ(pairs.size(), 2u);
  const auto ratio = ratio_of(document, pairs, speed, stats::Better::higher);
  EXPECT_NEAR(ratio.ratio.value, 4, 1e-12);
  EXPECT_EQ(ratio.ratio.n, 2);
  EXPECT_EQ(ratio.change, stats::Change::faster);
  const auto difference = difference_of(document, pairs, speed);
  EXPECT_NEAR(difference.value, ((10 + 70) / 2.0 + (30 + 35) / 2.0) / 2, 1e-12);
}

TEST(Ratio, LeavesOutAPairThatLacksARepeat) {
  Document document;
  document.cells = {cell(0, {{"batch", 1}, {"mode", "sync"}}), cell(1, {{"batch", 1}, {"mode", "async"}}),
                    cell(2, {{"batch", 8}, {"mode", "sync"}}), cell(3, {{"batch", 8}, {"mode", "async"}})};
  document.runs = {run(0, 0, 10), run(1, 0, 20), run(2, 0, 10), run(3, 0, 80), run(0, 1, 30), run(1, 1, 60)};
  const auto pairs = matches(document, in_mode("sync"), in_mode("async"), {"mode"});
  EXPECT_NEAR(ratio_of(document, pairs, speed, stats::Better::higher).ratio.value, 2, 1e-12);
}

TEST(Ratio, OfNothingIsUnknown) {
  EXPECT_TRUE(std::isnan(ratio_of({}, {}, speed, stats::Better::higher).ratio.value));
  EXPECT_FALSE(shown(difference_of({}, {}, speed), 0));
}

TEST(Matches, LeaveOutWhatIsInvalid) {
  Document document;
  document.cells = {cell(0, {{"mode", "sync"}}), cell(1, {{"mode", "async"}})};
  document.cells[1].verdict = Verdict::invalid;
  EXPECT_TRUE(matches(document, in_mode("sync"), in_mode("async"), {"mode"}).empty());
}

TEST(Way, HasANameForPeople) {
  EXPECT_EQ(way_of(cell(0, {{"architecture", "in-process"}}), {}).name(), "in-process");
  EXPECT_EQ(way_of(cell(0, {{"architecture", "local"}, {"protocol", "grpc"}}), {}).name(), "local gRPC");
  EXPECT_EQ(way_of(cell(0, {{"architecture", "remote"}, {"server", "http://node2:8000"}}), {}).name(),
            "remote HTTP node2:8000");
  EXPECT_EQ(way_of(cell(0, {{"architecture", "local"},
                            {"protocol", "http"},
                            {"server_in", "docker"},
                            {"payload", "jpeg"}}),
                   {})
                .name(),
            "local HTTP in Docker, JPEG files");
  EXPECT_EQ(way_of(cell(0, {{"batch", 1}}), {}).name(), "");
}

TEST(ShortLabel, SaysTheWayFirst) {
  const auto one =
      cell(0, {{"batch", 8}, {"mode", "async"}, {"architecture", "local"}, {"protocol", "grpc"}});
  EXPECT_EQ(short_label(one, {}), "local gRPC, batch 8, async");
  EXPECT_EQ(short_label(one, {}, {"batch", "mode"}), "local gRPC");
  EXPECT_EQ(short_label(cell(0, Json::object()), {}), "all");
}

}  // namespace
}  // namespace neph::report
