#include "serve/job.hpp"

#include <deque>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::serve {
namespace {

using testing::ElementsAre;

class JobQueues : public testing::Test {
 protected:
  Job& job(std::size_t level) {
    auto& made = *jobs_.emplace_back(std::make_unique<Job>());
    made.level = level;
    made.rows = static_cast<std::int64_t>(jobs_.size());  // its number
    return made;
  }
  void push(std::size_t level) { queue_.push(job(level)); }
  std::vector<std::int64_t> pop_all() {
    std::vector<std::int64_t> numbers;
    while (!queue_.empty()) numbers.push_back(queue_.pop().rows);
    return numbers;
  }

  std::vector<std::unique_ptr<Job>> jobs_;
  JobQueue queue_;
};

TEST_F(JobQueues, GiveUrgentOnesFirstAndElseTheFirstFirst) {
  for (const std::size_t level : {15, 0, 15, 3, 0}) push(level);
  EXPECT_EQ(queue_.size(), 5U);
  EXPECT_THAT(pop_all(), ElementsAre(2, 5, 4, 1, 3));
}

TEST_F(JobQueues, KeepTheOrderOfArrivalWhoeverBringsThem) {
  for (const int arrived_ms : {5, 9, 7, 1, 9, 8}) {
    auto& made = job(0);
    made.arrived = Moment(std::chrono::milliseconds(arrived_ms));
    queue_.push(made);
  }
  push(1);
  queue_.remove([](const Job& job) { return job.rows == 3; }, [](Job&) {});
  EXPECT_EQ(queue_.pop().rows, 4);
  auto& late = job(0);
  late.arrived = Moment(std::chrono::milliseconds(2));
  queue_.push(late);
  EXPECT_THAT(pop_all(), ElementsAre(8, 1, 6, 2, 5, 7));
}

TEST_F(JobQueues, LookInTheOrderOfPopUntilToldToStop) {
  for (const std::size_t level : {1, 0, 1, 0}) push(level);
  std::vector<std::int64_t> seen;
  queue_.look([&](const Job& job) {
    seen.push_back(job.rows);
    return seen.size() < 3;
  });
  EXPECT_THAT(seen, ElementsAre(2, 4, 1));
  EXPECT_EQ(queue_.size(), 4U);
}

TEST_F(JobQueues, CanBeUsedOnAfterTheLastOfALevelHasGone) {
  push(2);
  queue_.pop();
  push(2);
  queue_.remove([](const Job&) { return true; }, [](Job&) {});
  EXPECT_TRUE(queue_.empty());
  push(2);
  push(2);
  EXPECT_THAT(pop_all(), ElementsAre(3, 4));
}

TEST_F(JobQueues, BehaveAsOneListPerLevel) {
  constexpr std::uint64_t seed = 4711;
  std::mt19937_64 random(seed);
  std::array<std::deque<std::int64_t>, JobQueue::levels> lists;
  for (int i = 0; i < 5'000; ++i) {
    const auto action = random() % 8;
    if (action < 4) {
      const auto level = random() % JobQueue::levels;
      push(level);
      lists[level].push_back(jobs_.back()->rows);
    } else if (action < 7 && !queue_.empty()) {
      auto* list = lists.data();
      while (list->empty()) ++list;
      ASSERT_EQ(queue_.pop().rows, list->front()) << "seed " << seed;
      list->pop_front();
    } else {
      const auto odd = [](const auto number) { return number % 7 == 1; };
      std::vector<std::int64_t> taken, wanted;
      queue_.remove([&](const Job& job) { return odd(job.rows); },
                    [&](Job& job) { taken.push_back(job.rows); });
      for (auto& list : lists) {
        std::copy_if(list.begin(), list.end(), std::back_inserter(wanted), odd);
        std::erase_if(list, odd);
      }
      ASSERT_EQ(taken, wanted) << "seed " << seed;
    }
  }
  std::vector<std::int64_t> left;
  for (const auto& list : lists) left.insert(left.end(), list.begin(), list.end());
  EXPECT_EQ(pop_all(), left) << "seed " << seed;
}

TEST(Jobs, KeepTheirMemoryAndForgetTheRest) {
  Job job;
  ASSERT_NE(job.decoded.hold(1000), nullptr);
  job.received.resize(2);
  ASSERT_NE(job.received[1].hold(10), nullptr);
  job.inputs.resize(3);
  job.break_with({ErrorCode::corrupt, "first"});
  job.break_with({ErrorCode::corrupt, "second"});
  EXPECT_EQ(job.fault.message, "first");
  EXPECT_EQ(job.kept_bytes(), 4040U);
  job.clear();
  EXPECT_TRUE(job.inputs.empty());
  EXPECT_FALSE(job.broken);
  EXPECT_EQ(job.kept_bytes(), 4040U);
}

TEST(Scratches, GrowAndNeverShrink) {
  Scratch scratch;
  EXPECT_EQ(scratch.bytes(), 0U);
  auto* const memory = scratch.hold(100);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % tensor_alignment, 0U);
  EXPECT_EQ(scratch.hold(10), memory);
  EXPECT_EQ(scratch.bytes(), 400U);
  ASSERT_NE(scratch.hold(1000), nullptr);
  EXPECT_EQ(scratch.bytes(), 4000U);
}

}  // namespace
}  // namespace neph::serve
