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

/// Parameters: torchvision's model cards (ResNet, AlexNet, VGG, MobileNetV2; Inception-v3's 27,161,264 less
/// the 3,326,696 of its auxiliary classifier), the summaries of the Keras examples, and of Keras'
/// Inception-ResNet-v2, whose 55,813,192 trained ones lack the 30,272 scales of batch norms that are here.
/// LeNet-5, Deep Speech 2 and PROFET's networks are summed by hand. Multiply-accumulates: torchvision's cards
/// give 1.81, 3.66, 4.09, 7.80, 11.51 G (ResNet), 0.71 G (AlexNet), 7.61, 11.31, 15.47, 19.63 G (VGG), 0.30 G
/// and 5.71 G; Inception-ResNet-v2's 13.2 G are timm's.
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
                                         Published{"cifar10", 1'250'858, 20'741'120, 6},
                                         Published{"mnist-cnn", 1'199'882, 11'992'448, 4},
                                         Published{"cifar10-cnn", 1'250'858, 20'741'120, 6},
                                         Published{"deepspeech2", 41'179'933, 7'762'214'400, 8},
                                         Published{"lenet5", 61'706, 416'520, 5},
                                         Published{"alexnet", 61'100'840, 714'188'480, 8},
                                         Published{"vgg11", 132'863'336, 7'609'090'048, 11},
                                         Published{"vgg13", 133'047'848, 11'308'466'176, 13},
                                         Published{"vgg16", 138'357'544, 15'470'264'320, 16},
                                         Published{"vgg19", 143'667'240, 19'632'062'464, 19},
                                         Published{"mobilenetv2", 3'504'872, 300'774'272, 53},
                                         Published{"inceptionv3", 23'834'568, 5'713'216'096, 48},
                                         Published{"inceptionresnetv2", 55'843'464, 13'155'794'016, 176},
                                         Published{"profet-lenet5", 62'006, 651'720, 5},
                                         Published{"profet-mnist-cnn", 42'442, 3'915'648, 3}),
                         [](const auto& test) {
                           auto name = test.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Summed apart from the builders, by the definitions in profet_resnet.cpp.
TEST(Build, ResidualNetworksOfProfetHaveTheirParameters) {
  EXPECT_EQ(build("profet-resnet18")->totals.parameters, 11'692'648);
  EXPECT_EQ(build("profet-resnet34")->totals.parameters, 21'804'520);
  EXPECT_EQ(build("profet-resnet50")->totals.parameters, 25'576'040);
  EXPECT_EQ(build("profet-resnetsmall")->totals.parameters, 227'496);
  EXPECT_EQ(build("profet-resnet50")->totals.depth, 50);
}

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
      R"("runs":1,"parameters":147456,"macs":115605504,"activations":100352,)"
      R"("weight_bytes":589824,"input_bytes":1605632,"output_bytes":401408})");
}

TEST(Build, ASequenceHasTheSizesThatAreChosen) {
  const auto network = *build("deepspeech2", {.classes = 5, .layers = 2, .seq = 51, .width = 16});
  EXPECT_EQ(network.inputs[0].shape, (Shape{1, 1, 161, 51}));
  EXPECT_EQ(network.outputs[0].shape, (Shape{26, 1, 5}));
  EXPECT_EQ(network.totals.layers_by_kind.at("recurrent"), 2);
  EXPECT_EQ(network.totals.depth, 5);
  // Two directions of three gates, each with two biases; the first layer reads 32 channels of 41 rows.
  const std::int64_t first = 2 * 3 * 16 * (1312 + 16 + 2), second = 2 * 3 * 16 * (16 + 16 + 2);
  const std::int64_t convolutions = 32 * 41 * 11 + 64 + 32 * 32 * 21 * 11 + 64;
  EXPECT_EQ(network.totals.parameters, convolutions + first + second + 17 * 5);
  EXPECT_EQ(network.totals.macs_by_kind.at("recurrent"), 26 * (2 * 3 * 16 * (1312 + 16 + 16 + 16)));
}

TEST(Build, RefusesSizesThatANetworkDoesNotHave) {
  EXPECT_EQ(build("resnet50", {.layers = 3}).error().message,
            "resnet50 gives no choice of layers; leave it out");
  EXPECT_EQ(build("mnist", {.width = 3}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(build("deepspeech2", {.side = 32}).error().message,
            "deepspeech2 gives no choice of side; leave it out");
  EXPECT_EQ(build("deepspeech2", {.layers = -1}).error().message, "layers -1 is not between 1 and 1000");
  EXPECT_TRUE(build("deepspeech2", {.layers = 1, .seq = 1, .width = 1}));
  EXPECT_TRUE(build("deepspeech2", {.layers = 3, .seq = 1'000'000, .width = 65'536}));
}

TEST(Build, ADropoutIsALayerWithoutWork) {
  const auto without = *build("cifar10"), with = *build("cifar10-cnn");
  EXPECT_EQ(with.totals.layers, without.totals.layers + 3);
  EXPECT_EQ(with.totals.macs, without.totals.macs);
  for (const auto& layer : with.layers) EXPECT_TRUE(layer.op != "Dropout" || layer.macs == 0) << layer.name;
}

TEST(Build, RefusesWhatCannotBe) {
  EXPECT_EQ(build("resnet5O").error().text(), "unknown network 'resnet5O'; did you mean 'resnet50'?");
  EXPECT_EQ(build("resnet5O").error().code, ErrorCode::not_found);
  EXPECT_EQ(build("mnist", {.classes = -1}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(build("mnist", {.side = 1'000'000'000}).error().message,
            "side 1000000000 is not between 1 and 65536");
  const auto small = build("mnist", {.side = 4});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(small.error().message,
            "mnist cannot be built so: node 'conv2' (Conv): a window of 3 does not fit into 2 elements: the "
            "image is too small");
}

TEST(Build, EveryKnownNetworkBuildsAtItsLargestSide) {
  for (const auto& known : known_networks()) {
    const std::int64_t side = known.side == 0 ? 0 : 65'536;
    EXPECT_TRUE(build(known.name, {.classes = 1'000'000, .side = side})) << known.name;
    EXPECT_FALSE(known.title.empty());
  }
}

TEST(WorkPerPicture, IsThatOfTheLayersWithWork) {
  const auto network = *build("resnet50");
  const auto work = *work_per_picture(network);
  double macs = 0, weight_bytes = 0;
  for (const auto& layer : work.layers) {
    macs += layer.macs;
    weight_bytes += layer.weight_bytes;
    EXPECT_TRUE(layer.macs == 0 || layer.summands == layer.macs / layer.channels / layer.positions);
  }
  EXPECT_EQ(macs, *network.totals.macs);
  EXPECT_EQ(weight_bytes, network.totals.weight_bytes);
  EXPECT_EQ(work.input_bytes, 4 * 3 * 224 * 224);
  EXPECT_EQ(work.depth, 50);
  EXPECT_EQ(work.layers.front().channels, 64);
  EXPECT_EQ(work.layers.front().summands, 3 * 7 * 7);
}

TEST(Build, KnowsAllOfANetworkThatItBuilds) {
  const auto network = *build("mnist");
  EXPECT_THAT(network.totals.at_least, testing::IsEmpty());
  EXPECT_EQ(network.totals.weight_bytes, 4 * network.totals.parameters);
}

}  // namespace
}  // namespace neph::net
