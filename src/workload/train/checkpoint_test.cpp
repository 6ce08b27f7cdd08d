#include "workload/train/checkpoint.hpp"

#include <cstring>
#include <limits>

#include <gmock/gmock.h>

#include "core/json.hpp"

namespace neph::workload {
namespace {

using testing::HasSubstr;

struct Parts {
  Json header;
  std::string data;
};

/// Read as the format's document says.
Parts parts_of(const std::string& file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U) << "so that tensors are aligned";
  EXPECT_EQ(file[8], '{');
  return {Json::parse(file.substr(8, length)), file.substr(8 + length)};
}

TEST(Safetensors, HaveEachTensorWhereTheHeaderSays) {
  const Weights weights{{"b", {1.5F, -2}}, {"a.weight", {0, 1, 2, 3, 4, 5}}, {"none", {}}};
  const Shapes shapes{{"a.weight", {2, 3}}, {"none", {0, 7}}, {"of another", {5}}};
  const auto file = safetensors(weights, shapes);
  ASSERT_TRUE(file) << file.error().message;
  const auto [header, data] = parts_of(*file);
  EXPECT_EQ(header.size(), 4U);
  EXPECT_EQ(header["__metadata__"]["format"], "pt");
  EXPECT_EQ(header["a.weight"], Json::parse(R"({"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})"));
  EXPECT_EQ(header["b"], Json::parse(R"({"dtype":"F32","shape":[2],"data_offsets":[24,32]})"));
  EXPECT_EQ(header["none"], Json::parse(R"({"dtype":"F32","shape":[0,7],"data_offsets":[32,32]})"));
  ASSERT_EQ(data.size(), 32U);
  float b[2];
  std::memcpy(b, data.data() + 24, sizeof b);
  EXPECT_EQ(b[0], 1.5F);
  EXPECT_EQ(b[1], -2);
}

TEST(Safetensors, KeepNumbersThatAreNoneAndNamesOfAnyKind) {
  const auto file = safetensors({{"\"quoted\" \xC3\xA4\n", {std::numeric_limits<float>::quiet_NaN()}}}, {});
  ASSERT_TRUE(file);
  const auto [header, data] = parts_of(*file);
  EXPECT_TRUE(header.contains("\"quoted\" \xC3\xA4\n"));
  float value = 0;
  std::memcpy(&value, data.data(), sizeof value);
  EXPECT_NE(value, value);
}

TEST(Safetensors, OfNoWeightsAreAHeaderAlone) {
  const auto file = safetensors({}, {});
  ASSERT_TRUE(file);
  EXPECT_TRUE(parts_of(*file).data.empty());
}

TEST(Safetensors, RefuseAShapeOfOtherElements) {
  const auto file = safetensors({{"w", {1, 2, 3}}}, {{"w", {2, 2}}});
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("'w' has 3 elements, and its shape has 4"));
}

TEST(Checkpoint, IsRefusedByItsEndingBeforeAnythingIsTrained) {
  EXPECT_TRUE(check_checkpoint("a/b.safetensors"));
  EXPECT_TRUE(check_checkpoint("b.onnx"));
  for (const auto* path : {"b.pt", "b", "", ".onnx/b"}) {
    const auto checked = check_checkpoint(path);
    ASSERT_FALSE(checked) << path;
    EXPECT_EQ(checked.error().code, ErrorCode::invalid_argument);
  }
  const auto no_onnx = write_checkpoint("/nowhere/x.onnx", {}, {}, "m.identity");
  ASSERT_FALSE(no_onnx);
  EXPECT_EQ(no_onnx.error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace neph::workload
