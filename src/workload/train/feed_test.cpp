#include "workload/train/feed.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "os/no_threads_test.hpp"

namespace neph::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Example i is [i, i + 0.5] with the label 10 i.
class Numbered final : public data::Split {
 public:
  explicit Numbered(std::int64_t size, std::int64_t broken = -1, std::int64_t without_memory = -1)
      : size_(size), broken_(broken), without_memory_(without_memory) {}
  std::int64_t size() const override { return size_; }
  std::int64_t labels_per_example() const override { return 1; }
  Status fill(std::span<const std::int64_t> rows, std::span<float> inputs,
              std::span<std::int64_t> labels) const override {
    EXPECT_EQ(inputs.size(), 2 * rows.size());
    EXPECT_EQ(labels.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] == broken_) return fail(ErrorCode::corrupt, "image {} is cut short", rows[i]);
      if (rows[i] == without_memory_) throw std::bad_alloc();
      inputs[2 * i] = static_cast<float>(rows[i]);
      inputs[2 * i + 1] = static_cast<float>(rows[i]) + 0.5F;
      labels[i] = 10 * rows[i];
    }
    return {};
  }

 private:
  std::int64_t size_, broken_, without_memory_;
};

class FeedOfLoaders : public testing::TestWithParam<std::int64_t> {
 protected:
  std::unique_ptr<Feed> feed(const data::Split& split, std::int64_t batch, bool shuffles = true) {
    auto made = Feed::make(
        split, {.batch = batch, .values = 2, .loaders = GetParam(), .seed = 5, .shuffles = shuffles}, clock_);
    if (!made) ADD_FAILURE() << made.error().message;
    return made ? std::move(*made) : nullptr;
  }
  /// The rows of a whole epoch, each checked to be whole.
  std::vector<std::int64_t> rows_of(Feed& from, std::int64_t epoch, std::int64_t examples = 0) {
    from.begin(epoch, examples);
    std::vector<std::int64_t> rows;
    for (;;) {
      const auto batch = from.next();
      if (!batch || !*batch) break;
      for (std::int64_t i = 0; i < (*batch)->count; ++i) {
        const auto row = static_cast<std::int64_t>((*batch)->inputs[static_cast<std::size_t>(2 * i)]);
        EXPECT_EQ((*batch)->inputs[static_cast<std::size_t>(2 * i + 1)], static_cast<float>(row) + 0.5F);
        EXPECT_EQ((*batch)->labels[static_cast<std::size_t>(i)], 10 * row);
        rows.push_back(row);
      }
    }
    return rows;
  }
  SteadyClock clock_;
};

TEST_P(FeedOfLoaders, DividesEachBatchAmongRanks) {
  const Numbered split(101);  // the last batch has 5: 1, 2 and 2 of them
  std::vector<std::unique_ptr<Feed>> ranks;
  for (std::int64_t rank = 0; rank < 3; ++rank)
    ranks.push_back(*Feed::make(
        split, {.batch = 12, .values = 2, .loaders = GetParam(), .seed = 5, .rank = rank, .ranks = 3},
        clock_));
  for (auto& rank : ranks) rank->begin(2);
  std::vector<std::int64_t> rows;
  for (std::int64_t batch = 0; batch < 9; ++batch)
    for (auto& rank : ranks) {
      EXPECT_FALSE(rank->is_over());
      const auto part = rank->next();
      ASSERT_TRUE(part && *part);
      EXPECT_EQ(rank->whole(), batch < 8 ? 12 : 5);
      EXPECT_EQ((*part)->whole, rank->whole());
      if (batch < 8) {
        EXPECT_EQ((*part)->count, 4);
      }
      for (const auto label : (*part)->labels) rows.push_back(label / 10);
    }
  EXPECT_EQ(rows, epoch_order(101, 5, 2)) << "as one process has it";
  for (auto& rank : ranks) {
    EXPECT_TRUE(rank->is_over());
    EXPECT_FALSE(rank->next()->has_value());
  }
}

TEST_P(FeedOfLoaders, GivesARankNothingOfABatchThatIsTooSmall) {
  const Numbered split(5);
  const auto first = *Feed::make(
      split, {.batch = 4, .values = 2, .loaders = GetParam(), .seed = 5, .rank = 0, .ranks = 4}, clock_);
  first->begin(1);
  EXPECT_EQ((*first->next())->count, 1);
  const auto last = first->next();
  ASSERT_TRUE(last && *last) << "the epoch is not over for the others";
  EXPECT_EQ((*last)->count, 0);
  EXPECT_EQ((*last)->whole, 1);
  EXPECT_FALSE(first->next()->has_value());
}

TEST_P(FeedOfLoaders, GivesEachExampleOnceAnEpochInAnOrderOfItsOwn) {
  const Numbered split(1003);
  const auto made = feed(split, 16);
  std::set<std::vector<std::int64_t>> orders;
  for (std::int64_t epoch = 1; epoch <= 5; ++epoch) {
    auto rows = rows_of(*made, epoch);
    EXPECT_EQ(rows, epoch_order(1003, 5, epoch)) << "whatever the loaders";
    orders.insert(rows);
    std::ranges::sort(rows);
    std::vector<std::int64_t> all(1003);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(rows, all);
  }
  EXPECT_EQ(orders.size(), 5U);
}

TEST_P(FeedOfLoaders, MayBeginAnewAtAnyTime) {
  const Numbered split(500);
  const auto made = feed(split, 7);
  for (int taken = 0; taken < 12; ++taken) {
    made->begin(taken);
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(made->next());
  }
  EXPECT_EQ(rows_of(*made, 3), epoch_order(500, 5, 3));
}

TEST_P(FeedOfLoaders, IsInOrderWithoutShufflingAndEndsWhereItIsTold) {
  const Numbered split(20);
  const auto made = feed(split, 3, false);
  EXPECT_THAT(rows_of(*made, 9, 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(rows_of(*made, 9, 100).size(), 20U);
}

TEST_P(FeedOfLoaders, LastBatchHasWhatIsLeft) {
  const Numbered split(10);
  const auto made = feed(split, 4);
  made->begin(1);
  std::vector<std::int64_t> counts;
  for (;;) {
    const auto batch = made->next();
    ASSERT_TRUE(batch);
    if (!*batch) break;
    counts.push_back((*batch)->count);
  }
  EXPECT_THAT(counts, ElementsAre(4, 4, 2));
  EXPECT_FALSE(made->next()->has_value()) << "and none after the last";
}

TEST_P(FeedOfLoaders, TakesABatchThatIsLargerThanTheSet) {
  const Numbered split(3);
  EXPECT_EQ(rows_of(*feed(split, 1'000'000), 1).size(), 3U);
}

TEST_P(FeedOfLoaders, SaysWhatIsBroken) {
  const Numbered split(10, 4);
  const auto made = feed(split, 2, false);
  made->begin(1);
  EXPECT_TRUE(made->next());
  EXPECT_TRUE(made->next());
  const auto broken = made->next();
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("image 4 is cut short"));
}

TEST_P(FeedOfLoaders, TellsThatMemoryCannotBeHad) {
  const Numbered split(64, -1, 3);
  const auto made = feed(split, 64);
  made->begin(1);
  const auto batch = made->next();
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().message, "out of memory");
}

TEST(Feed, IsNotMadeWhereItsThreadsCannotBeStarted) {
  const NoThreads limit;
  const Numbered split(64);
  const SteadyClock clock;
  const auto made = Feed::make(split, {.batch = 4, .values = 2, .loaders = 2}, clock);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("cannot start thread 1 of 2"));
}

INSTANTIATE_TEST_SUITE_P(Loaders, FeedOfLoaders, testing::Values(0, 1, 3));

}  // namespace
}  // namespace neph::workload
