#include "image/batch_source.hpp"

#include <future>
#include <semaphore>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "image/picture_loading.hpp"
#include "image/synth.hpp"
#include "image/testing.hpp"
#include "os/no_threads_test.hpp"

namespace neph::image {
namespace {

using testing::HasSubstr;

const SteadyClock steady_clock;
const Transform small{.resize_side = 32, .crop_side = 32, .mean = {0, 0, 0}, .deviation = {1, 1, 1}};

class BatchSources : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(synth(folder_.path(), {.count = 7, .seed = 3, .threads = 0}));
    set_ = scan(folder_.path()).value();
    ASSERT_EQ(set_.usable.size(), 7U);
    PictureLoading loading(small, steady_clock, default_max_pixels);
    for (const auto& picture : set_.usable) {
      expected_.emplace_back(small.values());
      ASSERT_EQ(loading.load(picture, expected_.back()).fault, "");
    }
  }

  std::vector<std::span<float>> slots(std::size_t count, std::size_t batch) {
    memory_.assign(count, std::vector<float>(batch * small.values(), -1));
    return {memory_.begin(), memory_.end()};
  }

  /// Takes all batches, checks order and content, and gives them back.
  void expect_run(BatchSource& source, std::int64_t count, std::int64_t batch) {
    std::int64_t seen = 0, index = 0;
    while (const auto one = source.next()) {
      EXPECT_EQ(one->index, index++);
      EXPECT_EQ(one->first, seen);
      EXPECT_EQ(one->size, std::min(batch, count - seen));
      EXPECT_EQ(one->tensor.size(), static_cast<std::size_t>(batch) * small.values());
      for (std::int64_t i = 0; i < one->size; ++i, ++seen) {
        const auto tensor = one->tensor.subspan(static_cast<std::size_t>(i) * small.values(), small.values());
        const auto& expected = expected_[static_cast<std::size_t>(seen % 7)];
        EXPECT_TRUE(std::equal(tensor.begin(), tensor.end(), expected.begin())) << seen;
      }
      source.release(*one);
    }
    EXPECT_EQ(seen, count);
    EXPECT_FALSE(source.next());
  }

  TestFolder folder_;
  PictureSet set_;
  std::vector<std::vector<float>> expected_;
  std::vector<std::vector<float>> memory_;
};

TEST_F(BatchSources, GiveTheSamePicturesInOrderWhateverTheThreads) {
  for (const std::int64_t threads : {0, 1, 3})
    for (const std::int64_t batch : {1, 4, 9})
      for (const std::int64_t count : {0, 1, 23}) {
        SCOPED_TRACE(fmt::format("threads {}, batch {}, count {}", threads, batch, count));
        const LoaderOptions options{.count = count, .batch = batch, .threads = threads};
        auto loader =
            load_batches(set_, small, options, slots(3, static_cast<std::size_t>(batch)), steady_clock)
                .value();
        expect_run(*loader, count ? count : 7, batch);
        auto ready =
            ready_batches(set_, small, {.count = count, .batch = batch, .threads = threads}, steady_clock)
                .value();
        expect_run(*ready, count ? count : 7, batch);
      }
}

TEST_F(BatchSources, LoaderCountsTimeAndBytes) {
  auto loader = load_batches(set_, small, {.batch = 7}, slots(1, 7), steady_clock).value();
  const auto batch = loader->next().value();
  EXPECT_EQ(batch.bytes_read, set_.bytes());
  EXPECT_GT(batch.times.read.count(), 0);
  EXPECT_GT(batch.times.decode.count(), 0);
  EXPECT_GT(batch.times.preprocess.count(), 0);
}

TEST_F(BatchSources, LoaderWaitsUntilASlotIsGivenBack) {
  auto loader = load_batches(set_, small, {.batch = 2, .threads = 2}, slots(2, 2), steady_clock).value();
  const auto first = loader->next().value();
  const auto second = loader->next().value();
  auto third = std::async(std::launch::async, [&] { return loader->next(); });
  EXPECT_NE(first.slot, second.slot);
  loader->release(second);  // in any order
  const auto after = third.get().value();
  EXPECT_EQ(after.first, 4);
  EXPECT_EQ(after.slot, second.slot);
}

TEST_F(BatchSources, WhoWillNotWaitIsToldWhenABatchIsReady) {
  for (const std::int64_t threads : {0, 2}) {
    auto loader =
        load_batches(set_, small, {.batch = 3, .threads = threads}, slots(1, 3), steady_clock).value();
    std::counting_semaphore told(threads == 0 ? 1 : 0);  // without threads there is nothing to wait for
    loader->on_ready([&] { told.release(); });
    std::vector<std::int64_t> firsts;
    while (firsts.size() < 3) {
      auto batch = loader->try_next();
      if (!batch) {
        ASSERT_TRUE(told.try_acquire_for(std::chrono::seconds(10))) << "a batch was ready and nobody said so";
        continue;
      }
      firsts.push_back(batch->first);
      EXPECT_FALSE(loader->try_next()) << "its only slot is out";
      loader->release(*batch);
    }
    EXPECT_THAT(firsts, testing::ElementsAre(0, 3, 6));
    EXPECT_FALSE(loader->try_next());
    loader->on_ready({});
  }
}

TEST_F(BatchSources, VanishedAndBrokenFilesAreFailedPicturesAndZeros) {
  std::filesystem::remove(set_.usable[2].path);
  write(set_.usable[5].path, "no longer a picture");
  for (const std::int64_t threads : {0, 2}) {
    auto loader =
        load_batches(set_, small, {.batch = 7, .threads = threads}, slots(1, 7), steady_clock).value();
    auto ready = ready_batches(set_, small, {.batch = 7, .threads = threads}, steady_clock).value();
    for (BatchSource* source : {loader.get(), ready.get()}) {
      const auto batch = source->next().value();
      ASSERT_EQ(batch.failed.size(), 2U);
      EXPECT_EQ(batch.failed[0].index, 2);
      EXPECT_THAT(batch.failed[0].reason, HasSubstr(set_.usable[2].path));
      EXPECT_EQ(batch.failed[1].index, 5);
      EXPECT_THAT(batch.failed[1].reason, HasSubstr("not an image"));
      for (const float value : batch.tensor.subspan(2 * small.values(), small.values())) ASSERT_EQ(value, 0);
    }
  }
}

TEST_F(BatchSources, StopWakesWhoeverWaits) {
  auto loader =
      load_batches(set_, small, {.count = 1000, .batch = 1, .threads = 2}, slots(1, 1), steady_clock).value();
  const auto held = loader->next();  // the only slot: the next call waits
  auto waiting = std::async(std::launch::async, [&] { return loader->next(); });
  loader->stop();
  EXPECT_FALSE(waiting.get());
  EXPECT_FALSE(loader->next());
}

TEST_F(BatchSources, SeveralThreadsMayTakeBatches) {
  auto loader =
      load_batches(set_, small, {.count = 60, .batch = 2, .threads = 2}, slots(4, 2), steady_clock).value();
  std::mutex mutex;
  std::set<std::int64_t> indices;
  const auto take = [&] {
    while (const auto batch = loader->next()) {
      loader->release(*batch);
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(indices.insert(batch->index).second);
    }
  };
  auto other = std::async(std::launch::async, take);
  take();
  other.get();
  EXPECT_EQ(indices.size(), 30U);
}

TEST_F(BatchSources, ReadyBatchesKeepToTheirMemory) {
  const auto tensor_bytes = static_cast<std::int64_t>(small.values() * sizeof(float));
  auto ready =
      ready_batches(set_, small, {.count = 20, .batch = 1, .memory_bytes = 5 * tensor_bytes}, steady_clock)
          .value();
  EXPECT_EQ(ready->distinct_pictures(), 5);
  auto least = ready_batches(set_, small, {.count = 20, .batch = 1, .memory_bytes = 0}, steady_clock).value();
  EXPECT_EQ(least->distinct_pictures(), 4);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(least->next()->tensor.data()) % 64, 0U);
}

TEST_F(BatchSources, RefuseWhatMakesNoSense) {
  const auto refusal = [&](const PictureSet& set, const LoaderOptions& options, std::size_t slot_count) {
    const auto source = load_batches(set, small, options, slots(slot_count, 2), steady_clock);
    return source ? "accepted" : source.error().message;
  };
  EXPECT_THAT(refusal({.folder = "pictures"}, {.batch = 2}, 1), HasSubstr("pictures has no usable image"));
  EXPECT_THAT(refusal(set_, {.batch = 0}, 1), HasSubstr("batch 0"));
  EXPECT_THAT(refusal(set_, {.count = -1, .batch = 2}, 1), HasSubstr("count -1"));
  EXPECT_THAT(refusal(set_, {.batch = 2, .threads = -1}, 1), HasSubstr("threads -1"));
  EXPECT_THAT(refusal(set_, {.batch = 2}, 0), HasSubstr("one slot"));
  EXPECT_THAT(refusal(set_, {.batch = 3}, 1), HasSubstr("a slot of"));
  EXPECT_EQ(refusal(set_, {.batch = 2}, 1), "accepted");
}

TEST_F(BatchSources, BeginAnewWhereverTheyAreRestarted) {
  for (const std::int64_t threads : {0, 3})
    for (const int taken : {0, 1, 3, 99}) {
      SCOPED_TRACE(fmt::format("threads {}, restarted after {} batches", threads, taken));
      const LoaderOptions options{.count = 17, .batch = 4, .threads = threads};
      auto loader = load_batches(set_, small, options, slots(3, 4), steady_clock).value();
      auto ready = ready_batches(set_, small, {.count = 17, .batch = 4, .threads = 0}, steady_clock).value();
      for (auto* source : {loader.get(), ready.get()}) {
        for (int i = 0; i < taken; ++i)
          if (const auto batch = source->next()) source->release(*batch);
        bool called = false;
        source->restart([&] { called = true; });
        EXPECT_TRUE(called);
        expect_run(*source, 17, 4);
        source->restart();
        expect_run(*source, 17, 4);
      }
    }
}

TEST_F(BatchSources, LoadNothingWhileTheyAreRestarted) {
  const LoaderOptions options{.count = 1000, .batch = 1, .threads = 3};
  auto loader = load_batches(set_, small, options, slots(3, 1), steady_clock).value();
  for (int round = 0; round < 20; ++round)
    loader->restart([&] {
      for (auto& slot : memory_) std::fill(slot.begin(), slot.end(), -1.0F);
      std::this_thread::yield();
      for (const auto& slot : memory_) EXPECT_THAT(slot, testing::Each(-1.0F));
    });
}

TEST_F(BatchSources, AreNotMadeWhereTheirThreadsCannotBeStarted) {
  const NoThreads limit;
  for (const auto& made : {load_batches(set_, small, {.batch = 2, .threads = 2}, slots(2, 2), steady_clock),
                           ready_batches(set_, small, {.batch = 2, .threads = 2}, steady_clock)}) {
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().text(), HasSubstr("ulimit -u"));
  }
}

}  // namespace
}  // namespace neph::image
