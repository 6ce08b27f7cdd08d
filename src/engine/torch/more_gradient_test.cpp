// As gradient_test.cpp, of the operators of transformers and newer convolutional networks.
#include "engine/torch/gradient_fixture_test.hpp"

namespace neph::engine::torch_plugin {
namespace {

using Attributes = std::map<std::string, net::NodeAttribute, std::less<>>;

void expect_gradients_of(const char* op, const Attributes& attributes = {}) {
  SCOPED_TRACE(op);
  auto written = pictures();
  written.node(op, {"in"}, "y", attributes);
  expect_gradients(written);
}

TEST(MoreGradients, OfActivations) {
  for (const char* op : {"Erf", "Exp", "Neg", "Sin", "Cos", "Gelu", "HardSwish", "HardSigmoid", "LeakyRelu",
                         "Elu", "Selu", "Softplus"})
    expect_gradients_of(op);
  expect_gradients_of("Gelu", {{"approximate", std::string("tanh")}});
  expect_gradients_of("HardSigmoid", {{"alpha", 1.0F / 6}, {"beta", 0.5F}});
  expect_gradients_of("LeakyRelu", {{"alpha", 0.3F}});
}

TEST(MoreGradients, OfWhatTakesPositiveNumbers) {
  for (const char* op : {"Log", "Sqrt", "Reciprocal"}) {
    SCOPED_TRACE(op);
    auto written = pictures();
    written.node("Exp", {"in"}, "a").node(op, {"a"}, "y");
    expect_gradients(written);
  }
}

TEST(MoreGradients, OfSoftmaxes) {
  for (const char* op : {"Softmax", "LogSoftmax"})
    for (const std::int64_t opset : {11, 13}) {
      SCOPED_TRACE(op);
      auto written = pictures();
      written.program().opset = opset;
      // It is not the last: a last softmax is the loss's.
      written.node(op, {"in"}, "a", {{"axis", std::int64_t{2}}}).node("Tanh", {"a"}, "y");
      expect_gradients(written);
    }
}

TEST(MoreGradients, OfPairs) {
  for (const char* op : {"Sub", "Div", "Max", "Min"}) {
    SCOPED_TRACE(op);
    auto written = pictures();
    written.store("row", {3, 1, 1}).node("Exp", {"in"}, "positive");
    written.node(op, {"row", std::string_view(op) == "Div" ? "positive" : "in"}, "y");
    expect_gradients(written);
  }
  auto power = pictures();
  power.store("exponent", {3, 1, 1}).node("Exp", {"in"}, "a").node("Pow", {"a", "exponent"}, "y");
  expect_gradients(power);
  auto bent = pictures();
  bent.store("slope", {3, 1, 1}).node("PRelu", {"in", "slope"}, "y");
  expect_gradients(bent);
}

TEST(MoreGradients, OfSumsOfMany) {
  auto written = pictures();
  written.store("row", {3, 1, 1}).node("Tanh", {"in"}, "a").node("Sum", {"in", "row", "a", "in"}, "y");
  expect_gradients(written);
}

TEST(MoreGradients, OfNorms) {
  auto layer = pictures();
  layer.store("scale", {6, 5}).store("bias", {6, 5});
  layer.node("LayerNormalization", {"in", "scale", "bias"}, "y", {{"axis", std::int64_t{2}}});
  expect_gradients(layer);
  Written rows({4, 7});
  rows.learn_input("in").store("scale", {7}).node("LayerNormalization", {"in", "scale"}, "y");
  expect_gradients(rows);
  auto response = pictures({2, 6, 3, 2});
  response.node("LRN", {"in"}, "y",
                {{"size", std::int64_t{4}}, {"alpha", 0.8F}, {"beta", 0.6F}, {"bias", 1.5F}});
  expect_gradients(response);
}

TEST(MoreGradients, OfProductsOfActivations) {
  Written attention({2, 3, 4});
  attention.learn_input("in").store("w", {4, 4});
  attention.node("MatMul", {"in", "w"}, "q").node("Transpose", {"in"}, "k", {{"perm", Sizes{0, 2, 1}}});
  attention.node("MatMul", {"q", "k"}, "s").node("Softmax", {"s"}, "p").node("MatMul", {"p", "in"}, "y");
  expect_gradients(attention);
}

TEST(MoreGradients, OfParts) {
  auto taken = pictures();
  taken.integers("places", {2, -1, 0}).node("Gather", {"in", "places"}, "y", {{"axis", std::int64_t{1}}});
  expect_gradients(taken);
  auto sliced = pictures();
  sliced.integers("starts", {1, -4})
      .integers("ends", {3, 1000})
      .integers("axes", {1, 2})
      .integers("steps", {1, 2});
  sliced.node("Slice", {"in", "starts", "ends", "axes", "steps"}, "y");
  expect_gradients(sliced);
  auto padded = pictures();
  padded.integers("pads", {0, 0, 1, 2, 0, 0, 0, 1}).node("Pad", {"in", "pads"}, "a").node("Tanh", {"a"}, "y");
  expect_gradients(padded);
  auto expanded = pictures({2, 3, 1, 5});
  expanded.integers("shape", {1, 4, 1}).node("Expand", {"in", "shape"}, "a").node("Tanh", {"a"}, "y");
  expect_gradients(expanded);
  auto split = pictures();
  split.integers("lengths", {2, 1}).node("Split", {"in", "lengths"}, "a", {{"axis", std::int64_t{1}}});
  split.with_outputs({"b"}).node("Mul", {"a", "b"}, "y");
  expect_gradients(split);
  auto half = pictures();  // of which nobody reads one part
  half.node("Split", {"in"}, "a", {{"axis", std::int64_t{2}}}).with_outputs({"b"}).node("Tanh", {"b"}, "y");
  expect_gradients(half);
}

TEST(MoreGradients, OfExtremes) {
  for (const char* op : {"ReduceMax", "ReduceMin"}) {
    auto written = pictures();
    written.node(op, {"in"}, "y", {{"axes", Sizes{1, -1}}, {"keepdims", std::int64_t{0}}});
    expect_gradients(written);
  }
}

/// The Gelu of exporters before opset 20: x/2 (1 + erf(x / sqrt 2)).
TEST(MoreGradients, OfGeluInParts) {
  auto written = pictures();
  written.values("root", {}, {1.41421356F}).values("one", {}, {1}).values("half", {}, {0.5F});
  written.program().constants = {"root", "one", "half"};
  written.node("Div", {"in", "root"}, "a").node("Erf", {"a"}, "b").node("Add", {"b", "one"}, "c");
  written.node("Mul", {"in", "c"}, "d").node("Mul", {"d", "half"}, "y");
  expect_gradients(written);
}

}  // namespace
}  // namespace neph::engine::torch_plugin
