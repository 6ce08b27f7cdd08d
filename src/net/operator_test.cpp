// The operators' rules against libonnx's own shape inference, and their multiply-accumulates against sums by
// hand.
#include "net/operator.hpp"

#include <gmock/gmock.h>

#include "net/onnx_text.hpp"

namespace neph::net {
namespace {

Result<Network> read(const onnx::ModelProto& model) {
  return read_onnx_bytes(model.SerializeAsString(), "test");
}

/// Shapes of all tensors by libonnx.
std::map<std::string, Shape> shapes_by_libonnx(onnx::ModelProto model) {
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                     onnx::ShapeInferenceOptions{true, 1, true});
  std::map<std::string, Shape> shapes;
  for (const auto* values : {&model.graph().value_info(), &model.graph().output()})
    for (const auto& value : *values) {
      Shape shape;
      for (const auto& dimension : value.type().tensor_type().shape().dim())
        shape.push_back(dimension.dim_value());
      shapes[value.name()] = shape;
    }
  return shapes;
}

struct Case {
  std::string inputs;
  std::string nodes;
};
void PrintTo(const Case& shown, std::ostream* out) { *out << shown.inputs << ": " << shown.nodes; }

class SameShapes : public testing::TestWithParam<Case> {};

TEST_P(SameShapes, AsLibonnx) {
  const auto model = model_from_text(GetParam().inputs, GetParam().nodes);
  const auto expected = shapes_by_libonnx(model);
  const auto network = read(model);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_TRUE(network->unknown_operators.empty());
  for (const auto& layer : network->layers) {
    ASSERT_TRUE(expected.contains(layer.name)) << layer.name;
    EXPECT_EQ(layer.outputs[0], expected.at(layer.name)) << layer.op << " " << layer.name;
  }
}

const std::string kPicture = "float[1,4,10,13] x";

INSTANTIATE_TEST_SUITE_P(
    Windows, SameShapes,
    testing::Values(
        Case{kPicture + ", float[8,4,3,3] w", "y = Conv(x, w)"},
        Case{kPicture + ", float[8,4,3,2] w", "y = Conv<strides=[2,3], pads=[1,0,2,1]>(x, w)"},
        Case{kPicture + ", float[8,4,3,3] w", "y = Conv<dilations=[2,3]>(x, w)"},
        Case{kPicture + ", float[8,4,3,3] w", "y = Conv<auto_pad=\"SAME_UPPER\", strides=[2,2]>(x, w)"},
        Case{kPicture + ", float[8,4,3,3] w", "y = Conv<auto_pad=\"SAME_LOWER\", strides=[3,3]>(x, w)"},
        Case{kPicture + ", float[8,2,3,3] w", "y = Conv<group=2>(x, w)"},
        Case{kPicture + ", float[4,6,3,3] w", "y = ConvTranspose<strides=[2,2], pads=[1,1,1,1]>(x, w)"},
        Case{kPicture + ", float[4,6,2,2] w", "y = ConvTranspose<strides=[3,2], output_padding=[1,0]>(x, w)"},
        Case{kPicture, "y = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(x)"},
        Case{kPicture, "y = MaxPool<kernel_shape=[3,3], strides=[2,2], ceil_mode=1>(x)"},
        Case{kPicture, "y = AveragePool<kernel_shape=[2,5], strides=[2,4], ceil_mode=1>(x)"},
        Case{kPicture, "y = GlobalAveragePool(x)"}));

INSTANTIATE_TEST_SUITE_P(Products, SameShapes,
                         testing::Values(Case{"float[5,7] x, float[3,7] w", "y = Gemm<transB=1>(x, w)"},
                                         Case{"float[7,5] x, float[7,3] w", "y = Gemm<transA=1>(x, w)"},
                                         Case{"float[2,1,5,7] x, float[3,7,6] w", "y = MatMul(x, w)"},
                                         Case{"float[7] x, float[7,6] w", "y = MatMul(x, w)"},
                                         Case{"float[5,7] x, float[7] w", "y = MatMul(x, w)"},
                                         Case{"float[9,2,7] x, float[1,20,7] w, float[1,20,5] w2",
                                              "y, h, c = LSTM<hidden_size=5>(x, w, w2)"},
                                         Case{"float[9,2,7] x, float[1,15,7] w, float[1,15,5] w2",
                                              "y, h = GRU<hidden_size=5>(x, w, w2)"}));

INSTANTIATE_TEST_SUITE_P(
    Elements, SameShapes,
    testing::Values(
        Case{kPicture + ", float[4,1,1] w", "a = Add(x, w) b = Mul(a, x) c = Sigmoid(b) y = Sub(c, w)"},
        Case{kPicture + ", float[10,1] w", "a = Clip(x) b = LeakyRelu(a) y = Max(b, w)"},
        Case{kPicture, "a = Less(x, x) y = Where(a, x, x)"},
        Case{kPicture, "a = Softmax<axis=1>(x) b = Erf(a) c = Cast<to=10>(b) y = Cast<to=1>(c)"}));

INSTANTIATE_TEST_SUITE_P(
    Movement, SameShapes,
    testing::Values(
        Case{kPicture, "a = Transpose<perm=[0,2,3,1]>(x) b = Transpose(a) y = Identity(b)"},
        Case{kPicture, "a = Relu(x) b = Concat<axis=1>(a, x, a) y = Concat<axis=-1>(b, b)"},
        Case{kPicture, "a, b = Split<axis=1>(x) y = Add(a, b)"},
        Case{kPicture, "s = Constant<value=int64[2]{3,10}>() a, b = Split<axis=3>(x, s) y = Relu(b)"},
        Case{kPicture, "y = Flatten<axis=2>(x)"}, Case{kPicture, "y = Flatten<axis=-1>(x)"},
        Case{kPicture, "s = Constant<value=int64[3]{0,-1,5}>() y = Reshape(x, s)"},
        Case{kPicture, "s = Constant<value=int64[1]{0}>() a = Squeeze(x, s) y = Unsqueeze(a, s)"},
        Case{kPicture,
             "s = Constant<value=int64[2]{1,-3}>() e = Constant<value=int64[2]{9,1000}>() "
             "a = Constant<value=int64[2]{2,3}>() p = Constant<value=int64[2]{3,2}>() y = Slice(x, s, e, a, "
             "p)"},
        Case{kPicture,
             "s = Constant<value=int64[1]{-1}>() e = Constant<value=int64[1]{-100}>() "
             "a = Constant<value=int64[1]{2}>() p = Constant<value=int64[1]{-2}>() y = Slice(x, s, e, a, p)"},
        Case{kPicture, "i = Constant<value=int64[2,3]{0,1,0,1,0,1}>() y = Gather<axis=1>(x, i)"},
        Case{kPicture, "p = Constant<value=int64[8]{0,0,1,2,0,0,3,-4}>() y = Pad(x, p)"},
        Case{kPicture, "s = Constant<value=int64[4]{1,4,20,7}>() y = Resize(x, , , s)"},
        Case{kPicture, "s = Constant<value=float[4]{1.0,1.0,2.0,1.5}>() y = Resize(x, , s)"},
        Case{"float[3,1] x", "s = Constant<value=int64[3]{2,1,6}>() y = Expand(x, s)"},
        Case{"float[3,2] x", "s = Constant<value=int64[2]{2,5}>() y = Tile(x, s)"},
        Case{"float[1,8,4,6] x", "a = DepthToSpace<blocksize=2>(x) y = SpaceToDepth<blocksize=4>(a)"},
        Case{kPicture, "a = ReduceMean<axes=[2,3]>(x) y = ReduceMax<axes=[-1], keepdims=0>(a)"},
        Case{kPicture, "a = ArgMax<axis=1, keepdims=0>(x) y = Cast<to=1>(a)"}));

TEST(ComputedShapes, AreFollowedAsExportersWriteThem) {
  // The target of a Reshape from parts of Shape, which libonnx does not follow that far.
  const auto network = read(model_from_text(
      "float[1,4,10,13] x, float[130,7] w",
      "s = Shape(x) i = Constant<value=int64{1}>() c = Gather<axis=0>(s, i) z = "
      "Constant<value=int64[1]{0}>() "
      "u = Unsqueeze(c, z) m = Constant<value=int64[1]{-1}>() t = Concat<axis=0>(u, m) r = Reshape(x, t) "
      "y = MatMul(r, w)"));
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->outputs[0].shape, (Shape{4, 7}));
}

/// A chain that makes a shape, which the last node fills: exporters compute in many ways what is constant.
struct Chain {
  std::string nodes;  ///< make `s` from x, which is 2x6x8
  Shape shape;
};
void PrintTo(const Chain& shown, std::ostream* out) { *out << shown.nodes; }

class FoldedChain : public testing::TestWithParam<Chain> {};

TEST_P(FoldedChain, MakesTheShape) {
  const auto network = read(model_from_text("float[2,6,8] x", GetParam().nodes + " y = ConstantOfShape(s)"));
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->outputs[0].shape, GetParam().shape);
  EXPECT_EQ(network->unsized_layers, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Folded, FoldedChain,
    testing::Values(
        Chain{"a = Shape(x) i = Constant<value=int64[2]{2,-2}>() s = Gather(a, i)", {8, 6}},
        // PyTorch's expand: -1 keeps the dimension.
        Chain{"w = Constant<value=int64[3]{-1,5,-1}>() a = Shape(x) n = Constant<value=int64[1]{3}>() "
              "one = ConstantOfShape<value=int64[1]{1}>(n) m = Constant<value=int64{-1}>() o = Mul(one, m) "
              "e = Equal(w, o) s = Where(e, a, w)",
              {2, 5, 8}},
        Chain{"b = Constant<value=int64{1}>() e = Constant<value=int64{8}>() d = Constant<value=int64{3}>() "
              "s = Range(b, e, d)",
              {1, 4, 7}},
        Chain{"a = Shape(x) b = Constant<value=int64[1]{-1}>() e = Constant<value=int64[1]{-9}>() "
              "z = Constant<value=int64[1]{0}>() t = Constant<value=int64[1]{-2}>() s = Slice(a, b, e, z, t)",
              {8, 2}},
        Chain{"a = Shape(x) b, c = Split<axis=0>(a) s = Concat<axis=0>(c, b)", {8, 2, 6}},
        Chain{"a = Shape(x) p = Constant<value=int64[1]{3}>() b, c = Split<axis=0>(a) z = "
              "ReduceProd<keepdims=1>(b) "
              "s = Concat<axis=0>(z, c, p)",
              {12, 8, 3}},
        Chain{
            "a = Shape(x) r = Constant<value=int64[2]{3,1}>() b = Reshape(a, r) t = Transpose<perm=[1,0]>(b) "
            "z = Constant<value=int64[1]{0}>() s = Squeeze(t, z)",
            {2, 6, 8}},
        // A picture enlarged by a factor, as interpolate computes its size: 6 * 1.5 and 8 * 1.25 in floats.
        Chain{"a = Shape(x) f = Cast<to=1>(a) c = Constant<value=float[3]{1.0,1.5,1.25}>() r = Reciprocal(c) "
              "m = Div(f, r) "
              "l = Floor(m) s = Cast<to=7>(l)",
              {2, 9, 10}},
        Chain{"a = Shape(x) t = Constant<value=int64[1]{2}>() b = Div(a, t) c = Sub(b, t) d = Add(c, t) "
              "i = Identity(d) s = Max(i, t)",
              {2, 3, 4}},
        Chain{
            "a = Constant<value=int64[2]{7,9}>() b = Constant<value=int64[2]{-5,4}>() s = Mod<fmod=1>(a, b)",
            {2, 1}},
        Chain{"a = Constant<value=int64[2]{-13,9}>() b = Constant<value=int64[2]{5,4}>() s = Mod(a, b)",
              {2, 1}},
        Chain{"a = Constant<value=int64[2]{4294967299,4}>() b = Cast<to=6>(a) s = Cast<to=7>(b)", {3, 4}},
        Chain{"a = Constant<value=int64[2]{260,-254}>() b = Cast<to=2>(a) s = Cast<to=7>(b)", {4, 2}},
        Chain{"a = Constant<value=int64[1]{-252}>() b = Cast<to=3>(a) s = Cast<to=7>(b)", {4}},
        Chain{"a = Size(x) z = Constant<value=int64[1]{0}>() s = Unsqueeze(a, z)", {96}},
        Chain{"a = Constant<value=int64[1,2]{3,4}>() n = Constant<value=int64[2]{2,2}>() e = Expand(a, n) "
              "r = Constant<value=int64[1]{-1}>() s = Reshape(e, r)",
              {3, 4, 3, 4}}));

TEST(FoldedChain, KeepsTheDimensionsThatAreKnownBesideAnOpenOne) {
  const auto network =
      *read(model_from_text("float[n,length,8] x, float[4,5] w",
                            "a = Shape(x) b, c, d = Split<axis=0>(a) h = Constant<value=int64[2]{2,4}>() "
                            "s = Concat<axis=0>(b, c, h) r = Reshape(x, s) y = MatMul(r, w)"));
  EXPECT_EQ(network.outputs[0].shape, (Shape{1, kUnknown, 2, 5}));
  EXPECT_EQ(network.totals.macs, std::nullopt) << "unknown is not 0";
}

TEST(FoldedChain, LeavesOpenWhatHasNoValue) {
  const auto network =
      *read(model_from_text("float[2,6,8] x",
                            "a = Shape(x) z = Constant<value=int64[1]{0}>() b = Div(a, z) "
                            "t = Constant<value=int64[1]{-4611686018427387904}>() c = Mul(t, t) "
                            "s = Concat<axis=0>(b, c) y = ConstantOfShape(s)"));
  EXPECT_EQ(network.outputs[0].shape, Shape(4, kUnknown));
}

TEST(FoldedChain, CostsLittleHoweverLongItIs) {
  std::string nodes = "n = Constant<value=int64[1]{1024}>() v0 = ConstantOfShape<value=int64[1]{1}>(n) ";
  for (int i = 0; i < 20'000; ++i) nodes += fmt::format("v{1} = Add(v{0}, v{0}) ", i, i + 1);
  const auto bytes = model_from_text("float[1,4] x", nodes + "y = Identity(v20000)").SerializeAsString();
  const auto network = read_onnx_bytes(bytes, "test");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->outputs[0].shape, (Shape{1024}));
}

struct Parts {
  std::string node;
  std::vector<Shape> shapes;  ///< of a, b and perhaps c, from x, which is 7x4
};
void PrintTo(const Parts& shown, std::ostream* out) { *out << shown.node; }

class Split : public testing::TestWithParam<Parts> {};

TEST_P(Split, MakesItsParts) {
  auto model = model_from_text("float[7,4] x, int64[2] given", GetParam().node + " y = Relu(a)", "y", 18);
  const auto network = read(model);
  ASSERT_TRUE(network) << network.error().message;
  std::vector<Shape> shapes;
  for (const auto& shape : network->layers[0].outputs) shapes.push_back(shape.value_or(Shape{}));
  EXPECT_EQ(shapes, GetParam().shapes);
}

INSTANTIATE_TEST_SUITE_P(
    Parts, Split,
    testing::Values(Parts{"a, b = Split<axis=0, num_outputs=2>(x)", {{4, 4}, {3, 4}}},
                    Parts{"a, b, c = Split<axis=0, num_outputs=3>(x)", {{3, 4}, {3, 4}, {1, 4}}},
                    Parts{"a, b = Split<axis=-1, split=[1,3]>(x)", {{7, 1}, {7, 3}}},
                    Parts{"s = Constant<value=int64[3]{2,4,1}>() a, b, c = Split(x, s)",
                          {{2, 4}, {4, 4}, {1, 4}}},
                    Parts{"s = Constant<value_ints=[6,1]>() a, b = Split(x, s)", {{6, 4}, {1, 4}}},
                    Parts{"a, b = Split<axis=1>(x)", {{7, 2}, {7, 2}}},
                    Parts{"a, b = Split(x, given)", {{kUnknown, 4}, {kUnknown, 4}}}));

TEST(Split, RefusesPartsThatAreNotTheWhole) {
  const auto network = read(model_from_text("float[7,4] x", "a, y = Split<axis=0, split=[3,3]>(x)"));
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message,
            "test: node 'a' (Split): parts of 6 elements in all cannot be made of 7");
}

TEST(ComputedShapes, DoNotGrowWithoutLimit) {
  std::string nodes = "v0 = Shape(x) ";  // each node doubles the constant: 2^40 numbers if all were followed
  for (int i = 0; i < 40; ++i) nodes += fmt::format("v{1} = Concat<axis=0>(v{0}, v{0}) ", i, i + 1);
  const auto network = read(model_from_text("float[1,4] x", nodes + "y = Identity(v40)"));
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->outputs[0].shape, (Shape{std::int64_t{2} << 40}));
}

std::int64_t macs_of(const std::string& inputs, const std::string& node) {
  const auto network = read(model_from_text(inputs, node));
  EXPECT_TRUE(network) << network.error().message;
  return network ? network->totals.macs.value_or(-1) : -1;
}

TEST(Macs, AreThoseSummedByHand) {
  EXPECT_EQ(macs_of("float[1,4,8,8] x, float[6,2,3,3] w", "y = Conv<group=2>(x, w)"), 6 * 6 * 6 * 2 * 9);
  EXPECT_EQ(macs_of("float[1,4,8,8] x, float[4,6,2,2] w", "y = ConvTranspose<strides=[2,2]>(x, w)"),
            4 * 64 * 6 * 4);
  EXPECT_EQ(macs_of("float[5,7] x, float[3,7] w", "y = Gemm<transB=1>(x, w)"), 5 * 7 * 3);
  EXPECT_EQ(macs_of("float[2,4,5,7] x, float[2,4,7,6] z", "y = MatMul(x, z)"), 2 * 4 * 5 * 7 * 6);
  EXPECT_EQ(macs_of("float[9,2,7] x, float[1,20,7] w, float[1,20,5] w2", "y = LSTM<hidden_size=5>(x, w, w2)"),
            9 * 2 * (20 * 7 + 20 * 5));
}

TEST(Macs, OfEinsumAreAllCombinationsOfItsLetters) {
  EXPECT_EQ(macs_of("float[2,4,5,7] x, float[2,4,6,7] z", "y = Einsum<equation=\"bhid,bhjd->bhij\">(x, z)"),
            2 * 4 * 5 * 7 * 6);
}

TEST(Macs, OfEinsumOfThreeTensorsAreNotCountedThoughItsShapeIsKnown) {
  const auto network = *read(model_from_text("float[2,3] x, float[3,4] z, float[4,5] v",
                                             "y = Einsum<equation=\"ij,jk,kl->il\">(x, z, v)"));
  EXPECT_EQ(network.outputs[0].shape, (Shape{2, 5}));
  EXPECT_EQ(network.totals.macs, std::nullopt);
  EXPECT_EQ(network.uncounted_operators, (std::map<std::string, std::int64_t>{{"Einsum", 1}}));
  EXPECT_EQ(network.unsized_layers, 0) << "no shape is open";
}

TEST(Inputs, ThatAreWeightsHaveNoBatch) {
  const auto network =
      *read(model_from_text("float[n,3,8,8] x, float[o,3,3,3] kernels", "y = Conv(x, kernels)"));
  EXPECT_EQ(network.inputs[1].shape, (Shape{kUnknown, 3, 3, 3}));
  EXPECT_EQ(network.outputs[0].shape, std::nullopt) << "not one channel";
  EXPECT_EQ(network.totals.macs, std::nullopt);
}

TEST(Unknown, IsNever0AndMakesATotalABound) {
  const auto network = *read(model_from_text("float[2,3] x, float[3,4] w",
                                             "a = MatMul(x, w) b = Strange(a) c = Relu(b) y = MatMul(c, w)"));
  EXPECT_EQ(network.layers[1].macs, std::nullopt);
  EXPECT_EQ(network.layers[2].activations, std::nullopt);
  EXPECT_EQ(network.layers[3].macs, std::nullopt);
  EXPECT_EQ(network.totals.macs, 24);
  EXPECT_THAT(network.totals.at_least,
              testing::ElementsAre("activations", "depth", "input_bytes", "macs", "output_bytes"));
  const auto open = *read(model_from_text("float[1,n,3] x, float[3,4] w", "y = MatMul(x, w)"));
  EXPECT_EQ(open.totals.macs, std::nullopt);
  EXPECT_EQ(open.totals.activations, std::nullopt);
  EXPECT_THAT(open.totals.at_least, testing::IsEmpty()) << "all of it is unknown";
}

TEST(Kinds, TellDepthwiseFromOrdinaryAndDenseFromProducts) {
  const auto network =
      *read(model_from_text("float[1,4,8,8] x, float[4,1,3,3] w, float[8,4,1,1] w1, float[6,5] w2",
                            "a = Conv<group=4>(x, w) b = Conv(a, w1) c = MatMul(b, w2) "
                            "d = Transpose<perm=[0,1,3,2]>(c) y = MatMul(c, d)"));
  std::vector<Kind> kinds;
  for (const auto& layer : network.layers) kinds.push_back(layer.kind);
  EXPECT_THAT(kinds, testing::ElementsAre(Kind::depthwise, Kind::convolution, Kind::dense, Kind::movement,
                                          Kind::product));
}

TEST(Parameters, AreTheTrainedOnes) {
  // Scale and shift, not the running statistics; the quantised filters, not their scale and zero point.
  const auto network = *read(model_from_text(
      "float[1,4,8,8] x, float[4] w1, float[4] w2, float[4] w3, float[4] w4, int8[2,4,1,1] w5, float[2] w6, "
      "int8[2] w7",
      "a = BatchNormalization(x, w1, w2, w3, w4) f = DequantizeLinear<axis=0>(w5, w6, w7) y = Conv(a, f)"));
  EXPECT_EQ(network.totals.parameters, 4 + 4 + 8);
  EXPECT_EQ(network.totals.weight_bytes, 4 * 16 + 8 + 8 + 2);
  EXPECT_EQ(network.totals.macs, 2 * 4 * 64);
  EXPECT_EQ(network.layers[2].kind, Kind::convolution);
}

/// Each is the one weight of a product, which is where it is listed.
TEST(Parameters, AreFoundBehindWhatPreparesThem) {
  for (const std::string prepared :
       {"p = Identity(w)", "a = Identity(w) p = Identity(a)", "p = Transpose(w1)", "p = Cast<to=1>(w)",
        "s = Constant<value=int64[2]{3,4}>() p = Reshape(w2, s)", "p = DequantizeLinear(w3, w4, w5)",
        "a = QuantizeLinear(w, w4, w5) p = DequantizeLinear(a, w4, w5)", "s = Shape(w) p = Identity(w)"}) {
    const auto network = *read(model_from_text(
        "float[2,3] x, float[3,4] w, float[4,3] w1, float[12] w2, uint8[3,4] w3, float[1] w4, uint8[1] w5",
        prepared + " y = MatMul(x, p)"));
    EXPECT_EQ(network.totals.parameters, 12) << prepared;
    EXPECT_EQ(network.layers.back().parameters, 12) << prepared;
    EXPECT_EQ(network.layers.back().kind, Kind::dense) << prepared;
    EXPECT_EQ(network.totals.macs, 24) << prepared;
    EXPECT_EQ(network.totals.activations, 8) << prepared << ": a weight is no activation";
  }
}

TEST(Parameters, BehindAnIdentityAreStillStatisticsWhereTheyAreUsedAsSuch) {
  const auto network =
      *read(model_from_text("float[1,4,8,8] x, float[4] w1, float[4] w2, float[4] w3, float[4] w4",
                            "a = Identity(w1) b = Identity(w2) c = Identity(w3) d = Identity(w4) y = "
                            "BatchNormalization(x, a, b, c, d)"));
  EXPECT_EQ(network.totals.parameters, 8);
  EXPECT_EQ(network.totals.weight_bytes, 64);
}

TEST(Parameters, OfATensorThatTwoLayersShareCountOnce) {
  const auto network =
      *read(model_from_text("float[3,5] x, float[5,5] w", "a = MatMul(x, w) y = MatMul(a, w)"));
  EXPECT_EQ(network.totals.parameters, 25);
  EXPECT_EQ(network.totals.macs, 2 * 75);
}

}  // namespace
}  // namespace neph::net
