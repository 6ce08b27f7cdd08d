#include "profile/account.hpp"

#include <gmock/gmock.h>

namespace neph::profile {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Layers = std::vector<engine::LayerTime>;

Layers repeat(double conv_s, double reorder_s) {
  return {{.name = "input_reorder", .kind = "Reorder", .self_s = reorder_s},
          {.name = "relu", .kind = "Relu", .self_s = 0, .is_run = false},
          {.name = "conv,relu", .kind = "Convolution", .kernel = "jit", .self_s = conv_s}};
}

net::Network network() {
  net::Network network;
  network.layers = {{.name = "conv",
                     .op = "Conv",
                     .kind = net::Kind::convolution,
                     .inputs = {"input"},
                     .macs = 3000,
                     .activations = 10,
                     .weight_bytes = 100,
                     .input_bytes = 40,
                     .output_bytes = 40},
                    {.name = "relu",
                     .op = "Relu",
                     .kind = net::Kind::activation,
                     .inputs = {"conv"},
                     .activations = 10,
                     .input_bytes = 40,
                     .output_bytes = 40}};
  network.totals.macs = 3000;
  return network;
}

TEST(Account, SharesAreOfTheLayersThatRan) {
  Profile profile;
  const auto known = network();
  account(times_of({repeat(3, 1), repeat(5, 1), repeat(4, 1)}), {.network = &known}, profile);
  ASSERT_THAT(profile.layers, SizeIs(2));
  const auto& conv = profile.layers[0];
  EXPECT_EQ(conv.name, "conv");
  EXPECT_EQ(conv.kind, "convolution");
  EXPECT_EQ(conv.engine_kind, "Convolution");
  EXPECT_THAT(conv.operators, ElementsAre("Conv", "Relu"));
  EXPECT_THAT(conv.self_s.value, DoubleEq(4));
  EXPECT_TRUE(conv.self_s.low);
  EXPECT_THAT(conv.share, DoubleEq(0.8));
  EXPECT_EQ(conv.flop, 6000);
  EXPECT_EQ(conv.bytes, 180);
  EXPECT_EQ(profile.layers[1].kind, "Reorder");
  EXPECT_EQ(profile.layers[1].flop, std::nullopt);
  EXPECT_THAT(profile.layers_s.value, DoubleEq(5));
  EXPECT_THAT(profile.joined_share, DoubleEq(0.8));
  EXPECT_EQ(profile.flop, 6000);
  EXPECT_EQ(profile.joined_flop, 6000);
  EXPECT_THAT(profile.removed, IsEmpty());
  ASSERT_THAT(profile.kinds, SizeIs(2));
  EXPECT_EQ(profile.kinds[0].kind, "convolution");
  EXPECT_THAT(profile.kinds[0].self_s.value, DoubleEq(4));
}

TEST(Account, LayersThatComputeOneTogetherAreOneRow) {
  Profile profile;
  const auto known = network();
  const Layers both{{.name = "conv", .kind = "Convolution", .self_s = 2},
                    {.name = "conv,relu", .kind = "Convolution", .self_s = 4}};
  account(times_of({both, both}), {.network = &known}, profile);
  ASSERT_THAT(profile.layers, SizeIs(1));
  EXPECT_THAT(profile.layers[0].self_s.value, DoubleEq(6));
  EXPECT_THAT(profile.layers[0].share, DoubleEq(1));
  EXPECT_EQ(profile.layers[0].flop, 6000);
  EXPECT_EQ(profile.kinds[0].layers, 1);
}

TEST(Account, ArithmeticThatIsInNoLayerIsNotFound) {
  Profile profile;
  const auto known = network();
  const Layers moved{{.name = "conv", .kind = "Reorder", .self_s = 2}};
  account(times_of({moved}), {.network = &known}, profile);
  EXPECT_EQ(profile.joined_flop, 0);
  EXPECT_EQ(profile.layers[0].flop, std::nullopt);
  EXPECT_THAT(profile.removed, ElementsAre("conv", "relu"));
}

TEST(Account, AnEnginesOwnLayerHasTheKindThatItShows) {
  Profile profile;
  const auto known = network();
  net::Network shown;
  shown.layers = {{.name = "input_reorder", .op = "Transpose", .kind = net::Kind::movement}};
  const auto times = times_of({repeat(3, 1)});
  account(times, {.network = &known, .as_run = layers_as_run(times.layers, shown)}, profile);
  EXPECT_EQ(profile.layers[0].kind, "convolution") << "the file's words come first";
  EXPECT_EQ(profile.layers[1].kind, "movement");
  EXPECT_EQ(profile.layers[1].engine_kind, "Reorder");
}

TEST(Account, WithoutAFileTheEnginesWordsAreLeft) {
  Profile profile;
  account(times_of({repeat(3, 1)}), {}, profile);
  EXPECT_EQ(profile.layers[0].kind, "Convolution");
  EXPECT_EQ(profile.joined_share, 0);
  EXPECT_EQ(profile.flop, std::nullopt);
  EXPECT_FALSE(profile.layers[0].self_s.low) << "one repeat has no interval";
}

TEST(Account, OtherLayersInARepeatLeaveTheFirst) {
  auto other = repeat(9, 9);
  other.pop_back();
  const auto times = times_of({repeat(3, 1), other});
  EXPECT_FALSE(times.are_alike);
  EXPECT_THAT(times.self_s, ElementsAre(ElementsAre(1), ElementsAre(3)));
}

TEST(Account, OfTimesOfNothingNoShareIsUnknown) {
  Profile profile;
  account(times_of({repeat(0, 0), repeat(0, 0)}), {}, profile);
  EXPECT_EQ(profile.layers[0].share, 0);
}

}  // namespace
}  // namespace neph::profile
