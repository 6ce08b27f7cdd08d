#include <gmock/gmock.h>

#include "core/json.hpp"
#include "net/net.hpp"

namespace neph::net {
namespace {

struct Published {
  std::string name;
  std::int64_t parameters;
  std::int64_t macs;
  std::int64_t depth;
};

/// Parameters: torchvision's model cards (ResNet) and the summaries of the Keras examples.
/// Multiply-accumulates: torchvision's cards give 1.81, 3.66, 4.09, 7.80 and 11.51 G; those of the small
/// networks are summed by hand.
class PublishedCounts : public testing::TestWithParam<Published> {};

TEST_P(PublishedCounts, Hold) {
  const auto network = build(GetParam().name);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->totals.parameters, GetParam().parameters);
  EXPECT_EQ(network->totals.macs, GetParam().macs);
  EXPECT_EQ(network->totals.depth, GetParam().depth);
  EXPECT_TRUE(network->unknown_operators.empty());
  EXPECT_EQ(network->unsized_layers, 0);
}

INSTANTIATE_TEST_SUITE_P(Net, PublishedCounts,
                         testing::Values(Published{"resnet18", 11'689'512, 1'814'073'344, 18},
                                         Published{"resnet34", 21'797'672, 3'663'761'408, 34},
                                         Published{"resnet50", 25'557'032, 4'089'184'256, 50},
                                         Published{"resnet101", 44'549'160, 7'801'405'440, 101},
                                         Published{"resnet152", 60'192'808, 11'513'626'624, 152},
                                         Published{"mnist", 1'199'882, 11'992'448, 4},
                                         Published{"cifar10", 1'250'858, 20'741'120, 6}),
                         [](const auto& test) { return test.param.name; });

TEST(Build, TakesClassesAndSide) {
  const auto usual = *build("resnet50");
  const auto other = *build("resnet50", {.classes = 10, .side = 448});
  EXPECT_EQ(other.totals.parameters, usual.totals.parameters - 990 * 2049);
  EXPECT_EQ(other.inputs[0].shape, (Shape{1, 3, 448, 448}));
  EXPECT_EQ(other.outputs[0].shape, (Shape{1, 10}));
  EXPECT_EQ(other.totals.macs_by_kind.at("convolution"), usual.totals.macs_by_kind.at("convolution") * 4);
}

TEST(Build, DescribesALayer) {
  const auto network = *build("resnet50");
  const auto found = std::find_if(network.layers.begin(), network.layers.end(),
                                  [](const Layer& layer) { return layer.name == "layer2.0.conv2"; });
  ASSERT_NE(found, network.layers.end());
  EXPECT_EQ(
      dump_json(to_json(*found)),
      R"({"name":"layer2.0.conv2","op":"Conv","kind":"convolution","inputs":["layer2.0.relu1"],)"
      R"("outputs":[[1,128,28,28]],"window":{"kernel":[3,3],"strides":[2,2],"dilations":[1,1],)"
      R"("pads":[1,1,1,1],"groups":1},)"
      R"("weights":[{"name":"layer2.0.conv2.weight","shape":[128,128,3,3],"bytes":589824,"trained":true}],)"
      R"("parameters":147456,"macs":115605504,"activations":100352,)"
      R"("weight_bytes":589824,"input_bytes":1605632,"output_bytes":401408})");
}

TEST(Build, RefusesWhatCannotBe) {
  EXPECT_EQ(build("resnet5O").error().message, "unknown network 'resnet5O'; did you mean 'resnet50'?");
  EXPECT_EQ(build("resnet5O").error().code, ErrorCode::not_found);
  EXPECT_EQ(build("mnist", {.classes = -1}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(build("mnist", {.side = 1'000'000'000}).error().message,
            "side 1000000000 is not between 1 and 65536");
  const auto small = build("mnist", {.side = 4});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(small.error().message,
            "mnist cannot be built so: node 'conv2' (Conv): a window of 3 does not fit into 2 elements: the "
            "picture is "
            "too small");
}

TEST(Build, EveryKnownNetworkBuildsAtItsLargestSide) {
  for (const auto& known : known_networks()) {
    EXPECT_TRUE(build(known.name, {.classes = 1'000'000, .side = 65'536})) << known.name;
    EXPECT_FALSE(known.title.empty());
  }
}

TEST(BytesMoved, CountsWeightsOnceAndActivationsPerPicture) {
  const auto network = *build("mnist");
  const auto one = bytes_moved(network, 1), two = bytes_moved(network, 2);
  EXPECT_EQ(2 * one - two, static_cast<double>(network.totals.weight_bytes));
  EXPECT_EQ(network.totals.weight_bytes, 4 * network.totals.parameters);
}

}  // namespace
}  // namespace neph::net
