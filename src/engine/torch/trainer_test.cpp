#include "engine/torch/trainer.hpp"

#include <limits>

#include "engine/torch/fixture_test.hpp"

namespace neph::engine::torch_plugin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Pictures of three classes, each with a stripe at another place, and their labels.
struct Stripes {
  explicit Stripes(std::int64_t count, std::uint64_t seed = 1)
      : pixels(random_floats(count * 64, seed, 0.3)) {
    for (std::int64_t i = 0; i < count; ++i) {
      labels.push_back(i % 3);
      for (std::int64_t x = 0; x < 8; ++x)
        pixels[static_cast<std::size_t>(i * 64 + (i % 3) * 16 + x)] += 1.5F;
    }
  }
  Examples examples() const { return {.count = std::ssize(labels), .inputs = pixels, .labels = labels}; }

  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
};

std::unique_ptr<Trainer> trainer_of(const net::Program& program, TrainOptions options) {
  if (options.exchange == nullptr) options.device = test_device();
  auto trainer = make_trainer(torch_library(), program, options);
  if (!trainer) ADD_FAILURE() << trainer.error().text();
  return trainer ? std::move(*trainer) : nullptr;
}

Error refusal(const net::Program& program, const TrainOptions& options) {
  const auto trainer = make_trainer(torch_library(), program, options);
  EXPECT_FALSE(trainer);
  return trainer ? Error{} : trainer.error();
}

std::vector<float> train(Trainer& trainer, int steps, std::int64_t batch) {
  for (int i = 0; i < steps; ++i) {
    const Stripes stripes(batch, static_cast<std::uint64_t>(i) + 1);
    const auto done = trainer.step(stripes.examples());
    EXPECT_TRUE(done) << done.error().text();
  }
  auto losses = trainer.losses();
  EXPECT_TRUE(losses);
  return losses.value_or(std::vector<float>{});
}

TEST(Trainer, LearnsWithBothOptimisers) {
  for (const auto optimizer : {Optimizer::adam, Optimizer::sgd}) {
    const auto trainer =
        trainer_of(small_network(), {.batch = 24, .optimizer = optimizer, .learning_rate = 0.01});
    EXPECT_THAT(trainer->example_shape(), ElementsAre(1, 8, 8));
    EXPECT_EQ(trainer->classes(), 3);
    EXPECT_EQ(trainer->parameters(), 4 * 9 + 4 + 3 * 36 + 3);
    const auto losses = train(*trainer, 60, 24);
    ASSERT_EQ(losses.size(), 60U);
    EXPECT_LT(losses.back(), losses.front() / 2);
    const Stripes unseen(50, 99);
    const auto verified = trainer->verify(unseen.examples());
    ASSERT_TRUE(verified);
    EXPECT_GT(verified->correct, 45);
    EXPECT_LT(verified->loss, losses.front() / 2);
  }
}

TEST(Trainer, RepeatsItsBits) {
  if (!dropouts_repeat()) GTEST_SKIP() << "other elements are dropped in each training";
  const auto run = [](std::uint64_t seed, std::int64_t threads) {
    const auto trainer = trainer_of(small_network(), {.batch = 12, .threads = threads, .seed = seed});
    EXPECT_EQ(trainer->facts().at("threads"), std::to_string(threads));
    train(*trainer, 5, 12);
    return trainer->weights().value();
  };
  for (const std::int64_t threads : {1, 2}) {
    EXPECT_EQ(run(3, threads), run(3, threads));
    EXPECT_NE(run(3, threads), run(4, threads)) << "dropouts are drawn from the seed";
  }
}

TEST(Trainer, TakesAnEpochsLastSmallBatch) {
  const auto trainer = trainer_of(small_network(), {.batch = 24});
  EXPECT_TRUE(trainer->step(Stripes(24).examples()));
  EXPECT_TRUE(trainer->step(Stripes(7).examples()));
  EXPECT_TRUE(trainer->step(Stripes(1).examples()));
  EXPECT_EQ(trainer->losses()->size(), 3U);
  EXPECT_EQ(trainer->losses()->size(), 0U) << "each is told once";
}

TEST(Trainer, VerifiesInBatchesWithoutDropouts) {
  const auto trainer = trainer_of(small_network(), {.batch = 8});
  const Stripes all(21);
  const auto first = trainer->verify(all.examples());
  const auto second = trainer->verify(all.examples());
  EXPECT_EQ(first->loss, second->loss);
  const auto whole = trainer_of(small_network(), {.batch = 21})->verify(all.examples());
  EXPECT_NEAR(first->loss, whole->loss, 1e-5);
  EXPECT_EQ(first->correct, whole->correct);
}

TEST(Trainer, ChangesEveryParameterAndNamesThemAsTheFile) {
  auto written = small_network();
  const auto trainer = trainer_of(written, {.batch = 6});
  const auto before = trainer->weights().value();
  train(*trainer, 1, 6);
  const auto after = trainer->weights().value();
  for (const char* name : {"conv.weight", "conv.bias", "fc.weight", "fc.bias"}) {
    EXPECT_EQ(before.at(name), written.program().tensors.at(name).floats) << name;
    EXPECT_NE(before.at(name), after.at(name)) << name;
  }
  EXPECT_EQ(after.size(), 4U) << "a dropout's ratio is no weight";
}

TEST(Trainer, RefusesExamplesThatDoNotFit) {
  const auto trainer = trainer_of(small_network(), {.batch = 6});
  const auto refused = [&](const Examples& examples, const char* why) {
    const auto done = trainer->step(examples);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(done.error().message, HasSubstr(why));
  };
  Stripes stripes(6);
  auto short_of_one = stripes.examples();
  short_of_one.inputs = short_of_one.inputs.first(6 * 64 - 1);
  refused(short_of_one, "are not 383 numbers");
  refused({}, "0 examples");
  stripes.labels[2] = 3;
  refused(stripes.examples(), "label 3 is no class: the network has 0 to 2");
  stripes.labels[2] = -1;
  refused(stripes.examples(), "label -1");
  stripes.labels.pop_back();
  refused({.count = 6, .inputs = stripes.pixels, .labels = stripes.labels}, "5 labels do not fit 6 examples");
  EXPECT_TRUE(trainer->step(Stripes(6).examples())) << "what was refused leaves no trace";
}

/// A rank of two. Its partner's row is `other`; without one it is alone, and its own row is told.
class OneOfTwo final : public Exchange {
 public:
  explicit OneOfTwo(std::vector<float> other = {}, double weight = 0)
      : other_(std::move(other)), weight_(weight) {}
  std::int64_t rank() const override { return 0; }
  std::int64_t ranks() const override { return 2; }
  Result<std::span<float>> room(std::int64_t count) override {
    row_.resize(static_cast<std::size_t>(count));
    return row_;
  }
  Result<std::span<const float>> mean(double weight) override {
    means_ = row_;
    for (std::size_t i = 0; i < other_.size(); ++i)
      means_[i] = static_cast<float>(((weight > 0 ? row_[i] * weight : 0) + other_[i] * weight_) /
                                     (weight + weight_));
    return means_;
  }
  Status from_rank_0(std::span<std::byte> bytes) override {
    shared_ = bytes.size();
    std::ranges::fill(bytes, std::byte{0x3f});
    return {};
  }
  const std::vector<float>& row() const { return row_; }
  std::size_t shared() const { return shared_; }

 private:
  std::vector<float> row_, means_, other_;
  double weight_;
  std::size_t shared_ = 0;
};

Written without_dropout() {
  auto written = small_network();
  auto& nodes = written.program().nodes;
  std::erase_if(nodes, [](const auto& node) { return node.op == "Dropout"; });
  for (auto& node : nodes)
    for (auto& input : node.inputs)
      if (input == "d") input = "c";
  return written;
}

void expect_near(Trainer& one, Trainer& other) {
  const auto here = one.weights().value(), there = other.weights().value();
  for (const auto& [name, values] : here)
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i], there.at(name)[i], 1e-6) << name << " at " << i;
}

TEST(Trainer, LearnsWithAnotherRankWhatOneLearnsAlone) {
  TrainOptions options{.batch = 24, .optimizer = Optimizer::sgd, .learning_rate = 0.5};
  const Stripes all(24);
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Examples{.count = static_cast<std::int64_t>(end - begin),
                    .inputs = std::span(all.pixels).subspan(begin * 64, (end - begin) * 64),
                    .labels = std::span(all.labels).subspan(begin, end - begin),
                    .whole = 24};
  };
  const auto alone = trainer_of(without_dropout(), options);
  ASSERT_TRUE(alone->step(all.examples()));
  OneOfTwo second;
  options.exchange = &second;
  ASSERT_TRUE(trainer_of(without_dropout(), options)->step(part(10, 24)));
  OneOfTwo first(second.row(), 14);
  options.exchange = &first;
  const auto made = trainer_of(without_dropout(), options);
  ASSERT_TRUE(made->step(part(0, 10)));
  expect_near(*made, *alone);
  const auto loss = alone->losses().value();
  EXPECT_NEAR(made->losses()->front(), loss.front(), 1e-6) << "of all ranks' examples";
  EXPECT_EQ(made->losses()->size(), 0U);

  OneOfTwo whole;
  options.exchange = &whole;
  ASSERT_TRUE(trainer_of(without_dropout(), options)->step(part(0, 24)));
  OneOfTwo none(whole.row(), 24);
  options.exchange = &none;
  const auto idle = trainer_of(without_dropout(), options);
  ASSERT_TRUE(idle->step({.whole = 24})) << "all examples are the other's";
  expect_near(*idle, *alone);
  EXPECT_NEAR(idle->losses()->front(), loss.front(), 1e-6);
}

TEST(Trainer, TakesOverTheStatisticsOfRank0AndNothingElse) {
  Written written({-1, 1, 8, 8});
  written.store("w", {2, 1, 3, 3}, 0.5).store("scale", {2}).store("shift", {2});
  written.values("mean", {2}, {0, 0}).values("var", {2}, {1, 1}).store("fc", {3, 72}, 0.2);
  written.node("Conv", {"x", "w"}, "a")
      .node("BatchNormalization", {"a", "scale", "shift", "mean", "var"}, "b")
      .node("Flatten", {"b"}, "c")
      .node("Gemm", {"c", "fc"}, "y", {{"transB", std::int64_t{1}}});
  OneOfTwo exchange;
  const auto made = trainer_of(written, {.batch = 6, .exchange = &exchange});
  ASSERT_TRUE(made->step(Stripes(6).examples()));
  ASSERT_TRUE(made->share_statistics());
  EXPECT_EQ(exchange.shared(), 4 * sizeof(float));
  const auto weights = made->weights().value();
  for (const auto* name : {"mean", "var"})
    for (const auto value : weights.at(name)) EXPECT_FLOAT_EQ(value, 0.747058809F) << name;  // 0x3f3f3f3f
  EXPECT_NE(weights.at("scale")[0], 0.747058809F);
}

TEST(Trainer, TellsALossThatIsNoNumber) {
  const auto trainer = trainer_of(small_network(), {.batch = 3});
  Stripes stripes(3);
  stripes.pixels[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(trainer->step(stripes.examples()));
  EXPECT_TRUE(std::isnan(trainer->losses()->front()));
}

TEST(Trainer, RefusesOptionsThatMakeNoSense) {
  const auto code = [](const TrainOptions& options) { return refusal(small_network(), options).code; };
  EXPECT_EQ(code({.batch = 0}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.batch = 1, .threads = -1}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.batch = 1, .learning_rate = -0.1}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.batch = 1, .loss = Loss::ctc}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.precision = Precision::f16, .batch = 1}), ErrorCode::unsupported);
  EXPECT_THAT(refusal(small_network(), {.batch = std::int64_t{1} << 40}).message,
              HasSubstr("use a smaller batch"));
  const auto typo = refusal(small_network(), {.device = "CPUU", .batch = 1});
  EXPECT_EQ(typo.code, ErrorCode::not_found);
  EXPECT_THAT(typo.text(), HasSubstr("did you mean 'CPU'"));
}

TEST(Trainer, SaysWhyThereIsNoGpu) {
  if (torch_library().no_cuda.empty()) GTEST_SKIP() << "libtorch computes on GPUs here";
  const auto error = refusal(small_network(), {.device = "CUDA", .batch = 1});
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_THAT(error.message, HasSubstr("no GPU here: "));
}

TEST(Trainer, NamesWhatItDoesNotTrain) {
  Written floor({-1, 4});
  floor.store("w", {4, 2}).node("MatMul", {"x", "w"}, "a").node("Floor", {"a"}, "y");
  const auto error = refusal(floor, {.batch = 1});
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_EQ(error.message,
            "operator Floor (node 'y_node') does not run on engine torch: it has no gradient here");

  Written nothing({-1, 4});
  nothing.node("Relu", {"x"}, "y");
  EXPECT_THAT(refusal(nothing, {.batch = 1}).message, HasSubstr("nothing that training changes"));

  auto wrong = small_network();
  wrong.program().tensors["fc.weight"].shape = {3, 12};
  wrong.program().tensors["fc.weight"].floats.resize(36);
  const auto shapes = refusal(wrong, {.batch = 1});
  EXPECT_EQ(shapes.code, ErrorCode::unsupported);
  EXPECT_THAT(shapes.message, HasSubstr("torch cannot do aten::linear: "));
  EXPECT_EQ(shapes.message.find('\n'), std::string::npos);
}

TEST(Trainer, ReducedPrecisionLearnsTheSame) {
  const auto cpu = find_place(torch_library(), "cpu");
  ASSERT_TRUE(cpu);
  TrainOptions options{.precision = Precision::bf16, .batch = 24, .learning_rate = 0.01};
  if (std::ranges::count(cpu->device.precisions, Precision::bf16) == 0) {
    EXPECT_EQ(refusal(small_network(), options).code, ErrorCode::unsupported);
    return;
  }
  const auto low = train(*trainer_of(small_network(), options), 30, 24);
  options.precision = Precision::f32;
  const auto high = train(*trainer_of(small_network(), options), 30, 24);
  EXPECT_NE(low, high);
  EXPECT_NEAR(low.front(), high.front(), dropouts_repeat() ? 0.05 : 0.5);
  EXPECT_LT(low.back(), low.front() * 0.7);
}

/// Sequences of five steps in which one of three features is on; the labels are the features in order.
TEST(Trainer, LearnsSequencesByCtc) {
  for (const bool examples_first : {false, true}) {
    Written written({-1, 6, 3});
    written.store("w", {2, 24, 3}, 0.4).store("r", {2, 24, 8}, 0.4).store("b", {2, 48}, 0.1);
    written.store("out", {16, 4}, 0.4).store("bias", {4}, 0.1);
    written.integers("merged", {0, 0, -1});
    written.node("Transpose", {"x"}, "times", {{"perm", Sizes{1, 0, 2}}});
    written.node("GRU", {"times", "w", "r", "b"}, "both",
                 {{"direction", std::string("bidirectional")}, {"linear_before_reset", std::int64_t{1}}});
    written.node("Transpose", {"both"}, "sides", {{"perm", Sizes{0, 2, 1, 3}}})
        .node("Reshape", {"sides", "merged"}, "h");
    written.node("MatMul", {"h", "out"}, "m").node("Add", {"m", "bias"}, "scores");
    if (examples_first) written.node("Transpose", {"scores"}, "y", {{"perm", Sizes{1, 0, 2}}});
    const auto trainer = trainer_of(written, {.batch = 6, .learning_rate = 0.02});
    EXPECT_EQ(trainer->classes(), 4);
    std::vector<float> inputs(6 * 6 * 3, 0.0F);
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t first = i % 3, second = (i + 1 + i / 3) % 3;
      inputs[i * 18 + 1 * 3 + first] = inputs[i * 18 + 4 * 3 + second] = 1;
      labels.push_back(static_cast<std::int64_t>(first) + 1);
      labels.push_back(static_cast<std::int64_t>(second) + 1);
    }
    const Examples examples{.count = 6, .inputs = inputs, .labels = labels};
    for (int step = 0; step < 120; ++step) ASSERT_TRUE(trainer->step(examples));
    const auto losses = trainer->losses().value();
    EXPECT_LT(losses.back(), losses.front() / 10) << losses.front();
    EXPECT_NEAR(trainer->verify(examples)->loss, losses.back(), 0.1);
    labels[0] = 0;
    EXPECT_THAT(trainer->step(examples).error().message,
                HasSubstr("label 0 is no class: the network has 1 to 3"));
  }
}

}  // namespace
}  // namespace neph::engine::torch_plugin
