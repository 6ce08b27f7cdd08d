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
  std::vector<double> steps;
  for (int i = 0; i < 50; ++i) steps.push_back(training.step_s());
  double verify_s = 0;
  for (int i = 0; i < test_batches; ++i) verify_s += training.verify_s();
  constexpr std::int64_t samples_left = (epochs * steps_per_epoch - 50) * batch;
  const auto sample = sample_time(steps, batch, sum(steps), 50 * batch, static_cast<double>(samples_left));
  const auto said = training_time(sum(steps) + epochs * verify_s, sample, samples_left);
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

TEST(TrainingTime, AddsWhatIsLeft) {
  const std::vector<double> steps(50, 0.5);
  const auto sample = sample_time(steps, 10, 25, 500, 1e9);
  EXPECT_DOUBLE_EQ(sample.value, 0.05);
  const auto time = training_time(30, sample, 1000);
  EXPECT_DOUBLE_EQ(time.value, 30 + 1000 * 0.05);
  EXPECT_DOUBLE_EQ(*time.low, time.value);
  EXPECT_DOUBLE_EQ(*time.high, time.value);
  EXPECT_EQ(time.n, 50);
  EXPECT_EQ(training_time(30, sample, -1).value, 30);
}

TEST(TrainingTime, HasNoIntervalOfAFewSteps) {
  const std::vector<double> few(5, 0.5);
  EXPECT_FALSE(training_time(1, sample_time(few, 10, 2.5, 50, 100), 100).high);
}

}  // namespace
}  // namespace neph::workload
