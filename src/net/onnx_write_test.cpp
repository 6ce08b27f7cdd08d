// What is written of a network that was read from somebody else's file.
#include <gmock/gmock.h>

#include "core/json.hpp"
#include "net/net.hpp"
#include "net/onnx_text.hpp"

namespace neph::net {
namespace {

std::string text_of(const Network& network) { return dump_json(to_json(network)); }

TEST(OnnxWrite, KeepsTheNumbersOfALayerThatItReads) {
  auto model = model_from_text("float[1,4] x",
                               "a = Constant<value = float {-1}>() b = Constant<value = float {1}>() "
                               "c = Clip(x, a, b) y = Transpose<perm = [1,0]>(c)");
  const auto read = *read_onnx_bytes(model.SerializeAsString(), "test");
  const auto written = *read_program_bytes(*write_onnx_bytes(read, 1), "test");
  EXPECT_THAT(written.tensors.at("a").floats, testing::ElementsAre(-1));
  EXPECT_THAT(written.nodes[1].attribute("perm", std::vector<std::int64_t>()), testing::ElementsAre(1, 0));
}

TEST(OnnxWrite, KeepsTheWindowsOfALayerThatItReads) {
  auto model =
      model_from_text("float[1,2,9,9] x",
                      "a = MaxPool<kernel_shape=[3,3], strides=[2,2], ceil_mode=1, dilations=[2,2]>(x) "
                      "b = AveragePool<kernel_shape=[2,2], strides=[2,2], pads=[1,1,0,0], "
                      "count_include_pad=1, ceil_mode=1>(a) "
                      "c = MaxPool<kernel_shape=[2,2], auto_pad=\"SAME_UPPER\">(b) y = Relu(c)");
  const auto read = *read_onnx_bytes(model.SerializeAsString(), "test");
  const auto bytes = *write_onnx_bytes(read, 1);
  EXPECT_EQ(text_of(*read_onnx_bytes(bytes, "test")), text_of(read));
  const auto nodes = read_program_bytes(bytes, "test")->nodes;
  EXPECT_EQ(nodes[0].attribute("ceil_mode", std::int64_t{0}), 1);
  EXPECT_THAT(nodes[0].attribute("dilations", std::vector<std::int64_t>()), testing::ElementsAre(2, 2));
  EXPECT_EQ(nodes[1].attribute("count_include_pad", std::int64_t{0}), 1);
  EXPECT_THAT(nodes[2].attribute("pads", std::vector<std::int64_t>()), testing::ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(nodes[2].attribute("auto_pad", std::string("none")), "none");
}

}  // namespace
}  // namespace neph::net
