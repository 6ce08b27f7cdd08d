#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "engine/models_for_tests.hpp"

namespace neph::engine {
namespace {

using testing::HasSubstr;

/// Counts down to zero; waits for it.
class Latch {
 public:
  explicit Latch(int count) : count_(count) {}
  void count_down() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) zero_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    zero_.wait(lock, [&] { return count_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable zero_;
  int count_;
};

/// Pages of the mapping that somebody has touched.
std::size_t touched_pages(void* memory, std::size_t bytes) {
  std::vector<unsigned char> pages(bytes / 4096);
  EXPECT_EQ(::mincore(memory, bytes, pages.data()), 0);
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](auto page) { return page & 1; }));
}

TEST(Request, ReadsTheCallersMemoryWithoutACopy) {
  const auto session = compile("first.onnx", {.batch = 16});
  const auto bytes = session->inputs()[0].bytes();
  ASSERT_EQ(bytes, 64U << 20);
  // Fresh pages: those that are read become resident. The model needs 4 KiB of every 4 MiB.
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  std::vector<float> output(16 * 1024, -1.0F);
  const auto request = request_of(*session);
  ASSERT_TRUE(request->bind_input(0, memory, bytes));
  ASSERT_TRUE(request->bind_output(0, output.data(), output.size() * sizeof(float)));
  ASSERT_EQ(touched_pages(memory, bytes), 0U);
  ASSERT_TRUE(request->infer());
  EXPECT_LE(touched_pages(memory, bytes), 32U) << "a copy would touch all " << bytes / 4096;
  EXPECT_EQ(output, std::vector<float>(16 * 1024, 0.0F)) << "and the output lies where it was asked for";
  ::munmap(memory, bytes);
}

TEST(Request, SeesNewInputInBoundMemoryAndNewBindings) {
  const auto session = compile("conv.onnx", {.batch = 2});
  const auto input = numbers("conv.onnx.in");
  const auto expected = numbers("conv.onnx.out");
  auto first = std::vector<float>(input.size());
  auto first_out = std::vector<float>(expected.size());
  const auto request = request_of(*session);
  bind(*request, first, first_out);
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(first_out[0], 0.0F);
  first = input;  // same memory
  ASSERT_TRUE(request->infer());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(first_out[i], expected[i], 1e-5);

  auto second = input;
  auto second_out = std::vector<float>(expected.size());
  bind(*request, second, second_out);
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(second_out, first_out);
}

TEST(Request, OfOpenShapesTakesWhatComes) {
  const auto session = compile("open_all.onnx", {.batch = 0});
  const auto request = request_of(*session);
  for (const std::int64_t width : {3, 1}) {
    std::vector<float> input(static_cast<std::size_t>(2 * width), -1.0F);
    input.back() = 1;
    ASSERT_TRUE(request->bind_open_input(0, input.data(), std::vector<std::int64_t>{2, width}));
    ASSERT_TRUE(request->infer());
    const auto output = request->open_output(0);
    ASSERT_TRUE(output);
    EXPECT_THAT(output->shape, testing::ElementsAre(2, 1));
    ASSERT_EQ(output->bytes, 16U);
    std::array<std::int64_t, 2> place{};
    std::memcpy(place.data(), output->data, output->bytes);
    EXPECT_EQ(place, (std::array<std::int64_t, 2>{1, width - 1}));
  }
  const auto status = request->bind_open_input(0, nullptr, std::vector<std::int64_t>{2});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "input 'x' of shape [?, ?] cannot be [2]");
}

TEST(Request, ShowsNothingOfTheOneBeforeWhereItWritesNothing) {
  const auto session = compile("largest_above.onnx", {.batch = 0});
  const auto request = request_of(*session);
  std::vector<float> input(8, 4242.5F), output(1, 777);
  std::int64_t place = 777;
  bind(*request, input, output);
  ASSERT_TRUE(request->bind_output(1, &place, sizeof place));
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(output[0], 4242.5F);
  std::fill(input.begin(), input.end(), 0.0F);
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(output[0], 0);
  output[0] = 777;
  Latch done(1);
  ASSERT_TRUE(request->start([&](Status) { done.count_down(); }));
  done.wait();
  EXPECT_EQ(output[0], 0);
}

TEST(Request, BeginsWithTheStateThatTheModelBeginsWith) {
  const auto session = compile("state.xml", {.batch = 1});
  const auto request = request_of(*session), other = request_of(*session);
  std::vector<float> input{3, 4}, output(2), theirs(2);
  bind(*request, input, output);
  bind(*other, input, theirs);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(request->infer());
    EXPECT_EQ(output, input) << "once more, and nothing is left of what was asked";
    Latch done(1);
    ASSERT_TRUE(other->start([&](Status) { done.count_down(); }));
    done.wait();
    EXPECT_EQ(theirs, input);
  }
}

TEST(Request, OfOpenShapesIsAsNewAfterAFailure) {
  const auto session = compile("open_sum.onnx", {.batch = 0});
  const auto request = request_of(*session);
  std::vector<std::int64_t> ids(9, 1), mask(9, 2);
  const auto ask = [&](std::int64_t width, std::int64_t mask_width, bool starts) {
    const std::vector<std::int64_t> a{1, width}, b{1, mask_width};
    EXPECT_TRUE(request->bind_open_input(0, ids.data(), a));
    EXPECT_TRUE(request->bind_open_input(1, mask.data(), b));
    if (!starts) return request->infer();
    Latch done(1);
    Status status;
    EXPECT_TRUE(request->start([&](Status ended) {
      status = std::move(ended);
      done.count_down();
    }));
    done.wait();
    return status;
  };
  for (const bool starts : {false, true}) {
    ASSERT_TRUE(ask(5, 5, starts));
    ASSERT_FALSE(ask(5, 7, starts));
    ASSERT_TRUE(ask(5, 5, starts));
    const auto output = request->open_output(0);
    ASSERT_TRUE(output);
    EXPECT_THAT(output->shape, testing::ElementsAre(1, 5));
    float first = 0;
    std::memcpy(&first, output->data, sizeof first);
    EXPECT_EQ(first, 3);
  }
}

TEST(Request, GivesAnInputThatIsAnOutputToo) {
  const auto session = compile("handed_on.onnx", {.batch = 2});
  const auto request = request_of(*session);
  std::vector<float> input{1, 2, 3, 4}, output(4);
  bind(*request, input, output);
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(output, input);
  input = {5, 6, 7, 8};
  Latch done(1);
  ASSERT_TRUE(request->start([&](Status) { done.count_down(); }));
  done.wait();
  EXPECT_EQ(output, input);
}

TEST(Request, RefusesMemoryOfAnotherSize) {
  const auto session = compile("conv.onnx", {.batch = 2});
  const auto request = request_of(*session);
  std::vector<float> memory(1000);
  for (const auto& status :
       {request->bind_input(0, memory.data(), 12), request->bind_input(0, nullptr, 1536),
        request->bind_input(1, memory.data(), 1536), request->bind_output(0, memory.data(), 41)}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(to_string(status.error().code), "invalid_argument");
  }
  const auto status = request->bind_input(0, memory.data(), 12);
  EXPECT_THAT(status.error().message, HasSubstr("'picture' of shape [2, 3, 8, 8] takes 1536 bytes, not 12"));
}

TEST(Request, ManyInFlightAnswerLikeOne) {
  constexpr int count = 32;
  const auto session = compile("conv.onnx", {.batch = 2, .hint = Hint::throughput});
  const auto input = numbers("conv.onnx.in");
  const auto expected = numbers("conv.onnx.out");
  struct Job {
    std::unique_ptr<Request> request;
    std::vector<float> input, output;
    std::atomic<int> calls = 0;
  };
  std::vector<Job> jobs(count);
  for (auto& job : jobs) {
    job.request = request_of(*session);
    job.input = input;
    job.output.resize(expected.size());
    bind(*job.request, job.input, job.output);
  }
  for (int round = 0; round < 20; ++round) {
    Latch latch(count);
    for (auto& job : jobs) {
      std::fill(job.output.begin(), job.output.end(), -1.0F);
      ASSERT_TRUE(job.request->start([&](Status status) {
        EXPECT_TRUE(status);
        EXPECT_NEAR(job.output[0], expected[0], 1e-5) << "outputs are filled before the call";
        ++job.calls;
        latch.count_down();
      }));
    }
    latch.wait();
  }
  for (auto& job : jobs) EXPECT_EQ(job.calls, 20);
}

TEST(Request, MayStartItselfAgainFromItsCallback) {
  constexpr int rounds = 2'000;
  const auto session = compile("conv.onnx", {.batch = 2, .hint = Hint::throughput});
  struct Chain {
    std::unique_ptr<Request> request;
    std::vector<float> input, output;
    int left = rounds;
  };
  std::vector<Chain> chains(4);
  Latch ended(static_cast<int>(chains.size()));
  std::function<void(Chain&)> next = [&](Chain& chain) {
    const auto started = chain.request->start([&](Status status) {
      EXPECT_TRUE(status);
      if (--chain.left == 0) return ended.count_down();
      next(chain);
    });
    EXPECT_TRUE(started) << started.error().message;
  };
  for (auto& chain : chains) {
    chain.request = request_of(*session);
    chain.input = numbers("conv.onnx.in");
    chain.output.resize(10);
    bind(*chain.request, chain.input, chain.output);
  }
  for (auto& chain : chains) next(chain);
  ended.wait();
  for (auto& chain : chains) EXPECT_EQ(chain.left, 0);
}

TEST(Request, SaysWhenItIsInFlight) {
  const auto session = compile("conv.onnx", {.batch = 256});
  const auto request = request_of(*session);
  std::vector<float> input(256 * 3 * 8 * 8), output(256 * 5);
  bind(*request, input, output);
  Latch release(1), done(1);
  ASSERT_TRUE(request->start([&](Status) { done.count_down(); }));
  // Either still in flight (refused with a reason) or just ended: never two at once.
  const auto second = request->start([&](Status) { release.count_down(); });
  if (!second) {
    EXPECT_EQ(to_string(second.error().code), "unavailable");
  }
  done.wait();
  if (second) release.wait();
}

TEST(Request, AFailureWhileRunningIsAnErrorNotAnException) {
  const auto session = compile("fussy.onnx", {.batch = 2});
  const auto request = request_of(*session);
  std::vector<float> input{1, 2, 3, 4}, output(4);
  std::vector<std::int64_t> shape{3, 3};
  ASSERT_TRUE(request->bind_input(0, input.data(), 16));
  ASSERT_TRUE(request->bind_input(1, shape.data(), 16));
  ASSERT_TRUE(request->bind_output(0, output.data(), 16));
  const auto sync = request->infer();
  ASSERT_FALSE(sync);
  EXPECT_THAT(sync.error().message, HasSubstr("inference failed: "));
  EXPECT_EQ(sync.error().message.find('\n'), std::string::npos) << sync.error().message;

  Latch done(1);
  Status async;
  ASSERT_TRUE(request->start([&](Status status) {
    async = status;
    done.count_down();
  }));
  done.wait();
  EXPECT_FALSE(async);

  shape = {4, 1};  // the request is of use again
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(output, input);
}

TEST(Request, MayGoWhileInFlight) {
  const auto session = compile("conv.onnx", {.batch = 512});
  std::vector<float> input(512 * 3 * 8 * 8), output(512 * 5);
  std::atomic<int> calls = 0;
  for (int i = 0; i < 20; ++i) {
    const auto request = request_of(*session);
    bind(*request, input, output);
    ASSERT_TRUE(request->start([&](Status) { ++calls; }));
  }
  EXPECT_EQ(calls, 20) << "each destructor waits for its inference";
}

}  // namespace
}  // namespace neph::engine
