#include "wire/timing.hpp"

#include <gtest/gtest.h>

namespace neph::wire {
namespace {

using std::chrono::microseconds;

TEST(Timing, IsReadAsItWasWritten) {
  const StageTimes stages{
      .socket = microseconds(7), .queue = microseconds(120), .infer = microseconds(22'001)};
  std::string text;
  append_timing(stages, text);
  EXPECT_EQ(text, "socket;dur=0.007, queue;dur=0.120, infer;dur=22.001");
  const auto read = parse_timing(text);
  EXPECT_EQ(read.socket, stages.socket);
  EXPECT_EQ(read.queue, stages.queue);
  EXPECT_EQ(read.infer, stages.infer);
  EXPECT_EQ(read.decode.count(), 0);
}

TEST(Timing, PassesOverWhatOthersSay) {
  const auto read = parse_timing(
      R"(cache;desc="Cache Read";dur=23.2, infer;dur=x, queue, batch;dur=-1, encode;dur=1e99,infer;dur=2)");
  EXPECT_EQ(read.infer, microseconds(2000));
  EXPECT_EQ(read.queue.count() + read.batch.count() + read.encode.count(), 0);
  EXPECT_EQ(parse_timing("").infer.count(), 0);
}

}  // namespace
}  // namespace neph::wire
