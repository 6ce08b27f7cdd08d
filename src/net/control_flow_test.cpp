// Bodies of If, Loop, Scan and of functions: what they hold counts, as often as it runs.
#include "net/control_flow.hpp"

#include <gmock/gmock.h>

#include "net/onnx_text.hpp"

namespace neph::net {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Result<Network> read(const onnx::ModelProto& model) {
  return read_onnx_bytes(model.SerializeAsString(), "test");
}

Network network_of(const std::string& inputs, const std::string& nodes) {
  auto network = read(model_from_text(inputs, nodes));
  EXPECT_TRUE(network) << network.error().message;
  return network ? *network : Network{};
}

const Layer& layer_called(const Network& network, const std::string& name) {
  const auto found = std::find_if(network.layers.begin(), network.layers.end(),
                                  [&](const Layer& layer) { return layer.name == name; });
  if (found == network.layers.end()) throw std::runtime_error("no layer " + name);
  return *found;
}

const std::string kBranches =
    "<then_branch = g1 () => (float[2,4] a) { a = MatMul(x, w) }, "
    "else_branch = g2 () => (float[2,4] b) { t = MatMul(x, w) u = MatMul(t, w2) b = Relu(u) }>";

TEST(If, CountsTheLargerBranchAndTheWeightsOfBoth) {
  const auto network =
      network_of("bool c, float[2,3] x, float[3,4] w, float[4,4] w2", "y = If" + kBranches + "(c)");
  EXPECT_EQ(network.totals.macs, 2 * 3 * 4 + 2 * 4 * 4);
  EXPECT_EQ(network.totals.parameters, 12 + 16);  // w is in both branches, and is one tensor
  EXPECT_THAT(network.totals.at_most, Contains("macs"));
  EXPECT_THAT(network.totals.at_least, IsEmpty());
  EXPECT_EQ(network.undecided_branches, 1);
  EXPECT_EQ(network.outputs[0].shape, (Shape{2, 4}));
  EXPECT_EQ(layer_called(network, "y/then_branch/a").runs, 0);
  EXPECT_EQ(layer_called(network, "y/else_branch/t").runs, 1);
}

TEST(If, CountsTheBranchThatAConstantConditionTakes) {
  const std::string condition =
      "s = Shape(x) i = Constant<value=int64{0}>() d = Gather<axis=0>(s, i) "
      "two = Constant<value=int64{2}>() c = Equal(d, two) ";
  const auto network =
      network_of("float[2,3] x, float[3,4] w, float[4,4] w2", condition + "y = If" + kBranches + "(c)");
  EXPECT_EQ(network.totals.macs, 2 * 3 * 4);
  EXPECT_EQ(network.totals.parameters, 12 + 16);
  EXPECT_THAT(network.totals.at_most, IsEmpty());
  EXPECT_EQ(network.undecided_branches, 0);
}

TEST(If, TakesTheOtherBranchWhereOneContradictsItself) {
  // As PyTorch exports squeeze: the branch for another rank does not fit these shapes.
  const auto nodes =
      "y = If<then_branch = g1 () => (float[2,3] a) { a = Add(x, w) }, "
      "else_branch = g2 () => (float[2,3] b) { b = Relu(x) }>(c)";
  const auto network = network_of("bool c, float[2,3] x, float[5,5] w", nodes);
  EXPECT_EQ(layer_called(network, "y/then_branch/a").runs, 0);
  EXPECT_EQ(network.totals.parameters, 25);
  const auto both = read(model_from_text("bool c, float[2,3] x, float[5,5] w",
                                         "y = If<then_branch = g1 () => (float[2,3] a) { a = Add(x, w) }, "
                                         "else_branch = g2 () => (float[2,3] b) { b = Mul(x, w) }>(c)"));
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, ErrorCode::corrupt);
}

/// An If: on the one side a product of 2x3 by 3x4 and an operator that is not known, on the other one
/// `other`.
Network with_strange_branch(const std::string& other) {
  return network_of(
      "bool c, float[2,3] x, float[3,4] w, float[3,1] w2",
      "y = If<then_branch = g1 () => (float[2,4] a) { t = MatMul(x, w) s = Strange(t) a = Relu(s) }, "
      "else_branch = g2 () => (float b) { " +
          other + " }>(c)");
}

TEST(If, WithABranchThatIsNotKnownIsAtLeastTheSmallerSum) {
  const auto network = with_strange_branch("b = MatMul(x, w2)");
  EXPECT_EQ(network.totals.macs, 2 * 3 * 1);
  EXPECT_EQ(network.totals.activations, 2);
  EXPECT_THAT(network.totals.at_least,
              ElementsAre("activations", "depth", "input_bytes", "macs", "output_bytes"));
  EXPECT_THAT(network.totals.at_most, IsEmpty());
  EXPECT_EQ(network.totals.macs_by_kind, (std::map<std::string, std::int64_t>{{"dense", 6}}));
  EXPECT_EQ(network.undecided_branches, 1);
  EXPECT_THAT(network.unknown_operators, Contains(testing::Key("Strange"))) << "why it is at least that";
}

TEST(If, WithABranchThatIsNotKnownIsUnknownWhereTheOtherDoesNothing) {
  EXPECT_EQ(with_strange_branch("b = Relu(x)").totals.macs, std::nullopt);
}

TEST(If, IsAtLeastTheSmallerBranchWhereMoreIsUnknown) {
  const auto network = network_of("bool c, float[2,3] x, float[3,4] w, float[4,4] w2",
                                  "z = If" + kBranches + "(c) y = Strange(z)");
  EXPECT_EQ(network.totals.macs, 2 * 3 * 4);
  EXPECT_THAT(network.totals.at_least, Contains("macs"));
  EXPECT_THAT(network.totals.at_most, Not(Contains("macs")));
  EXPECT_EQ(network.totals.macs_by_kind.at("dense"), 2 * 3 * 4);
}

TEST(If, LeavesTheWorkOfAnOpenSizeUnknownInTheBranchThatDoesNotCount) {
  const auto network = network_of("bool c, float[1,3,n,8] x, float[4,3,3,3] w",
                                  "y = If<then_branch = g1 () => (float[1,3,n,8] a) { a = Relu(x) }, "
                                  "else_branch = g2 () => (float[1,4,m,6] b) { b = Conv(x, w) }>(c)");
  EXPECT_EQ(layer_called(network, "y/else_branch/b").runs, 0);
  EXPECT_EQ(layer_called(network, "y/else_branch/b").macs, std::nullopt);
  EXPECT_EQ(network.totals.macs, std::nullopt);
}

TEST(If, IsBoundedForEachFigureByItself) {  // more multiply-accumulates here, more activations there
  const auto network = network_of("bool c, float[2,3] x, float[3,1] w",
                                  "y = If<then_branch = g1 () => (float[2,1] a) { a = MatMul(x, w) }, "
                                  "else_branch = g2 () => (float[4,3] b) { b = Concat<axis=0>(x, x) }>(c)");
  EXPECT_EQ(network.totals.macs, 6);
  EXPECT_EQ(network.totals.activations, 12);
  EXPECT_THAT(network.totals.at_most,
              ElementsAre("activations", "depth", "input_bytes", "macs", "output_bytes"));
  EXPECT_THAT(network.totals.at_least, IsEmpty());
}

TEST(If, InAnIfAndALoopIsBoundedAsOftenAsItRuns) {
  const std::string inner =
      "q = If<then_branch = i1 () => (float[2,3] a) { a = MatMul(state, w) }, "
      "else_branch = i2 () => (float[2,3] b) { b = Relu(state) }>(c) ";
  const auto network = network_of(
      "bool c, bool d, float[2,3] x, float[3,3] w",
      "m = Constant<value=int64{7}>() y = If<then_branch = g1 () => (float[2,3] e) { "
      "e = Loop<body = h (int64 j, bool run, float[2,3] state) => (bool on, float[2,3] next) "
      "{ on = Identity(run) " +
          inner +
          " next = MatMul(q, w) }>(m, , x) }, else_branch = g2 () => (float[2,3] f) { f = MatMul(x, w) "
          "}>(d) z = MatMul(y, w)");
  EXPECT_EQ(network.totals.macs, 18 + 7 * 2 * 18);
  EXPECT_THAT(network.totals.at_most, Contains("macs"));
  EXPECT_EQ(network.undecided_branches, 2);
}

TEST(If, IsDecidedByTheOneOperandThatTells) {
  const std::string numbers =
      "s = Shape(x) i = Constant<value=int64{1}>() length = Gather<axis=0>(s, i) "
      "two = Constant<value=int64{2}>() open = Equal(length, two) yes = Equal(two, two) no = Less(two, two) ";
  const auto macs_with = [&](const std::string& condition) {
    const auto network =
        network_of("float[1,length] x, float[2,3] v, float[3,4] w2, float[3,1] w3",
                   numbers + condition +
                       " y = If<then_branch = g1 () => (float[2,4] a) { a = MatMul(v, w2) }, "
                       "else_branch = g2 () => (float[2,1] b) { b = MatMul(v, w3) }>(c)");
    return network.undecided_branches == 0 ? network.totals.macs : std::nullopt;
  };
  const std::int64_t larger = 2 * 3 * 4, smaller = 2 * 3 * 1;
  EXPECT_EQ(macs_with("c = And(no, open)"), smaller);
  EXPECT_EQ(macs_with("c = And(open, no)"), smaller);
  EXPECT_EQ(macs_with("c = Or(yes, open)"), larger);
  EXPECT_EQ(macs_with("c = Or(open, yes)"), larger);
  EXPECT_EQ(macs_with("c = And(yes, open)"), std::nullopt);
  EXPECT_EQ(macs_with("c = Or(no, open)"), std::nullopt);
  EXPECT_EQ(macs_with("c = And(open, open)"), std::nullopt);
}

TEST(If, IsNotStoppedByALoopThatCannotRunInTheOtherBranch) {
  const auto nodes =
      "m = Constant<value=int64{2}>() y = If<then_branch = g1 () => (float[2,3] a) { "
      "a = Loop<body = h (int64 j, bool run, float[2,3] s) => (bool on, float[2,3] n) "
      "{ on = Identity(run) n = Add(s, w) }>(m, , x) }, "
      "else_branch = g2 () => (float[2,3] b) { b = Relu(x) }>(c)";
  const auto network = network_of("bool c, float[2,3] x, float[5,5] w", nodes);
  EXPECT_EQ(network.outputs[0].shape, (Shape{2, 3}));
}

const std::string kBody =
    "<body = g (int64 i, bool go, float[2,3] state) => (bool on, float[2,3] next, float[2,3] seen) "
    "{ on = Identity(go) next = MatMul(state, w) seen = Relu(next) }>";

TEST(Loop, CountsItsBodyOncePerTrip) {
  const auto network = network_of("float[2,3] x, float[3,3] w",
                                  "m = Constant<value=int64{7}>() c = Constant<value_ints=[1]>() "
                                  "go = Cast<to=9>(c) last, y = Loop" +
                                      kBody + "(m, go, x)");
  EXPECT_EQ(network.totals.macs, 7 * 2 * 3 * 3);
  EXPECT_EQ(network.totals.parameters, 9);
  EXPECT_THAT(network.totals.at_least, IsEmpty());
  EXPECT_EQ(layer_called(network, "last/body/next").runs, 7);
  EXPECT_EQ(network.outputs[0].shape, (Shape{7, 2, 3}));
}

TEST(Loop, WhoseBodySaysThatItEndsMakesOneTrip) {
  const std::string ends =
      "<body = g (int64 i, bool go, float[2,3] state) => (bool on, float[2,3] next) "
      "{ zero = Constant<value=int64{0}>() on = Cast<to=9>(zero) next = MatMul(state, w) }>";
  const auto network =
      network_of("float[2,3] x, float[3,3] w", "m = Constant<value=int64{7}>() y = Loop" + ends + "(m, , x)");
  EXPECT_EQ(network.totals.macs, 2 * 3 * 3);
  EXPECT_EQ(network.open_loops, 0);
  EXPECT_THAT(network.totals.at_least, IsEmpty());
  const auto open = network_of("float[2,3] x, int64 m, float[3,3] w", "y = Loop" + ends + "(m, , x)");
  EXPECT_EQ(open.open_loops, 1) << "it may not begin";
}

TEST(Loop, CountsNoTripWhereTheFileDoesNotTellHowMany) {
  const auto network = network_of("float[2,3] x, int64 m, float[3,3] w",
                                  "before = MatMul(x, w) last, y = Loop" + kBody + "(m, , before)");
  EXPECT_EQ(network.totals.macs, 2 * 3 * 3) << "there may be no trip";
  EXPECT_THAT(network.totals.at_least, Contains("macs"));
  EXPECT_EQ(network.totals.trip_macs, 2 * 3 * 3);
  EXPECT_EQ(network.totals.macs_by_kind.at("dense"), 2 * 3 * 3);
  EXPECT_EQ(network.totals.parameters, 9);
  EXPECT_THAT(network.totals.at_most, ElementsAre("depth"));
  EXPECT_EQ(network.totals.depth, 2);
  EXPECT_EQ(network.open_loops, 1);
  EXPECT_EQ(layer_called(network, "last/body/next").runs, std::nullopt);
  EXPECT_EQ(layer_called(network, "last/body/next").macs, 2 * 3 * 3);
  EXPECT_EQ(network.outputs[0].shape, (Shape{kUnknown, 2, 3}));
}

TEST(Loop, OfWhichNothingIsToldIsUnknownAndNotOneTrip) {
  const std::string stops =
      "<body = g (int64 i, bool go, float[2,3] state) => (bool on, float[2,3] next) "
      "{ none = Constant<value=float{0.0}>() most = ReduceMax<keepdims=0>(state) on = Less(none, most) "
      "next = MatMul(state, w) }>";
  for (const auto* given : {"(m, go, x)", "(seven, go, x)", "(seven, c, x)"}) {
    const auto network = network_of("float[2,3] x, int64 m, bool c, float[3,3] w",
                                    "seven = Constant<value=int64{7}>() ones = Constant<value_ints=[1]>() "
                                    "go = Cast<to=9>(ones) y = Loop" +
                                        stops + given);
    EXPECT_EQ(network.totals.macs, std::nullopt) << given;
    EXPECT_EQ(network.totals.trip_macs, 2 * 3 * 3) << given;
    EXPECT_EQ(network.totals.parameters, 9) << given;
  }
}

TEST(Loop, DoesNotTakeASizeThatGrowsForConstant) {
  const auto network = network_of(
      "float[2,3] x, float[3,3] w",
      "m = Constant<value=int64{5}>() y = Loop<body = g (int64 i, bool go, float state) => "
      "(bool on, float next) { on = Identity(go) p = MatMul(state, w) next = Concat<axis=0>(p, state) }>"
      "(m, , x)");
  EXPECT_EQ(network.outputs[0].shape, (Shape{kUnknown, 3}));
  EXPECT_EQ(network.totals.macs, std::nullopt);
  EXPECT_EQ(network.totals.parameters, 9);
}

TEST(Loop, MultipliesWithTheLoopsAroundIt) {
  const std::string inner =
      "t = Loop<body = h (int64 j, bool run, float[2,3] s) => (bool on2, float[2,3] n) "
      "{ on2 = Identity(run) n = MatMul(s, w) }>(m, , state) ";
  const auto network = network_of("float[2,3] x, float[3,3] w",
                                  "m = Constant<value=int64{7}>() y = Loop<body = g (int64 i, bool go, "
                                  "float[2,3] state) => (bool on, float[2,3] next) { on = Identity(go) " +
                                      inner + " next = Relu(t) }>(m, , x)");
  EXPECT_EQ(network.totals.macs, 7 * 7 * 2 * 3 * 3);
}

TEST(Loop, RefusesMoreTripsThanCanBeCounted) {
  const auto network = read(model_from_text(
      "float[2,3] x, float[3,3] w",
      "m = Constant<value=int64{4000000000000000000}>() last, y = Loop" + kBody + "(m, , x)"));
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().code, ErrorCode::corrupt);
}

TEST(Scan, CountsItsBodyOncePerPartOfTheSequence) {
  const auto network = network_of(
      "float[2,4] h, float[9,2,4] x, float[4,4] w",
      "last, y = Scan<num_scan_inputs=1, body = g (float[2,4] state, float[2,4] part) => "
      "(float[2,4] next, float[2,4] out) { p = MatMul(part, w) next = Add(state, p) out = Relu(next) }>"
      "(h, x)");
  EXPECT_EQ(network.totals.macs, 9 * 2 * 4 * 4);
  EXPECT_EQ(network.outputs[0].shape, (Shape{9, 2, 4}));
}

/// Bodies in bodies, deeper than they are read: their weights are not known, and so no parameters are.
TEST(Bodies, ThatAreNotReadLeaveTheParametersOpen) {
  std::string nodes = "r0 = MatMul(x, w) ";
  for (int i = 0; i < 12; ++i)
    nodes = fmt::format(
        "r{1} = If<then_branch = a{1} () => (float z{1}) {{ {2} z{1} = Relu(r{0}) }}, "
        "else_branch = b{1} () => (float v{1}) {{ v{1} = Relu(x) }}>(c) ",
        i, i + 1, nodes);
  const auto network = network_of("bool c, float[3,3] x, float[3,3] w", nodes + "y = Relu(r12)");
  EXPECT_THAT(network.totals.at_least, Contains("parameters"));
  EXPECT_THAT(network.unknown_operators, testing::Contains(testing::Key("If")));
}

/// f_i calls f_(i-1) twice: 2^40 nodes if all were read.
TEST(Bodies, OfFunctionsDoNotGrowWithoutLimit) {
  auto model = model_from_text("float[3,3] x", "y = Relu(x)");
  for (int i = 0; i < 40; ++i) {
    auto& function = *model.add_functions();
    function.set_name(fmt::format("f{}", i));
    function.set_domain("d");
    function.add_input("a");
    function.add_output("c");
    const auto call = [&](const std::string& in, const std::string& out) {
      auto& node = *function.add_node();
      node.set_op_type(i == 0 ? "Relu" : fmt::format("f{}", i - 1));
      node.set_domain(i == 0 ? "" : "d");
      node.add_input(in);
      node.add_output(out);
    };
    call("a", "b");
    call("b", "c");
  }
  auto& node = *model.mutable_graph()->mutable_node(0);
  node.set_op_type("f39");
  node.set_domain("d");
  const auto network = read(model);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(network->totals.at_least, Contains("parameters"));
}

TEST(Functions, CountWithWhatTheyAreCalledWith) {
  auto model = model_from_text("float[2,3] x, float[3,3] w, float[3,3] w2", "a = Relu(x) y = Relu(a)");
  auto& function = *model.add_functions();
  function.set_name("linear");
  function.set_domain("d");
  for (const auto* name : {"in", "weight"}) function.add_input(name);
  function.add_output("out");
  auto& product = *function.add_node();
  product.set_op_type("MatMul");
  for (const auto* name : {"in", "weight"}) product.add_input(name);
  product.add_output("out");
  for (int i = 0; i < 2; ++i) {
    auto& node = *model.mutable_graph()->mutable_node(i);
    node.set_op_type("linear");
    node.set_domain("d");
    node.add_input(i == 0 ? "w" : "w2");
  }
  const auto network = *read(model);
  EXPECT_EQ(network.totals.macs, 2 * 2 * 3 * 3);
  EXPECT_EQ(network.totals.parameters, 18);
  EXPECT_EQ(network.totals.depth, 2);
  EXPECT_EQ(layer_called(network, "y/out").parameters, 9);
}

}  // namespace
}  // namespace neph::net
