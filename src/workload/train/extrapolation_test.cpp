#include "workload/train/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::workload {
namespace {

constexpr std::int64_t batch = 32;
constexpr std::int64_t steps_per_epoch = 200, test_batches = 40, epochs = 3;

/// A training of known step times: lognormal, and alike from one step to the next.
class Training {
 public:
  Training(std::uint64_t seed, double correlation) : random_(seed), correlation_(correlation) {
    wandered_ = random_.normal();
  }
  double step_s() {
    wandered_ = correlation_ * wandered_ + std::sqrt(1 - correlation_ * correlation_) * random_.normal();
    return 0.05 * std::exp(0.2 * wandered_);
  }
  double verify_s() { return 0.3 * step_s(); }

 private:
  Random random_;
  double correlation_, wandered_ = 0;
};

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// What is said after 50 steps, and what came.
bool holds(std::uint64_t seed, double correlation, double& off) {
  Training training(seed, correlation);
  std::vector<double> steps, verifying;
  for (int i = 0; i < 50; ++i) steps.push_back(training.step_s());
  for (int i = 0; i < 10; ++i) verifying.push_back(training.verify_s());
  const TrainingCourse course{.past_s = sum(steps),
                              .samples_left = (epochs * steps_per_epoch - 50) * batch,
                              .test_samples_left = epochs * test_batches * batch,
                              .batch = batch};
  const auto learning =
      sample_time(steps, batch, sum(steps), 50 * batch, static_cast<double>(course.samples_left));
  const auto said = training_time(course, learning, verifying);
  Training whole(seed + 1'000'000, correlation);
  double came = 0;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (std::int64_t i = 0; i < steps_per_epoch; ++i) came += whole.step_s();
    for (std::int64_t i = 0; i < test_batches; ++i) came += whole.verify_s();
  }
  off = std::abs(said.value / came - 1);
  return *said.low <= came && came <= *said.high;
}

class Extrapolation : public testing::TestWithParam<double> {};

TEST_P(Extrapolation, OfFiftyStepsHoldsInNineOfTenTrainings) {
  constexpr int trainings = 500;
  int held = 0;
  std::vector<double> off(trainings);
  for (int i = 0; i < trainings; ++i) held += holds(static_cast<std::uint64_t>(i + 1), GetParam(), off[i]);
  EXPECT_GE(held, trainings * 9 / 10);
  std::ranges::nth_element(off, off.begin() + trainings / 2);
  EXPECT_LT(off[trainings / 2], GetParam() < 0.8 ? 0.05 : 0.08);
}

INSTANTIATE_TEST_SUITE_P(Correlations, Extrapolation, testing::Values(0.0, 0.5, 0.8));

TEST(TrainingTime, IsWhatWasMeasuredWhereNothingIsLeft) {
  const auto time = training_time({.past_s = 12.5}, {.value = 0.1, .n = 50}, {});
  EXPECT_EQ(time.value, 12.5);
  EXPECT_FALSE(time.low || time.high);
}

TEST(TrainingTime, AddsWhatIsLeft) {
  const std::vector<double> steps(50, 0.5), verifying(9, 0.25);
  const auto learning = sample_time(steps, 10, 25, 500, 1e9);
  EXPECT_DOUBLE_EQ(learning.value, 0.05);
  const auto time = training_time({.past_s = 30, .samples_left = 1000, .test_samples_left = 200, .batch = 10},
                                  learning, verifying);
  EXPECT_DOUBLE_EQ(time.value, 30 + 1000 * 0.05 + 20 * 0.25);
  EXPECT_DOUBLE_EQ(*time.low, time.value);
  EXPECT_DOUBLE_EQ(*time.high, time.value);
  EXPECT_EQ(time.n, 50);
}

TEST(TrainingTime, HasNoIntervalWhereAPartHasNone) {
  const std::vector<double> few(5, 0.5), steps(50, 0.5);
  const TrainingCourse course{.past_s = 1, .samples_left = 100, .test_samples_left = 10, .batch = 10};
  EXPECT_FALSE(training_time(course, sample_time(few, 10, 2.5, 50, 100), few).high);
  EXPECT_FALSE(training_time(course, sample_time(steps, 10, 25, 500, 100), {few.data(), 1}).high);
  EXPECT_TRUE(training_time(course, sample_time(steps, 10, 25, 500, 100), few).high);
}

}  // namespace
}  // namespace neph::workload
