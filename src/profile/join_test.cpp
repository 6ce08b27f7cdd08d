#include "profile/join.hpp"

#include <gmock/gmock.h>

namespace neph::profile {
namespace {

using net::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

/// A layer whose output is called after it, of 100 numbers, with a byte of weights for each hundredth of its
/// multiply-accumulates.
net::Layer layer(const std::string& name, const std::string& op, Kind kind, std::vector<std::string> inputs,
                 std::int64_t macs = 0) {
  const auto count = static_cast<std::int64_t>(inputs.size());
  return {.name = name,
          .op = op,
          .kind = kind,
          .inputs = std::move(inputs),
          .tensors = {name + "_out"},
          .macs = macs,
          .activations = 100,
          .weight_bytes = macs / 100,
          .input_bytes = 400 * count,
          .output_bytes = 400};
}

/// input - conv1 - bn1 - relu1 - conv2 - bn2 - add - relu2 - fc, with relu1 also added.
net::Network residual() {
  net::Network network;
  network.layers = {layer("conv1", "Conv", Kind::convolution, {"input"}, 1000),
                    layer("bn1", "BatchNormalization", Kind::normalization, {"conv1"}),
                    layer("relu1", "Relu", Kind::activation, {"bn1"}),
                    layer("conv2", "Conv", Kind::convolution, {"relu1"}, 2000),
                    layer("bn2", "BatchNormalization", Kind::normalization, {"conv2"}),
                    layer("add", "Add", Kind::elementwise, {"bn2", "relu1"}),
                    layer("relu2", "Relu", Kind::activation, {"add"}),
                    layer("fc", "Gemm", Kind::dense, {"relu2"}, 500)};
  network.outputs = {{.name = "fc_out", .shape = {}, .layer = "fc"}};
  return network;
}

engine::LayerTime ran(std::string name, std::string kind, double self_s = 1) {
  return {.name = std::move(name), .kind = std::move(kind), .self_s = self_s};
}

TEST(Join, NamesOfSeveralLayersHaveCommasBetween) {
  const auto joined = join({ran("conv1,bn1,relu1", "Convolution"), ran("conv2,bn2,add,relu2", "Convolution"),
                            ran("fc", "FullyConnected")},
                           residual());
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5, 6), ElementsAre(7)));
  EXPECT_THAT(joined.removed, IsEmpty());
}

TEST(Join, WhatNobodyNamesIsInTheLayerBeforeIt) {
  const auto joined = join({ran("conv1", "Conv"), ran("conv2", "Conv"), ran("fc", "Gemm")}, residual());
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5, 6), ElementsAre(7)));
}

TEST(Join, AConvolutionNamedAfterTheLayerBehindItIsFound) {
  // As ONNX Runtime names them, after the last one's output.
  const auto joined =
      join({ran("relu1_out_nchwc", "Conv"), ran("bn2_nchwc", "Conv"), ran("fc", "Gemm")}, residual());
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5, 6), ElementsAre(7)));
}

TEST(Join, AnAdditionIsInTheLaterOfTheTwoBeforeIt) {
  auto network = residual();
  network.layers[5].inputs = {"relu1", "bn2"};  // in whatever order it reads them
  const auto joined = join({ran("conv1", "Conv"), ran("conv2", "Conv"), ran("fc", "Gemm")}, network);
  EXPECT_THAT(joined.parts[1], ElementsAre(3, 4, 5, 6));
}

/// x - product - bias - add (of bias and x) - norm - last.
net::Network normalised() {
  net::Network network;
  network.layers = {layer("product", "MatMul", Kind::dense, {"x"}, 1000),
                    layer("bias", "Add", Kind::elementwise, {"product"}),
                    layer("add", "Add", Kind::elementwise, {"bias", "x"}),
                    layer("norm", "LayerNormalization", Kind::normalization, {"add"}),
                    layer("last", "MatMul", Kind::dense, {"norm"}, 1000)};
  return network;
}

TEST(Join, WhatBecameOneUnderAnotherNameIsFoundByItsTensor) {
  // As ONNX Runtime runs it: the bias in the product, the sum in the normalisation, a reshape between.
  const std::vector layers{ran("product/MatMulAddFusion", "Gemm"), ran("gemm_reshape", "Reshape"),
                           ran("SkipLayerNormalization_token_3", "SkipLayerNormalization"),
                           ran("last", "Gemm")};
  const std::vector<LayerAsRun> as_run{{.kind = Kind::dense, .tensors = {"gemm_out"}},
                                       {.kind = Kind::movement, .tensors = {"bias_out"}, .only_moves = true},
                                       {.kind = Kind::normalization, .tensors = {"norm_out"}},
                                       {.kind = Kind::dense, .tensors = {"last_out"}}};
  const auto joined = join(layers, normalised(), as_run);
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0, 1), IsEmpty(), ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_THAT(join(layers, normalised()).parts[2], IsEmpty()) << "not by its name";
}

TEST(Join, WhatIsReadElsewhereTooIsNotInsideAnother) {
  auto network = normalised();
  network.layers[4].inputs.push_back("add");
  const auto joined = join({ran("product", "Gemm"), ran("made", "LayerNormalization"), ran("last", "Gemm")},
                           network, {{}, {.kind = Kind::normalization, .tensors = {"norm_out"}}, {}});
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3), ElementsAre(4)));
}

TEST(Join, AProductIsNotGuessedWhereTwoMayBeMeant) {
  net::Network network;
  network.layers = {layer("left", "Conv", Kind::convolution, {"input"}, 1000),
                    layer("right", "Conv", Kind::convolution, {"input"}, 9000),
                    layer("add", "Add", Kind::elementwise, {"left", "right"})};
  const auto joined = join({ran("unknown", "Conv"), ran("add", "Conv")}, network);
  EXPECT_THAT(joined.parts, ElementsAre(IsEmpty(), ElementsAre(2)));
  EXPECT_THAT(joined.removed, ElementsAre(0, 1));
}

TEST(Join, OfSeveralWithOneNameTheLongestHasTheLayer) {
  const auto joined = join({ran("conv1", "Reorder", 0.1), ran("conv1", "Convolution", 5),
                            ran("conv2", "Convolution"), ran("fc", "FullyConnected")},
                           residual());
  EXPECT_THAT(joined.parts[0], IsEmpty());
  EXPECT_THAT(joined.parts[1], ElementsAre(0, 1, 2));
}

/// x - lstm - fc.
net::Network recurrent() {
  net::Network network;
  network.layers = {layer("lstm", "LSTM", Kind::recurrent, {"x"}, 1000),
                    layer("fc", "MatMul", Kind::dense, {"lstm"}, 500)};
  return network;
}

TEST(Join, AProductIsNotInWhatOnlyMovesItsNumbers) {
  // The transposition behind it may take longer.
  const auto joined =
      join({ran("lstm", "RNNSeq", 1), ran("lstm", "Transpose", 9), ran("fc", "MatMul")}, recurrent());
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0), IsEmpty(), ElementsAre(1)));
  const auto lost = join({ran("x1", "RNNSeq"), ran("lstm", "Reshape", 0), ran("fc", "MatMul")}, recurrent());
  EXPECT_THAT(lost.parts, ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(1)));
  EXPECT_THAT(lost.removed, ElementsAre(0));
}

TEST(Join, AProductThatSeveralComputeIsInAllOfThemTogether) {
  const auto joined = join({ran("lstm", "RNNSeq", 4), ran("lstm", "RNNSeq", 5),
                            ran("lstm", "Concatenation", 1), ran("fc", "MatMul")},
                           recurrent());
  EXPECT_THAT(joined.with, ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(joined.parts, ElementsAre(IsEmpty(), ElementsAre(0), IsEmpty(), ElementsAre(1)));
}

TEST(Join, WhatHasAProductOfItsOwnDoesNotTakeAnothers) {
  // The product behind the LSTM does a transposition of its as well.
  const auto joined = join({ran("lstm", "RNNSeq", 1), ran("lstm,fc", "FullyConnected", 9)}, recurrent());
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(joined.with, ElementsAre(0, 1));
}

TEST(Join, NamesWithinLongerOnesAreWholeWords) {
  net::Network network;
  network.layers = {layer("conv_1", "Conv", Kind::convolution, {"input"}, 1000),
                    layer("conv_12", "Conv", Kind::convolution, {"conv_1"}, 1000)};
  const auto joined = join({ran("fused conv_1", "FusedConv"), ran("conv_12_nchwc", "Conv")}, network);
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(Join, ANodeWithoutANameIsFoundByItsPlace) {
  const auto joined = join({ran("Conv_0", "Conv"), ran("Conv_3", "Conv"), ran("Gemm_7", "Gemm")}, residual());
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5, 6), ElementsAre(7)));
}

TEST(Join, LayersInALoopBelongToIt) {
  net::Network network;
  auto inside = layer("loop/body/product", "MatMul", Kind::product, {"input"}, 700);
  network.layers = {inside, layer("loop", "Loop", Kind::control, {"loop/body/product"})};
  const auto joined = join({ran("loop", "TensorIterator")}, network);
  EXPECT_THAT(joined.parts, ElementsAre(ElementsAre(0, 1)));
  EXPECT_EQ(flop_of(network, joined.parts[0]), 1400);
}

TEST(Join, WhatIsComputedBeforehandIsInNone) {
  auto network = residual();
  auto constant = layer("shape", "Shape", Kind::movement, {"conv1"});
  constant.activations = 0;
  network.layers.push_back(constant);
  const auto joined = join({ran("conv1", "Conv"), ran("conv2", "Conv"), ran("fc", "Gemm")}, network);
  EXPECT_THAT(joined.removed, ElementsAre(8));
}

TEST(Join, OfAnEngineThatKnowsNoneOfTheNamesNothing) {
  const auto joined = join({ran("x", "Conv"), ran("", ""), ran(",,_/", "y")}, residual());
  EXPECT_THAT(joined.parts, ElementsAre(IsEmpty(), IsEmpty(), IsEmpty()));
  EXPECT_EQ(joined.removed.size(), 8U);
}

TEST(Figures, TwoForEachMultiplyAccumulate) {
  EXPECT_EQ(flop_of(residual(), {0, 1, 2}), 2000);
  EXPECT_EQ(flop_of(residual(), {1, 2}), std::nullopt);
  auto network = residual();
  network.layers[0].macs.reset();
  EXPECT_EQ(flop_of(network, {0, 1, 2}), std::nullopt);
}

TEST(Figures, BytesBetweenTheLayersOfOneAreNotMoved) {
  // Reads the input, writes what relu1 gives; ten bytes of weights.
  EXPECT_EQ(bytes_of(residual(), {0, 1, 2}), 10 + 400 + 400);
  // Reads relu1 twice, as the convolution and as the addition; writes once.
  EXPECT_EQ(bytes_of(residual(), {3, 4, 5, 6}), 20 + 2 * 400 + 400);
  // What relu1 gives is read elsewhere too.
  EXPECT_EQ(bytes_of(residual(), {2, 3}), 20 + 400 + 2 * 400);
  EXPECT_EQ(bytes_of(residual(), {7}), 5 + 400 + 400);
  EXPECT_EQ(bytes_of(residual(), {}), std::nullopt);
}

}  // namespace
}  // namespace neph::profile
