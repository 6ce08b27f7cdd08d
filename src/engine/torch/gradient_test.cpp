// Every layer's backward pass against differences of its forward pass.
#include "engine/torch/gradient_fixture_test.hpp"

namespace neph::engine::torch_plugin {
namespace {

TEST(Gradients, OfConvolutions) {
  const auto with = [](Sizes weight, std::map<std::string, net::NodeAttribute, std::less<>> attributes) {
    auto written = pictures();
    const auto filters = weight[0];
    written.store("w", std::move(weight)).store("b", {filters});
    written.node("Conv", {"in", "w", "b"}, "y", std::move(attributes));
    return written;
  };
  expect_gradients(with({4, 3, 3, 3}, {}));
  expect_gradients(with({4, 3, 3, 2}, {{"pads", Sizes{1, 1, 1, 1}}, {"strides", Sizes{2, 1}}}));
  expect_gradients(with({4, 3, 3, 3}, {{"pads", Sizes{0, 1, 2, 3}}, {"dilations", Sizes{1, 2}}}));
  expect_gradients(with({3, 1, 3, 3}, {{"group", std::int64_t{3}}, {"auto_pad", std::string("SAME_UPPER")}}));
  expect_gradients(with({4, 3, 1, 1}, {}));
}

TEST(Gradients, OfOneChannelConvolutionWithoutBias) {
  auto written = pictures({3, 1, 7, 7});
  written.store("w", {4, 1, 3, 3}).node("Conv", {"in", "w"}, "y");
  expect_gradients(written);
}

TEST(Gradients, OfMatrices) {
  for (const std::int64_t transposed : {0, 1}) {
    Written written({3, 5});
    written.learn_input("in").store("w", transposed != 0 ? Sizes{4, 5} : Sizes{5, 4}).store("b", {4});
    written.node("Gemm", {"in", "w", "b"}, "y", {{"transB", transposed}});
    expect_gradients(written);
  }
  for (const auto& bias : {Sizes{4}, Sizes{1, 4}, Sizes{1, 1, 1, 4}}) {
    Written sequence({2, 3, 5});
    sequence.learn_input("in").store("w", {5, 4}).store("b", bias);
    sequence.node("MatMul", {"in", "w"}, "m").node("Add", {"b", "m"}, "y");
    expect_gradients(sequence);
  }
}

TEST(Gradients, OfBatchNorms) {
  auto written = pictures({4, 3, 3, 2});
  written.store("scale", {3}).store("bias", {3}).values("mean", {3}, {0, 1, 2});
  written.values("variance", {3}, {1, 2, 3});
  written.node("BatchNormalization", {"in", "scale", "bias", "mean", "variance"}, "y");
  expect_gradients(written);
  written.with_outputs({"new_mean", "new_variance"});  // as PyTorch exports it for training
  expect_gradients(written);
}

TEST(Gradients, OfActivations) {
  for (const char* op : {"Relu", "Sigmoid", "Tanh"}) {
    auto written = pictures();
    written.node(op, {"in"}, "y");
    expect_gradients(written);
  }
  auto clipped = pictures();
  clipped.values("low", {}, {-0.5F}).values("high", {}, {1.0F});
  clipped.node("Clip", {"in", "low", "high"}, "y");
  expect_gradients(clipped);
}

TEST(Gradients, OfDropouts) {
  if (!dropouts_repeat()) GTEST_SKIP() << "other elements are dropped in each pass";
  for (const char* op : {"Identity", "Relu"}) {
    auto written = pictures();
    written.values("ratio", {}, {0.4F});
    written.node(op, {"in"}, "a").node("Dropout", {"a", "ratio"}, "y");
    expect_gradients(written);
  }
}

TEST(Gradients, OfPoolings) {
  const std::map<std::string, net::NodeAttribute, std::less<>> overlapping{
      {"kernel_shape", Sizes{3, 2}}, {"strides", Sizes{2, 1}}, {"pads", Sizes{1, 1, 1, 1}}};
  for (const char* op : {"MaxPool", "AveragePool"}) {
    auto written = pictures();
    written.node(op, {"in"}, "y", {{"kernel_shape", Sizes{2, 2}}, {"strides", Sizes{2, 2}}});
    expect_gradients(written);
    auto padded = pictures();
    padded.node(op, {"in"}, "y", overlapping);
    expect_gradients(padded);
  }
  auto uneven = pictures();
  uneven.node("MaxPool", {"in"}, "y", {{"kernel_shape", Sizes{2, 2}}, {"pads", Sizes{0, 0, 1, 1}}});
  expect_gradients(uneven);
  auto after_relu = pictures({2, 8, 6, 6});
  after_relu.node("Relu", {"in"}, "a")
      .node("MaxPool", {"a"}, "y", {{"kernel_shape", Sizes{2, 2}}, {"strides", Sizes{2, 2}}});
  expect_gradients(after_relu);
}

TEST(Gradients, OfMeansAndSums) {
  auto global = pictures();
  global.node("GlobalAveragePool", {"in"}, "y");
  expect_gradients(global);
  for (const char* reduction : {"ReduceMean", "ReduceSum"}) {
    auto reduced = pictures();
    reduced.node(reduction, {"in"}, "y", {{"axes", Sizes{2, -1}}, {"keepdims", std::int64_t{0}}});
    expect_gradients(reduced);
  }
}

TEST(Gradients, OfWhatIsReadTwice) {
  auto written = pictures();
  written.store("w", {3, 3, 1, 1});
  written.node("Conv", {"in", "w"}, "a").node("Relu", {"a"}, "b").node("Conv", {"b", "w"}, "c");
  written.node("Add", {"b", "c"}, "d").node("Concat", {"d", "b", "in"}, "y", {{"axis", std::int64_t{1}}});
  expect_gradients(written);
}

TEST(Gradients, OfProductsAndSumsOfOtherSizes) {
  auto written = pictures();
  written.store("scale", {1, 3, 1, 1}).store("row", {5});
  written.node("Mul", {"in", "scale"}, "a").node("Add", {"row", "a"}, "b");
  written.node("GlobalAveragePool", {"b"}, "c").node("Mul", {"b", "c"}, "y");
  expect_gradients(written);
}

TEST(Gradients, OfOtherShapes) {
  auto written = pictures();
  written.integers("shape", {0, -1, 5}).integers("axis", {1}).integers("first", {1});
  written.node("Transpose", {"in"}, "a", {{"perm", Sizes{0, 2, 1, 3}}}).node("Reshape", {"a", "shape"}, "b");
  written.node("Unsqueeze", {"b", "axis"}, "c").node("Tanh", {"c"}, "d").node("Squeeze", {"d", "first"}, "e");
  written.store("w", {90, 2}).node("Flatten", {"e"}, "f").node("MatMul", {"f", "w"}, "y");
  expect_gradients(written);
}

TEST(Gradients, OfFlattenedPicturesAndTheBiasBeforeAPool) {
  auto written = pictures({2, 3, 6, 6});
  written.store("w", {4, 3, 3, 3}, 0.5).store("b", {4}).store("m", {5, 16}).store("c", {5});
  written.node("Conv", {"in", "w", "b"}, "d");
  written.node("MaxPool", {"d"}, "e", {{"kernel_shape", Sizes{2, 2}}, {"strides", Sizes{2, 2}}});
  written.node("Relu", {"e"}, "f").node("Flatten", {"f"}, "g");
  written.node("Gemm", {"g", "m", "c"}, "y", {{"transB", std::int64_t{1}}});
  expect_gradients(written);
}

TEST(Gradients, OfABiasWhosePicturesAreReadTwice) {
  auto written = pictures({2, 3, 6, 6});
  written.store("w", {4, 3, 3, 3}, 0.5).store("b", {4});
  written.node("Conv", {"in", "w", "b"}, "d");
  const std::map<std::string, net::NodeAttribute, std::less<>> tiles{{"kernel_shape", Sizes{2, 2}},
                                                                     {"strides", Sizes{2, 2}}};
  written.node("MaxPool", {"d"}, "e", tiles).node("AveragePool", {"d"}, "f", tiles);
  written.node("Add", {"e", "f"}, "y");
  expect_gradients(written);
}

TEST(Gradients, OfGruLayers) {
  for (const std::int64_t after : {0, 1})
    for (const std::string way : {"forward", "reverse", "bidirectional"}) {
      const std::int64_t sides = way == "bidirectional" ? 2 : 1;
      Written written({4, 2, 3});
      written.learn_input("in")
          .store("w", {sides, 6, 3}, 0.7)
          .store("r", {sides, 6, 2}, 0.7)
          .store("b", {sides, 12});
      written.node("GRU", {"in", "w", "r", "b"}, "y",
                   {{"direction", way}, {"hidden_size", std::int64_t{2}}, {"linear_before_reset", after}});
      expect_gradients(written);
    }
}

}  // namespace
}  // namespace neph::engine::torch_plugin
