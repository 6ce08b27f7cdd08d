#include "workload/train/learner.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "workload/train/step_log.hpp"

namespace neph::workload {
namespace {

class Zeros final : public data::Split {
 public:
  explicit Zeros(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  std::int64_t labels_per_example() const override { return 1; }
  Status fill(std::span<const std::int64_t>, std::span<float>, std::span<std::int64_t>) const override {
    return {};
  }

 private:
  std::int64_t size_;
};

/// As a GPU does: steps return at once, and take their time when they are waited for.
class Queue final : public engine::Trainer {
 public:
  explicit Queue(ManualClock& clock) : clock_(clock) {}
  const std::vector<std::int64_t>& example_shape() const override { return shape_; }
  std::int64_t classes() const override { return 2; }
  std::int64_t parameters() const override { return 1; }
  Status step(const engine::Examples&) override {
    losses_.push_back(static_cast<float>(++steps_));
    return {};
  }
  Result<std::vector<float>> losses() override {
    clock_.advance(std::chrono::milliseconds(10) * std::ssize(losses_));
    return std::exchange(losses_, {});
  }
  Result<engine::Verified> verify(const engine::Examples& examples) override {
    clock_.advance(std::chrono::milliseconds(2) * examples.count);
    return engine::Verified{.loss = static_cast<double>(examples.count), .correct = 1};
  }
  Result<std::map<std::string, std::vector<float>, std::less<>>> weights() override { return {}; }
  const Facts& facts() const override { return facts_; }

 private:
  ManualClock& clock_;
  std::vector<std::int64_t> shape_{1};
  std::vector<float> losses_;
  int steps_ = 0;
  Facts facts_;
};

class LearnerOfAQueue : public testing::Test {
 protected:
  void SetUp() override {
    feed_ = std::move(*Feed::make(split_, {.batch = 4, .values = 1, .loaders = 0}, clock_));
    feed_->begin(1);
  }
  ManualClock clock_;
  Zeros split_{50};  // 13 steps, the last of 2
  Queue trainer_{clock_};
  std::unique_ptr<Feed> feed_;
};

TEST_F(LearnerOfAQueue, SharesTheTimeOfStepsThatAreWaitedForTogether) {
  Learner learner(trainer_, *feed_, clock_);
  learner.wait_together(5);
  int steps = 0;
  while (*learner.step(1)) ++steps;
  EXPECT_EQ(steps, 13);
  ASSERT_EQ(learner.steps().size(), 13U) << "the last three too";
  for (std::size_t i = 0; i < 13; ++i) {
    const auto& step = learner.steps()[i];
    EXPECT_EQ(step.done - step.asked, std::chrono::milliseconds(10));
    EXPECT_EQ(step.loss, static_cast<double>(i + 1)) << "each its own";
    EXPECT_EQ(step.items, i < 12 ? 4 : 2);
    if (i > 0) {
      EXPECT_EQ(step.asked, learner.steps()[i - 1].done);
    }
  }
}

TEST_F(LearnerOfAQueue, LeavesStepsOutThatAreNoWholeBatch) {
  Learner learner(trainer_, *feed_, clock_);
  while (*learner.step(1)) {
  }
  const StepLog log(learner.steps(), 2);
  EXPECT_EQ(log.count(), 11);
  EXPECT_EQ(log.samples(), 42);
  EXPECT_EQ(log.full_s().size(), 10U);
  EXPECT_DOUBLE_EQ(log.all_s(), 0.11);
  EXPECT_EQ(StepLog(learner.steps(), 99).count(), 0);
}

TEST_F(LearnerOfAQueue, VerifiesWhatItIsTold) {
  const auto never = [](std::int64_t) { return false; };
  const auto all = *verify(trainer_, *feed_, 0, clock_, never);
  EXPECT_EQ(all.samples, 50);
  EXPECT_EQ(all.correct, 13);
  EXPECT_DOUBLE_EQ(all.loss, (12 * 16.0 + 4) / 50) << "by samples, not by batches";
  EXPECT_EQ(all.batch_s.size(), 12U);
  EXPECT_DOUBLE_EQ(all.batch_s[0], 0.008);
  EXPECT_EQ(verify(trainer_, *feed_, 8, clock_, never)->samples, 8);
  EXPECT_EQ(verify(trainer_, *feed_, 0, clock_, [](std::int64_t done) { return done >= 12; })->samples, 12);
}

}  // namespace
}  // namespace neph::workload
