#include "record/samples.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

RunResult result_with(std::vector<Column> samples) {
  RunResult result;
  result.samples = std::move(samples);
  return result;
}

TEST(Latencies, CountFromTheScheduleWhereThereIsOne) {
  const auto result =
      result_with({{"scheduled_s", {0, 1}}, {"issued_s", {0.25, 1}}, {"done_s", {0.5, 1.25}}});
  EXPECT_THAT(latencies_ms(result), ElementsAre(DoubleEq(500), DoubleEq(250)));
  EXPECT_THAT(latencies_ms(result_with({{"issued_s", {0.25}}, {"done_s", {0.5}}})),
              ElementsAre(DoubleEq(250)));
  EXPECT_THAT(latencies_ms(result_with({{"done_s", {0.5}}})), IsEmpty());
}

TEST(Latencies, LeaveOutAShortBatchAndWhatWasNotAnswered) {
  const auto result =
      result_with({{"issued_s", {0, 0, 0}}, {"done_s", {0.5, std::nan(""), 0.125}}, {"items", {8, 8, 2}}});
  EXPECT_THAT(latencies_ms(result), ElementsAre(DoubleEq(500)));
}

}  // namespace
}  // namespace neph
