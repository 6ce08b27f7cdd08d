#include "engine/onnxruntime/profiling.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace neph::engine::onnxruntime_plugin {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::SizeIs;

std::string node(const std::string& name, int begin, int duration) {
  return fmt::format(
      R"({{"cat":"Node","ts":{},"dur":{},"name":"{}_kernel_time","args":{{"op_name":"Conv","provider":"CPUExecutionProvider"}}}},)",
      begin, duration, name);
}

std::string run(int end) {
  return fmt::format(R"({{"cat":"Session","ts":0,"dur":{},"name":"model_run","args":{{}}}},)", end);
}

Result<std::vector<LayerTime>> read(const std::string& events) { return read_profile("[" + events + "{}]"); }

constexpr double picosecond = 1e-12;

TEST(OnnxRuntimeProfile, IsTheMeanOfAllInferencesButTheFirst) {
  const auto layers =
      read(node("a", 0, 900) + node("b", 900, 50) + run(1000) + node("a", 1000, 30) + node("b", 1040, 5) +
           run(1100) + node("a", 2000, 50) + node("b", 2060, 7) + run(2100));
  ASSERT_TRUE(layers) << layers.error().message;
  ASSERT_THAT(*layers, SizeIs(2));
  EXPECT_EQ(layers->at(0).name, "a");
  EXPECT_EQ(layers->at(0).kind, "Conv");
  EXPECT_EQ(layers->at(0).kernel, "CPU");
  EXPECT_THAT(layers->at(0).self_s, DoubleNear(40e-6, picosecond));
  EXPECT_THAT(layers->at(1).self_s, DoubleNear(6e-6, picosecond));
}

TEST(OnnxRuntimeProfile, OfOneInferenceIsThat) {
  const auto layers = read(node("a", 0, 900) + run(1000));
  ASSERT_TRUE(layers);
  EXPECT_THAT(layers->at(0).self_s, DoubleNear(900e-6, picosecond));
}

TEST(OnnxRuntimeProfile, ALoopHasTheTimeThatItsBodyLeaves) {
  const auto layers = read(node("body", 10, 20) + node("body", 40, 20) + node("loop", 0, 100) +
                           node("after", 100, 7) + run(120));
  ASSERT_TRUE(layers);
  ASSERT_THAT(*layers, SizeIs(3));
  EXPECT_THAT(layers->at(0).self_s, DoubleNear(60e-6, picosecond)) << layers->at(0).name;
  EXPECT_THAT(layers->at(1).self_s, DoubleNear(40e-6, picosecond)) << layers->at(1).name;
  EXPECT_THAT(layers->at(2).self_s, DoubleNear(7e-6, picosecond)) << layers->at(2).name;
}

TEST(OnnxRuntimeProfile, OtherTextIsRefused) {
  for (const std::string text : {"", "[", "{}", "7", "[]", "[1, null, {\"cat\": 3}]",
                                 R"([{"cat":"Node","name":"x_kernel_time","ts":"no","dur":null}])"}) {
    const auto layers = read_profile(text);
    ASSERT_FALSE(layers) << text;
    EXPECT_THAT(layers.error().message, HasSubstr("ONNX Runtime's profile")) << text;
  }
}

TEST(OnnxRuntimeProfile, EventsOfOtherFormsAreLeftOut) {
  const auto layers = read(R"({"cat":"Node","name":"x_kernel_time","ts":"no","dur":-3,"args":7},)" +
                           node("a", 0, 5) + "[],null," + run(10));
  ASSERT_TRUE(layers);
  ASSERT_THAT(*layers, SizeIs(2));
  EXPECT_THAT(layers->at(0).self_s + layers->at(1).self_s, DoubleNear(5e-6, picosecond));
}

}  // namespace
}  // namespace neph::engine::onnxruntime_plugin
