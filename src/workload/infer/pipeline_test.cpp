#include "workload/infer/pipeline.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "workload/infer/example_source.hpp"

namespace neph::workload {
namespace {

/// An engine of known behaviour: the score of a picture is its first value, an inference of `fails_at` fails,
/// and asynchronous ones finish on a thread of their own, newest first when `newest_first`.
class EchoSession final : public engine::Session {
 public:
  explicit EchoSession(std::int64_t batch) {
    inputs_ = {{"in", engine::Element::f32, {batch, 1, 1, 1}}};
    outputs_ = {{"out", engine::Element::f32, {batch, 1}}};
  }
  const std::vector<engine::Port>& inputs() const override { return inputs_; }
  const std::vector<engine::Port>& outputs() const override { return outputs_; }
  std::int64_t optimal_requests() const override { return 2; }
  const std::map<std::string, std::string>& facts() const override { return facts_; }

  Result<std::unique_ptr<engine::Request>> make_request() override {
    return std::unique_ptr<engine::Request>(std::make_unique<EchoRequest>(*this));
  }

  int in_flight() const { return in_flight_; }

  int fails_at = -1;
  int holds_until_in_flight = 0;  ///< asynchronous inferences wait until so many have been in flight at once
  std::atomic<int> most_in_flight{0};

 private:
  struct EchoRequest final : engine::Request {
    explicit EchoRequest(EchoSession& owner) : session(owner) {}
    ~EchoRequest() override {
      if (worker.joinable()) worker.join();
    }
    Status bind_input(std::size_t, void* data, std::size_t) override {
      input = static_cast<float*>(data);
      return {};
    }
    Status bind_output(std::size_t, void* data, std::size_t) override {
      output = static_cast<float*>(data);
      return {};
    }
    Status infer() override {
      const auto count = session.inputs_[0].shape[0];
      std::copy_n(input, count, output);
      if (session.started_++ == session.fails_at) return fail(ErrorCode::internal, "told to fail");
      return {};
    }
    Status start(std::function<void(Status)> done) override {
      if (worker.joinable()) worker.join();
      session.most_in_flight = std::max(session.most_in_flight.load(), ++session.in_flight_);
      worker = std::thread([this, done] {
        for (int i = 0; i < 10'000 && session.most_in_flight < session.holds_until_in_flight; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        auto status = infer();
        --session.in_flight_;
        done(std::move(status));
      });
      return {};
    }
    EchoSession& session;
    float* input = nullptr;
    float* output = nullptr;
    std::thread worker;
  };

  std::vector<engine::Port> inputs_, outputs_;
  std::map<std::string, std::string> facts_;
  std::atomic<int> started_{0}, in_flight_{0};
};

/// Hands out `pictures` numbers in batches from `slots` slots, and knows what is not yet released.
class NumberSource final : public image::BatchSource {
 public:
  NumberSource(std::int64_t pictures, std::int64_t batch, std::size_t slots)
      : pictures_(pictures),
        batch_(batch),
        memory_(slots, std::vector<float>(static_cast<std::size_t>(batch))) {
    for (std::size_t i = 0; i < slots; ++i) free_.push_back(i);
  }
  std::optional<image::Batch> next() override {
    if (next_ >= pictures_) return std::nullopt;
    EXPECT_FALSE(free_.empty()) << "more batches asked for than there are slots";
    image::Batch batch{.first = next_, .size = std::min(batch_, pictures_ - next_), .slot = free_.front()};
    free_.pop_front();
    batch.tensor = memory_[batch.slot];
    for (std::int64_t i = 0; i < batch.size; ++i)
      batch.tensor[static_cast<std::size_t>(i)] = static_cast<float>(next_ + i);
    next_ += batch.size;
    return batch;
  }
  std::optional<image::Batch> try_next() override { return next(); }
  void on_ready(std::function<void()>) override {}
  void release(const image::Batch& batch) override { free_.push_back(batch.slot); }
  void stop() override { pictures_ = next_; }
  void restart(const std::function<void()>&) override { next_ = 0; }
  std::int64_t distinct_pictures() const override { return pictures_; }
  bool all_released() const { return free_.size() == memory_.size(); }

 private:
  std::int64_t pictures_, batch_, next_ = 0;
  std::vector<std::vector<float>> memory_;
  std::deque<std::size_t> free_;
};

std::span<const float> scores_of(Outputs outputs) {
  const auto data = outputs.front().data;
  return {reinterpret_cast<const float*>(data.data()), data.size() / sizeof(float)};
}

class PipelineTest : public testing::TestWithParam<std::int64_t> {
 protected:
  Status run(NumberSource& source, const Pipeline::Finished& finished, std::stop_token stop = {}) {
    auto pipeline = Pipeline::make(session_, clock_, GetParam());
    EXPECT_TRUE(pipeline);
    return (*pipeline)->run(source, finished, stop);
  }
  EchoSession session_{3};
  SteadyClock clock_;
};

TEST_P(PipelineTest, EveryPictureIsAnsweredOnce) {
  NumberSource source(100, 3, static_cast<std::size_t>(GetParam()));
  std::vector<int> seen(100);
  ASSERT_TRUE(run(source, [&](const image::Batch& batch, const InferTimes& times, Outputs outputs) {
    const auto scores = scores_of(outputs);
    EXPECT_LE(times.issued, times.done);
    for (std::int64_t i = 0; i < batch.size; ++i) {
      EXPECT_EQ(scores[static_cast<std::size_t>(i)], static_cast<float>(batch.first + i));
      ++seen[static_cast<std::size_t>(batch.first + i)];
    }
    return true;
  }));
  EXPECT_THAT(seen, testing::Each(1));
  EXPECT_TRUE(source.all_released());
  EXPECT_LE(session_.most_in_flight, GetParam());
}

TEST_P(PipelineTest, StopsWhenToldTo) {
  NumberSource source(3000, 3, static_cast<std::size_t>(GetParam()));
  int batches = 0;
  ASSERT_TRUE(run(source, [&](const image::Batch&, const InferTimes&, Outputs) { return ++batches < 5; }));
  EXPECT_GE(batches, 5);
  EXPECT_LE(batches, 5 + GetParam());
  EXPECT_TRUE(source.all_released());
}

TEST_P(PipelineTest, AnInferenceThatFailsEndsTheRunWithItsError) {
  session_.fails_at = 7;
  NumberSource source(300, 3, static_cast<std::size_t>(GetParam()));
  const auto status = run(source, [](const image::Batch&, const InferTimes&, Outputs) { return true; });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "told to fail");
  EXPECT_TRUE(source.all_released());
}

TEST_P(PipelineTest, AStopRequestEndsItEarly) {
  NumberSource source(300, 3, static_cast<std::size_t>(GetParam()));
  std::stop_source stop;
  const auto status = run(
      source, [&](const image::Batch&, const InferTimes&, Outputs) { return stop.request_stop(); },
      stop.get_token());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(source.all_released());
}

/// Gives its second batch only once the answer to the first was taken, as a loader on a busy machine might.
class LateSource final : public image::BatchSource {
 public:
  std::optional<image::Batch> next() override {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(10), [&] { return given_ < allowed_; });
    EXPECT_TRUE(came) << "waited for a batch while a finished lane waited to be taken";
    return came ? give() : std::nullopt;
  }
  std::optional<image::Batch> try_next() override {
    const std::scoped_lock lock(mutex_);
    return given_ < allowed_ ? give() : std::nullopt;
  }
  void on_ready(std::function<void()> ready) override { ready_ = std::move(ready); }
  void release(const image::Batch&) override {}
  void stop() override {}
  void restart(const std::function<void()>&) override {}
  std::int64_t distinct_pictures() const override { return 1; }
  void allow_one_more() {
    const std::scoped_lock lock(mutex_);
    ++allowed_;
    changed_.notify_all();
    if (ready_) ready_();
  }

 private:
  std::optional<image::Batch> give() { return image::Batch{.first = given_++, .size = 1, .tensor = memory_}; }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> ready_;
  std::int64_t allowed_ = 1, given_ = 0;
  std::vector<float> memory_ = {1, 2, 3};
};

TEST_P(PipelineTest, ALateLoaderKeepsNoAnswerWaiting) {
  LateSource source;
  auto pipeline = Pipeline::make(session_, clock_, GetParam());
  ASSERT_TRUE(pipeline);
  int taken = 0;
  EXPECT_TRUE((*pipeline)->run(source,
                               [&](const image::Batch&, const InferTimes&, Outputs) {
                                 source.allow_one_more();
                                 return ++taken < 20;
                               },
                               {}));
  EXPECT_GE(taken, 20);
}

/// The other way about: a lane that takes long does not keep a batch that came meanwhile from being started.
TEST_P(PipelineTest, ABatchThatComesWhileOthersRunIsStarted) {
  if (GetParam() == 1) GTEST_SKIP() << "one at a time";
  LateSource source;
  session_.holds_until_in_flight = 2;
  auto pipeline = Pipeline::make(session_, clock_, GetParam());
  ASSERT_TRUE(pipeline);
  std::thread loader([&] {
    while (session_.in_flight() < 1) std::this_thread::yield();
    source.allow_one_more();
  });
  EXPECT_TRUE(
      (*pipeline)->run(source, [](const image::Batch&, const InferTimes&, Outputs) { return false; }, {}));
  loader.join();
  EXPECT_GE(session_.most_in_flight, 2);
}

TEST_P(PipelineTest, EachExampleGoesInOnceAndThenInTurns) {
  InputPlan plan{.inputs = session_.inputs(), .shapes = {}, .rows = 3, .assumed = {}};
  auto examples = *generate_examples(plan, {}, 2);
  examples.turns = 2;
  const auto source = example_source(examples, 21, 3);
  auto pipeline = Pipeline::make(session_, clock_, GetParam(), &examples);
  ASSERT_TRUE(pipeline);
  std::map<std::int64_t, float> first;
  EXPECT_TRUE((*pipeline)->run(*source,
                               [&](const image::Batch& batch, const InferTimes&, Outputs outputs) {
                                 EXPECT_EQ(batch.size, 3);
                                 first[batch.index] = scores_of(outputs)[0];
                                 return true;
                               },
                               {}));
  ASSERT_EQ(first.size(), 7U);
  const auto value = [&](std::size_t example) { return examples.all[example][0].memory.get()[0]; };
  const std::array<std::size_t, 7> expected{0, 1, 1, 1, 0, 0, 1};
  for (const auto& [index, score] : first) EXPECT_EQ(score, value(expected[static_cast<std::size_t>(index)]));
  EXPECT_NE(value(0), value(1));
}

INSTANTIATE_TEST_SUITE_P(Depth, PipelineTest, testing::Values(1, 2, 5));

}  // namespace
}  // namespace neph::workload
