// Shapes of operators that libonnx does not infer, or infers no further than their rank, against what their
// definitions say.
#include <gmock/gmock.h>

#include "net/onnx_text.hpp"
#include "net/operator.hpp"

namespace neph::net {
namespace {

constexpr int kNewest = 24;

Result<Network> read(const std::string& inputs, const std::string& nodes, const ReadOptions& options = {}) {
  const auto model = model_from_text(inputs, nodes, "y", kNewest);
  return read_onnx_bytes(model.SerializeAsString(), "test", options);
}

struct Derived {
  std::string inputs;
  std::string nodes;  ///< make y
  MaybeShape shape;
};
void PrintTo(const Derived& shown, std::ostream* out) { *out << shown.inputs << ": " << shown.nodes; }

class DerivedShape : public testing::TestWithParam<Derived> {};

TEST_P(DerivedShape, IsAsDefined) {
  const auto network = read(GetParam().inputs, GetParam().nodes);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->outputs[0].shape, GetParam().shape);
  EXPECT_TRUE(network->unknown_operators.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Pictures, DerivedShape,
    testing::Values(
        Derived{"float[1,2,6,8] x", "s = Constant<value=int64[2]{9,4}>() y = Resize<axes=[2,3]>(x, , , s)",
                Shape{1, 2, 9, 4}},
        // One scale for both sides: 9 / 6 asks for 12 columns, 4 / 8 for 3 rows.
        Derived{"float[1,2,6,8] x",
                "s = Constant<value=int64[2]{9,4}>() "
                "y = Resize<axes=[2,3], keep_aspect_ratio_policy=\"not_larger\">(x, , , s)",
                Shape{1, 2, 3, 4}},
        Derived{"float[1,2,6,8] x",
                "s = Constant<value=int64[2]{9,4}>() "
                "y = Resize<axes=[2,3], keep_aspect_ratio_policy=\"not_smaller\">(x, , , s)",
                Shape{1, 2, 9, 12}},
        // Half of the picture, enlarged to 3 times its size.
        Derived{"float[1,2,6,8] x",
                "r = Constant<value=float[4]{0.5,0.5,1.0,1.0}>() s = Constant<value=float[2]{3.0,3.0}>() "
                "y = Resize<axes=[2,3], coordinate_transformation_mode=\"tf_crop_and_resize\">(x, r, s)",
                Shape{1, 2, 9, 12}},
        // 10 times the float next to 0.7 is 7 in floats, and below 7 in doubles.
        Derived{"float[1,2,10,10] x", "s = Constant<value=float[4]{1.0,1.0,0.7,0.7}>() y = Resize(x, , s)",
                Shape{1, 2, 7, 7}},
        Derived{"float[1,2,6,8] x, float[4] s", "y = Resize(x, , s)", Shape(4, kUnknown)},
        Derived{"float[3,4] x",
                "p = Constant<value=int64[2]{1,2}>() a = Constant<value=int64[1]{-1}>() y = Pad(x, p, , a)",
                Shape{3, 7}},
        Derived{"float[5,9] x", "s = Constant<value=int64[1]{4}>() y = CenterCropPad<axes=[1]>(x, s)",
                Shape{5, 4}},
        Derived{"float[1,6,5] x",
                "s = Constant<value=int64[2]{4,6}>() b = Constant<value=int64[2]{1,2}>() y = Col2Im(x, s, b)",
                Shape{1, 3, 4, 6}},
        Derived{"float[2,2,3] x", "s = Constant<value=int64[4]{2,3,5,6}>() y = AffineGrid(x, s)",
                Shape{2, 5, 6, 2}},
        Derived{"float[1,1,2,2] x, int64[1,1,2,2] i",
                "y = MaxUnpool<kernel_shape=[2,2], strides=[2,2]>(x, i)", Shape{1, 1, 4, 4}},
        Derived{"float[1,1,3,3] x, float[1,1,2,2] w, float[1,8,2,2] o", "y = DeformConv(x, w, o)",
                Shape{1, 1, 2, 2}}));

INSTANTIATE_TEST_SUITE_P(
    Reductions, DerivedShape,
    testing::Values(
        Derived{"float[3,1,2] x, int64[1] a", "y = ReduceSum(x, a)", Shape{kUnknown, 1, kUnknown}},
        Derived{"float[3,1,2] x, int64[1] a", "y = ReduceMax<keepdims=0>(x, a)", Shape(2, kUnknown)},
        Derived{"float[3,1,2] x, int64[3] a", "y = ReduceL2(x, a)", Shape(3, 1)},
        Derived{"float[3,1,2] x, int64[0] a", "y = ReduceL1<keepdims=0>(x, a)", Shape{}},
        Derived{"float[3,1,2] x, int64[0] a", "y = ReduceL1<noop_with_empty_axes=1>(x, a)", Shape{3, 1, 2}},
        Derived{"float[3,1,2] x, int64[n] a", "y = ReduceLogSum<keepdims=0>(x, a)", Shape(2, kUnknown)},
        Derived{"float[3,5,2] x, int64[3,2] l", "y = NegativeLogLikelihoodLoss(x, l)", Shape{}},
        Derived{"float[3,5,2] x, int64[3,2] l", "y, p = SoftmaxCrossEntropyLoss<reduction=\"none\">(x, l)",
                Shape{3, 2}},
        Derived{"float[4,3,3] x", "y = Det(x)", Shape{4}},
        Derived{"float[3,4,5] x", "a, y, d = LayerNormalization<axis=1>(x, x)", Shape{3, 1, 1}}));

INSTANTIATE_TEST_SUITE_P(
    Products, DerivedShape,
    testing::Values(
        Derived{"float[3,5,5] x", "y = Einsum<equation=\"...ii ->...i\">(x)", Shape{3, 5}},
        Derived{"float[5] x, float[5] z", "y = Einsum<equation=\"i,i\">(x, z)", Shape{}},
        Derived{"float[2,1,3,4] x, float[7,4,5] z", "y = Einsum<equation=\"...ij,...jk\">(x, z)",
                Shape{2, 7, 3, 5}},
        Derived{"float[2,3] x, float[3,4] z", "y = Einsum<equation=\"bc,ab\">(z, x)", Shape{2, 4}},
        Derived{"float[1,n,3] x, float[1,3] z", "y = Einsum<equation=\"abc,bc->ab\">(x, z)",
                Shape{1, kUnknown}},
        Derived{"float[2,3,4,8] q, float[2,3,6,8] k, float[2,3,6,10] v", "y = Attention(q, k, v)",
                Shape{2, 3, 4, 10}},
        Derived{"float[2,4,24] q, float[2,6,24] k, float[2,6,30] v",
                "y = Attention<q_num_heads=3, kv_num_heads=3>(q, k, v)", Shape{2, 4, 30}},
        Derived{
            "float[2,9,4,8] q, float[2,3,6,8] k, float[2,3,6,8] v, float[2,3,12,8] pk, float[2,3,12,8] pv",
            "a, y, b = Attention(q, k, v, , pk, pv)", Shape{2, 3, 18, 8}},
        Derived{
            "float[2,9,4,8] q, float[2,3,6,8] k, float[2,3,6,8] v, float[2,3,12,8] pk, float[2,3,12,8] pv",
            "a, b, c, y = Attention(q, k, v, , pk, pv)", Shape{2, 9, 4, 18}}));

INSTANTIATE_TEST_SUITE_P(
    Others, DerivedShape,
    testing::Values(
        Derived{"float[3,4] x", "f = Constant<value=bool[3]{1,0,1}>() y = Compress<axis=0>(x, f)",
                Shape{2, 4}},
        Derived{"float[3,4] x, bool[3] f", "y = Compress(x, f)", Shape{kUnknown}},
        Derived{"float[3,4] x", "u, i, y, c = Unique(x)", Shape{12}},
        Derived{"float[3,4] x", "y, i, p, c = Unique<axis=1>(x)", Shape{3, kUnknown}},
        Derived{"int64[2,3] x",
                "d = Constant<value=float[1]{7.0}>() v = Constant<value=float[2]{0.0,1.0}>() "
                "y = OneHot<axis=1>(x, d, v)",
                Shape{2, 7, 3}},
        Derived{"float[2,3] x", "y = EyeLike<dtype=6>(x)", Shape{2, 3}},
        Derived{"float[2,3] x", "y = Multinomial<sample_size=5>(x)", Shape{2, 5}},
        Derived{"float[2,3] x", "q, y, z = DynamicQuantizeLinear(x)", Shape{}},
        Derived{"float[1,10,1] x", "y = DFT<onesided=1>(x)", Shape{1, 6, 2}},
        Derived{"float[1,10,8,1] x",
                "n = Constant<value=int64{16}>() a = Constant<value=int64{2}>() y = DFT(x, n, a)",
                Shape{1, 10, 16, 2}},
        Derived{"float[1,128,1] x",
                "s = Constant<value=int64{8}>() l = Constant<value=int64{16}>() y = STFT(x, s, , l)",
                Shape{1, 15, 9, 2}},
        Derived{"float[2] x", "n = Constant<value=int64{10}>() y = HannWindow(n)", Shape{10}},
        Derived{"float[2] x",
                "b = Constant<value=int64{8}>() n = Constant<value=int64{16}>() r = "
                "Constant<value=int64{8192}>() "
                "l = Constant<value=float{0.0}>() h = Constant<value=float{4096.0}>() "
                "y = MelWeightMatrix(b, n, r, l, h)",
                Shape{9, 8}},
        Derived{"float[1,3] x, int64[1] s", "y = Squeeze(x, s)", Shape{3}},
        Derived{"float[1,1] x, int64[1] s", "y = Squeeze(x, s)", Shape{kUnknown}},
        Derived{"float[1,3] x, int64[2] s", "y = Unsqueeze(x, s)", Shape(4, kUnknown)},
        Derived{"float[2,n,3] x, float[2,5,m] z", "y = Concat<axis=2>(x, z)", Shape{2, 5, kUnknown}},
        Derived{"float[2,3] x", "s = SequenceConstruct(x, x) y = SequenceLength(s)", Shape{}}));

TEST(Attention, MultipliesEachQueryWithEachKeyAndTheResultWithEachValue) {
  const auto network =
      *read("float[2,3,4,8] q, float[2,3,6,8] k, float[2,3,6,10] v", "y = Attention(q, k, v)");
  EXPECT_EQ(network.totals.macs, 2 * 3 * 4 * 6 * (8 + 10));
  EXPECT_EQ(network.layers[0].kind, Kind::product);
}

TEST(DerivedShape, ContradictionsAreSaid) {
  for (const auto& [inputs, nodes] : std::vector<std::pair<std::string, std::string>>{
           {"float[2,3] x, float[4,3] z", "y = Concat<axis=1>(x, z)"},
           {"float[3] x", "y = Det(x)"},
           {"float[2,4,25] x", "y = Attention<q_num_heads=3, kv_num_heads=3>(x, x, x)"},
           {"float[3,4] x", "p = Constant<value=int64[3]{1,2,3}>() y = Pad(x, p)"},
           {"float[1,5,5] x",
            "s = Constant<value=int64[2]{4,6}>() b = Constant<value=int64[2]{1,2}>() y = Col2Im(x, s, b)"}})
    EXPECT_FALSE(read(inputs, nodes)) << nodes;
}

struct Written {
  std::string inputs;
  std::string nodes;  ///< make y, last
  std::int64_t bytes;
};
void PrintTo(const Written& shown, std::ostream* out) { *out << shown.inputs << ": " << shown.nodes; }

class BytesWritten : public testing::TestWithParam<Written> {};

TEST_P(BytesWritten, AreThoseOfTheResultsType) {
  const auto network = read(GetParam().inputs, GetParam().nodes);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->layers.back().output_bytes, GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Quantized, BytesWritten,
    testing::Values(Written{"uint8[1,1,3,3] x, uint8[1,1,2,2] w", "y = ConvInteger(x, w)", 4 * 4},
                    Written{"uint8[1,1,3,3] x, float s, uint8 z, uint8[1,1,2,2] w, float r, int16 p",
                            "y = QLinearConv(x, s, z, w, s, z, r, p)", 4 * 2},
                    Written{"int8[2,3] x, int8[3,5] w", "y = MatMulInteger(x, w)", 10 * 4},
                    Written{"int8[2,3] x, float s, int8 z, int8[3,5] w, int16 p",
                            "y = QLinearMatMul(x, s, z, w, s, z, s, p)", 10 * 2},
                    Written{"int8[2,3] x, float16 s", "y = DequantizeLinear(x, s)", 6 * 2},
                    Written{"int8[2,3] x, float s", "y = DequantizeLinear(x, s)", 6 * 4},
                    Written{"int8[2,3] x, float s", "y = DequantizeLinear<output_dtype=10>(x, s)", 6 * 2}));

TEST(OpenShape, MayBeOneThatSqueezeTakes) {
  const auto network = *read("float[1,n,m] x", "y = Squeeze(x)");
  EXPECT_EQ(network.outputs[0].shape, std::nullopt) << "with m of 1 it has one dimension less";
  EXPECT_EQ(read("float[1,3,1] x", "y = Squeeze(x)")->outputs[0].shape, Shape{3});
}

TEST(GivenShapes, TakeThePlaceOfWhatTheFileLeavesOpen) {
  const auto network = *read("float[n,length,8] x, float[n,length] mask, float[8,4] w",
                             "a = MatMul(x, w) y = Relu(a)", {.shapes = {{"x", {2, 16, 8}}}});
  EXPECT_EQ(network.outputs[0].shape, (Shape{2, 16, 4}));
  EXPECT_EQ(network.inputs[1].shape, (Shape{2, 16})) << "dimensions of one name are one";
  EXPECT_EQ(network.batch, 2);
}

TEST(GivenShapes, ThatDoNotFitAreRefused) {
  const auto refusal = [](const InputShapes& shapes) {
    const auto network = read("float[n,length,8] x, float[n] mask", "y = Relu(x)", {.shapes = shapes});
    return network ? Error{} : network.error();
  };
  EXPECT_EQ(refusal({{"x", {2, 16, 9}}}).message,
            "test: input 'x' has the shape ?x?x8, which 2x16x9 does not fit");
  EXPECT_EQ(refusal({{"x", {2, 16}}}).message,
            "test: input 'x' has the shape ?x?x8, which 2x16 does not fit");
  EXPECT_EQ(refusal({{"x", {2, 16, 8}}, {"mask", {3}}}).message,
            "test: dimension 'n' is 2 in another input's shape, and cannot be another size in mask:3");
  EXPECT_EQ(refusal({{"maks", {3}}}).code, ErrorCode::not_found);
  EXPECT_THAT(refusal({{"maks", {3}}}).text(), testing::HasSubstr("did you mean 'mask'?"));
  EXPECT_EQ(refusal({{"", {3}}}).code, ErrorCode::invalid_argument) << "there are two inputs";
}

}  // namespace
}  // namespace neph::net
