#include "serve/output_block.hpp"

#include <cstring>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "serve/exchange_test.hpp"

namespace neph::serve {
namespace {

TEST(OutputBlocks, HaveMemoryForEachOutput) {
  const auto blocks = OutputBlocks::make({100, 0, 7}, 1);
  auto* block = blocks->take();
  ASSERT_NE(block, nullptr);
  for (const std::size_t port : {0, 1, 2}) {
    ASSERT_NE(block->data(port), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data(port)) % tensor_alignment, 0U);
  }
  std::memset(block->data(0), 1, 100);
  block->let_go();
}

TEST(OutputBlocks, AreUsedAgainTheLastFirst) {
  const auto blocks = OutputBlocks::make({8}, 4);
  auto* a = blocks->take();
  auto* b = blocks->take();
  const auto number = a->number();
  EXPECT_NE(number, b->number());
  b->let_go();
  a->let_go();
  EXPECT_EQ(blocks->idle(), 2U);
  auto* again = blocks->take();
  EXPECT_EQ(again->number(), number);
  again->let_go();
}

TEST(OutputBlocks, ThatNobodyNeedsGo) {
  const auto blocks = OutputBlocks::make({8}, 2);
  std::vector<OutputBlock*> taken;
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 10; ++i) numbers.insert(taken.emplace_back(blocks->take())->number());
  for (auto* block : taken) block->let_go();
  EXPECT_EQ(blocks->idle(), 2U);
  EXPECT_EQ(numbers.size(), 10U);
  taken.clear();
  for (int i = 0; i < 3; ++i) numbers.insert(taken.emplace_back(blocks->take())->number());
  EXPECT_EQ(numbers.size(), 11U) << "two were kept, and the new one has a number of its own";
  for (auto* block : taken) block->let_go();
}

TEST(OutputBlocks, ComeBackWhenTheLastReplyIsWritten) {
  const auto blocks = OutputBlocks::make({8}, 4);
  TestExchange one, two;
  auto* block = blocks->take();
  block->lend(one);
  block->lend(two);
  block->let_go();
  EXPECT_EQ(blocks->idle(), 0U);
  one.written();
  EXPECT_EQ(blocks->idle(), 0U);
  two.written();
  EXPECT_EQ(blocks->idle(), 1U);
}

TEST(OutputBlocks, OutliveTheirOwnerWhileTheyAreLent) {
  auto blocks = OutputBlocks::make({8}, 4);
  TestExchange exchange;
  auto* block = blocks->take();
  block->lend(exchange);
  block->let_go();
  blocks.reset();
  std::memset(block->data(0), 1, 8);
  exchange.written();  // asan sees whether all of it goes
}

TEST(OutputBlocks, MayBeLetGoFromAnyThread) {
  const auto blocks = OutputBlocks::make({64}, 3);
  const auto use = [&] {
    for (int i = 0; i < 2'000; ++i) {
      TestExchange exchange;
      auto* block = blocks->take();
      std::memset(block->data(0), i, 64);
      block->lend(exchange);
      std::thread other;
      if (i % 100 == 0) other = std::thread([&] { exchange.written(); });
      block->let_go();
      if (other.joinable())
        other.join();
      else
        exchange.written();
    }
  };
  std::thread one(use), two(use);
  one.join();
  two.join();
  EXPECT_LE(blocks->idle(), 3U);
}

TEST(OutputBlocks, AreAtMostSoMany) {
  const auto blocks = OutputBlocks::make({8}, 1, 2);
  auto *one = blocks->take(), *two = blocks->take();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(blocks->take(), nullptr);
  for (int i = 0; i < 3; ++i) {
    one->let_go();
    two->let_go();  // one is kept, the other goes
    one = blocks->take(), two = blocks->take();
    ASSERT_TRUE(one && two);
    EXPECT_EQ(blocks->take(), nullptr);
  }
  one->let_go();
  two->let_go();
}

}  // namespace
}  // namespace neph::serve
