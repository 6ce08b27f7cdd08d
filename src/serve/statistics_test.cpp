#include "serve/statistics.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace neph::serve {
namespace {

using namespace std::chrono_literals;

void expect(const wire::StatisticDuration& sum, std::uint64_t count, Nanoseconds time) {
  EXPECT_EQ(sum.count, count);
  EXPECT_EQ(sum.ns, static_cast<std::uint64_t>(time.count()));
}

TEST(Statistics, BeginWithNothing) {
  const auto nothing = Statistics().snapshot();
  EXPECT_EQ(nothing.inference_count, 0U);
  EXPECT_EQ(nothing.last_inference, 0U);
  EXPECT_TRUE(nothing.batch_stats.empty());
}

TEST(Statistics, SumTheStagesOfRequests) {
  Statistics statistics;
  const wire::StageTimes stages{.decode = 1ms, .queue = 2ms, .batch = 3ms, .infer = 4ms, .encode = 5ms};
  statistics.add_success(8, stages, 20ms);
  statistics.add_success(1, stages, 10ms);
  statistics.add_failure(7ms);
  const auto all = statistics.snapshot();
  EXPECT_EQ(all.inference_count, 9U);
  EXPECT_EQ(all.execution_count, 0U);
  expect(all.inference_stats.success, 2, 30ms);
  expect(all.inference_stats.fail, 1, 7ms);
  expect(all.inference_stats.queue, 2, 4ms);
  expect(all.inference_stats.compute_input, 2, 8ms);
  expect(all.inference_stats.compute_infer, 2, 8ms);
  expect(all.inference_stats.compute_output, 2, 10ms);
  expect(all.inference_stats.cache_hit, 0, 0ms);
}

TEST(Statistics, TellExecutionsApartByTheirRows) {
  Statistics statistics;
  statistics.add_execution(4, {.input = 1ms, .infer = 10ms, .output = 2ms});
  statistics.add_execution(1, {.input = 1ms, .infer = 3ms, .output = 2ms});
  statistics.add_execution(4, {.input = 1ms, .infer = 20ms, .output = 2ms});
  const auto all = statistics.snapshot();
  EXPECT_EQ(all.execution_count, 3U);
  ASSERT_EQ(all.batch_stats.size(), 2U);
  EXPECT_EQ(all.batch_stats[0].batch_size, 1U);
  EXPECT_EQ(all.batch_stats[1].batch_size, 4U);
  expect(all.batch_stats[1].compute_input, 2, 2ms);
  expect(all.batch_stats[1].compute_infer, 2, 30ms);
  expect(all.batch_stats[1].compute_output, 2, 4ms);
  EXPECT_GT(all.last_inference, 1'700'000'000'000U) << "milliseconds since 1970";
}

TEST(Statistics, AddUp) {
  Statistics instance, another, refused;
  instance.add_execution(4, {.infer = 10ms});
  instance.add_success(4, {.queue = 1ms}, 12ms);
  another.add_execution(4, {.infer = 20ms});
  another.add_execution(1, {.infer = 5ms});
  refused.add_failure(3ms);
  const auto all = sum_of({instance.snapshot(), another.snapshot(), refused.snapshot()});
  EXPECT_EQ(all.execution_count, 3U);
  EXPECT_EQ(all.inference_count, 4U);
  EXPECT_EQ(all.last_inference, another.snapshot().last_inference);
  expect(all.inference_stats.success, 1, 12ms);
  expect(all.inference_stats.queue, 1, 1ms);
  expect(all.inference_stats.fail, 1, 3ms);
  ASSERT_EQ(all.batch_stats.size(), 2U);
  expect(all.batch_stats[1].compute_infer, 2, 30ms);
}

TEST(Statistics, CountFromAnyThread) {
  Statistics statistics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 500; ++n) {
        statistics.add_success(2, {}, 1ns);
        statistics.add_execution(i, {});
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(statistics.snapshot().inference_count, 4'000U);
  EXPECT_EQ(statistics.snapshot().batch_stats.size(), 4U);
}

}  // namespace
}  // namespace neph::serve
