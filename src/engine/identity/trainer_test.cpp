#include "engine/identity/trainer.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "engine/identity/scratch_test.hpp"
#include "net/net.hpp"

namespace neph::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* ten_classes = R"(
[[inputs]]
name = "x"
shape = [-1, 1, 4, 4]
[[outputs]]
name = "y"
shape = [-1, 10]
)";

class IdentityTraining : public ScratchFolder {
 protected:
  Result<std::unique_ptr<Trainer>> prepared(const std::string& words, TrainOptions options) {
    NEPH_TRY(const auto file, read_identity_file(write(words + ten_classes)));
    return IdentityTrainer::make(file, network_of(file), options, clock_);
  }
  std::unique_ptr<Trainer> trainer(const std::string& words,
                                   TrainOptions options = {.batch = 8, .threads = 1}) {
    auto made = prepared(words, options);
    if (!made) ADD_FAILURE() << made.error().message;
    return made ? std::move(*made) : nullptr;
  }
  Examples examples(std::int64_t count) {
    inputs_.assign(static_cast<std::size_t>(count) * 16, 0.5F);
    labels_.assign(static_cast<std::size_t>(count), 3);
    return {.count = count, .inputs = inputs_, .labels = labels_};
  }
  double step_s(Trainer& made, std::int64_t count = 8) {
    const auto begin = clock_.now();
    EXPECT_TRUE(made.step(examples(count)));
    return seconds(clock_.now() - begin);
  }

  std::vector<float> inputs_;
  std::vector<std::int64_t> labels_;
};

TEST_F(IdentityTraining, StepsTakeTheTimeThatTheFileSays) {
  const auto made =
      trainer("service_ms = 8\nper_item_ms = 1\n[training]\nfirst_step_ms = 100\nverify_share = 0.25\n");
  EXPECT_THAT(made->example_shape(), ElementsAre(1, 4, 4));
  EXPECT_EQ(made->classes(), 10);
  EXPECT_DOUBLE_EQ(step_s(*made), 0.116);
  EXPECT_DOUBLE_EQ(step_s(*made), 0.016);
  EXPECT_DOUBLE_EQ(step_s(*made, 4), 0.008);
  const auto begin = clock_.now();
  ASSERT_TRUE(made->verify(examples(8)));
  EXPECT_DOUBLE_EQ(seconds(clock_.now() - begin), 0.004);
}

TEST_F(IdentityTraining, ThreadsShareTheParallelPart) {
  const std::string words = "service_ms = 10\n[training]\nparallel = 0.8\n";
  EXPECT_DOUBLE_EQ(step_s(*trainer(words, {.batch = 8, .threads = 1})), 0.010);
  EXPECT_DOUBLE_EQ(step_s(*trainer(words, {.batch = 8, .threads = 4})), 0.004);
}

TEST_F(IdentityTraining, WandersAsItSaysAndTheSameForTheSameSeed) {
  const auto times = [&](std::uint64_t seed) {
    const auto made = trainer("service_ms = 10\n[training]\nwander = 0.2\ncorrelation = 0.9\n",
                              {.batch = 8, .threads = 1, .seed = seed});
    std::vector<double> logs;
    for (int i = 0; i < 20'000; ++i) logs.push_back(std::log(step_s(*made) / 0.010));
    return logs;
  };
  const auto logs = times(1);
  EXPECT_EQ(logs, times(1));
  EXPECT_NE(logs, times(2));
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / 20'000;
  double square = 0, next = 0;
  for (std::size_t i = 0; i + 1 < logs.size(); ++i) {
    square += (logs[i] - mean) * (logs[i] - mean);
    next += (logs[i] - mean) * (logs[i + 1] - mean);
  }
  EXPECT_NEAR(mean, 0, 0.03);
  EXPECT_NEAR(std::sqrt(square / 20'000), 0.2, 0.02);
  EXPECT_NEAR(next / square, 0.9, 0.02);
}

TEST_F(IdentityTraining, LossesFallAndAnswersBecomeRight) {
  const auto made = trainer("[training]\nlearning = 0.5\n");
  EXPECT_NEAR(made->verify(examples(1000))->correct, 100, 0) << "one in ten by chance";
  step_s(*made);
  step_s(*made);
  const auto losses = *made->losses();
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_FLOAT_EQ(losses[0], static_cast<float>(std::log(10.0) / 2));
  EXPECT_FLOAT_EQ(losses[1], losses[0] / 2);
  EXPECT_TRUE(made->losses()->empty()) << "told once";
  const auto seen = *made->verify(examples(1000));
  EXPECT_EQ(seen.correct, 775);
  EXPECT_NEAR(seen.loss, losses[1], 1e-6);
  const auto weights = *made->weights();
  EXPECT_FLOAT_EQ(weights.at("weight").front(), 0.25F);
  EXPECT_EQ(made->parameters(), 1000);
}

/// A rank of two, whose partner has always written the same.
class OneOfTwo final : public Exchange {
 public:
  OneOfTwo(float others, double weight) : others_(others), weight_(weight) {}
  std::int64_t rank() const override { return 0; }
  std::int64_t ranks() const override { return 2; }
  Result<std::span<float>> room(std::int64_t count) override {
    row_.resize(static_cast<std::size_t>(count));
    return row_;
  }
  Result<std::span<const float>> mean(double weight) override {
    for (auto& value : row_)
      value = static_cast<float>((value * weight + others_ * weight_) / (weight + weight_));
    return row_;
  }
  Status from_rank_0(std::span<std::byte>) override { return {}; }

 private:
  std::vector<float> row_;
  float others_;
  double weight_;
};

TEST_F(IdentityTraining, RemembersWhatItLearntFromOfAllRanks) {
  const auto alone = trainer("");
  step_s(*alone);
  EXPECT_FLOAT_EQ(alone->weights()->at("weight")[1], 1.0F / 2 + 3.5F);
  step_s(*alone, 2);
  EXPECT_FLOAT_EQ(alone->weights()->at("weight")[1], 4.0F / 2 + 3.5F);
  OneOfTwo exchange(9.5F, 4);
  const auto made = trainer("", {.batch = 8, .threads = 1, .exchange = &exchange});
  step_s(*made, 8);
  EXPECT_FLOAT_EQ(made->weights()->at("weight")[1], 1.0F / 2 + (3.5F * 8 + 9.5F * 4) / 12);
  ASSERT_TRUE(made->step({})) << "all examples are the other's";
  EXPECT_FLOAT_EQ(made->weights()->at("weight")[1], 6.0F / 2 + 9.5F);
}

TEST_F(IdentityTraining, LosesItsLossWhereItSaysSo) {
  const auto made = trainer("[training]\nnan_at_step = 2\n");
  for (int i = 0; i < 3; ++i) step_s(*made);
  const auto losses = *made->losses();
  EXPECT_TRUE(std::isfinite(losses[0]));
  EXPECT_TRUE(std::isnan(losses[1]));
  EXPECT_TRUE(std::isnan(losses[2]));
}

TEST_F(IdentityTraining, RefusesWhatIsNoStep) {
  const auto made = trainer("");
  auto other = examples(4);
  other.count = 3;
  EXPECT_EQ(made->step(other).error().code, ErrorCode::invalid_argument);
  examples(4);
  labels_[2] = 10;
  const auto wrong = made->step({.count = 4, .inputs = inputs_, .labels = labels_});
  EXPECT_THAT(wrong.error().message, HasSubstr("the label 10 is none of 10 classes"));
  labels_[2] = -1;
  EXPECT_FALSE(made->verify({.count = 4, .inputs = inputs_, .labels = labels_}));
  EXPECT_EQ(prepared("", {.device = "CUDA", .batch = 8}).error().code, ErrorCode::not_found);
  EXPECT_EQ(prepared("", {.batch = 0}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(prepared("[training]\nmost_batch = 64\n", {.batch = 65}).error().code, ErrorCode::unavailable);
  EXPECT_TRUE(prepared("[training]\nmost_batch = 64\n", {.batch = 64}));
}

TEST_F(IdentityTraining, OfAProgramNeedsAFixedShape) {
  net::Program program{.name = "p", .inputs = {{"x", {-1, 3, 8, 8}}}, .outputs = {{"y", {-1, 5}}}};
  program.tensors["w"].floats = {1, 2};
  program.tensors["shape"].integers = {1};
  const auto network = network_of(program);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(network->example_shape, ElementsAre(3, 8, 8));
  EXPECT_EQ(network->classes, 5);
  EXPECT_EQ(network->tensors.size(), 1U);
  program.inputs[0].shape[2] = -1;
  EXPECT_EQ(network_of(program).error().code, ErrorCode::unsupported);
  program.inputs[0].shape[2] = 8;
  program.outputs.clear();
  EXPECT_FALSE(network_of(program));
}

}  // namespace
}  // namespace neph::engine
