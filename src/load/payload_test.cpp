#include "load/payload.hpp"

#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>

#include "os/file.hpp"

namespace neph::load {
namespace {

using testing::HasSubstr;

wire::ModelMetadata model(std::vector<wire::TensorMetadata> inputs) {
  return {.name = "m", .inputs = std::move(inputs)};
}

std::string fault(const wire::ModelMetadata& metadata, const PayloadOptions& options) {
  const auto made = Payload::make(metadata, options);
  return made ? "" : made.error().text();
}

TEST(Payload, MakesEveryTypeOfTheRightSize) {
  std::vector<wire::TensorMetadata> inputs;
  for (const auto& [type, name] : enum_names(wire::DataType{}))
    inputs.push_back({std::string(name), std::string(name), {-1, 5}});
  const auto payload = Payload::make(model(inputs), {.batch = 3, .distinct = 4});
  ASSERT_TRUE(payload) << payload.error().message;
  ASSERT_EQ(payload->requests().size(), 4U);
  for (const auto& request : payload->requests())
    for (const auto& tensor : request.inputs) EXPECT_TRUE(wire::check_tensor(tensor)) << tensor.name;
}

TEST(Payload, RandomRequestsDifferAndTheirSeedRepeatsThem) {
  const auto metadata = model({{"x", "FP32", {-1, 100}}});
  const auto a = *Payload::make(metadata, {.distinct = 2, .seed = 5});
  const auto b = *Payload::make(metadata, {.distinct = 2, .seed = 5});
  const auto same = [](const wire::InferRequest& x, const wire::InferRequest& y) {
    return std::memcmp(x.inputs[0].data.data(), y.inputs[0].data.data(), 400) == 0;
  };
  EXPECT_TRUE(same(a.requests()[0], b.requests()[0]));
  EXPECT_FALSE(same(a.requests()[0], a.requests()[1]));
}

TEST(Payload, AsksForSizesThatTheModelLeavesOpen) {
  const auto metadata = model({{"image", "FP32", {-1, 3, -1, -1}}});
  EXPECT_THAT(fault(metadata, {}), HasSubstr("--shape"));
  EXPECT_EQ(fault(metadata, {.shape = "3x224x224"}), "");
  EXPECT_EQ(fault(metadata, {.shape = "image:3x8x8"}), "");
  EXPECT_THAT(fault(metadata, {.shape = "4x8x8"}), HasSubstr("--shape says 4 for 3"));
  EXPECT_THAT(fault(metadata, {.shape = "3x8"}), HasSubstr("gives it 2 sizes"));
  EXPECT_THAT(fault(metadata, {.shape = "3x8xq"}), HasSubstr("is no shape of an input"));
  EXPECT_EQ(Payload::make(metadata, {.batch = 2, .shape = "3x4x4"})->bytes(), 2U * 3 * 4 * 4 * 4);
  EXPECT_THAT(fault(metadata, {.batch = 2, .shape = "5x3x4x4"}),
              HasSubstr("--shape gives it a batch of 5 and --batch one of 2"));
  EXPECT_EQ(Payload::make(metadata, {.batch = 5, .shape = "5x3x4x4"})->bytes(), 5U * 3 * 4 * 4 * 4);
  EXPECT_THAT(fault(model({{"x", "FP32", {4}}}), {.batch = 2}), HasSubstr("no batch dimension"));
  EXPECT_THAT(fault(metadata, {.shape = "3x9000000x9000000"}), HasSubstr("too large"));
  EXPECT_THAT(fault(model({{"x", "FP8", {4}}}), {}), HasSubstr("of type FP8"));
  const auto two = model({{"a", "INT64", {-1, -1}}, {"b", "INT64", {-1, -1}}});
  EXPECT_EQ(fault(two, {.shape = "a:7;b:9"}), "");
  EXPECT_EQ(fault(two, {.shape = "a:7; b:9;"}), "");
  EXPECT_EQ(fault(two, {.shape = "a:7+b:9"}), "");
  EXPECT_THAT(fault(two, {}), HasSubstr("--shape a:1x128"));
  const auto like = Payload::make(two, {.shape = "a:1x9"});
  EXPECT_EQ(like->requests().front().inputs[1].shape, (wire::Shape{1, 9}));
  EXPECT_EQ(like->batch(), 1);
  EXPECT_EQ(Payload::make(two, {.shape = "a:6x9"})->batch(), 6) << "as --batch 6 with --shape a:9";
  EXPECT_EQ(Payload::make(two, {.batch = 6, .shape = "a:9"})->batch(), 6);
  EXPECT_EQ(fault(two, {.shape = "a:7;nosuch:8"}),
            "--shape: unknown input 'nosuch' in the model; known: a, b");
  EXPECT_THAT(fault(two, {.shape = "7"}), HasSubstr("the model has 2 inputs (a, b); write NAME:7"));
  EXPECT_EQ(fault(model({{"input:0", "FP32", {-1, -1}}}), {.shape = "input:0:7"}), "");
}

class PayloadOfFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "load-payload-test";
    std::filesystem::create_directories(folder_);
    ASSERT_TRUE(write_file(folder_ / "b.jpg", "second"));
    ASSERT_TRUE(write_file(folder_ / "a.jpg", "1st"));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(PayloadOfFiles, AreElementsOfBytesAsTheyLie) {
  const auto payload =
      *Payload::make(model({{"image", "BYTES", {-1, 1}}}), {.batch = 2, .input = folder_.string()});
  ASSERT_EQ(payload.requests().size(), 2U);
  std::vector<std::string> elements;
  wire::for_each_bytes(payload.requests()[0].inputs[0].data, [&](auto bytes) {
    elements.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  EXPECT_THAT(elements, testing::ElementsAre("1st", "1st"));
}

TEST_F(PayloadOfFiles, OrAllBytesOfATensor) {
  const auto metadata = model({{"x", "UINT8", {-1, 3}}});
  const auto path = (folder_ / "a.jpg").string();
  EXPECT_EQ(Payload::make(metadata, {.batch = 4, .input = path})->bytes(), 12U);
  EXPECT_THAT(fault(metadata, {.input = (folder_ / "b.jpg").string()}),
              HasSubstr("6 bytes; the input 'x' has 3"));
  EXPECT_THAT(fault(metadata, {.input = (folder_ / "c.jpg").string()}), HasSubstr("c.jpg"));
  ASSERT_TRUE(write_file(folder_ / "d.jpg", "\xff\xd8\xff\xe0 and so on"));
  EXPECT_THAT(fault(metadata, {.input = (folder_ / "d.jpg").string()}),
              HasSubstr("start the server with --payload jpeg"));
}

}  // namespace
}  // namespace neph::load
