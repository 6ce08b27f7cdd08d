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
  return network ? network->totals.macs : -1;
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

TEST(Parameters, OfATensorThatTwoLayersShareCountOnce) {
  const auto network =
      *read(model_from_text("float[3,5] x, float[5,5] w", "a = MatMul(x, w) y = MatMul(a, w)"));
  EXPECT_EQ(network.totals.parameters, 25);
  EXPECT_EQ(network.totals.macs, 2 * 75);
}

}  // namespace
}  // namespace neph::net
