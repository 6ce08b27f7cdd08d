#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/models_for_tests.hpp"

namespace neph::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Load, ReportsPortsAsTheModelHasThem) {
  const auto open = load("conv.onnx");
  ASSERT_EQ(open->inputs().size(), 1U);
  EXPECT_EQ(open->inputs()[0].name, "picture");
  EXPECT_EQ(open->inputs()[0].element, Element::f32);
  EXPECT_THAT(open->inputs()[0].shape, ElementsAre(-1, 3, 8, 8));
  EXPECT_EQ(open->inputs()[0].bytes(), 0U);
  EXPECT_EQ(open->outputs()[0].name, "scores");
  EXPECT_THAT(open->outputs()[0].shape, ElementsAre(-1, 5));

  EXPECT_THAT(load("conv3.onnx")->inputs()[0].shape, ElementsAre(3, 3, 8, 8));
  EXPECT_EQ(load("conv3.onnx")->inputs()[0].bytes(), 3U * 3 * 8 * 8 * 4);
  EXPECT_THAT(load("conv.pb")->inputs()[0].shape, ElementsAre(-1, 8, 8, 3))
      << "TensorFlow keeps channels last";
  EXPECT_THAT(load("open_side.onnx")->inputs()[0].shape, ElementsAre(-1, 3, -1, -1));
  EXPECT_THAT(load("quantised.onnx")->inputs()[0].shape, ElementsAre(-1, 64))
      << "rank 2 is reported, not hidden";
  EXPECT_EQ(load("fussy.onnx")->inputs()[1].element, Element::i64);
}

TEST(Load, CallsTensorsWhatTheFileCallsThem) {
  const auto names = [](const std::string& file) {
    const auto model = load(file);
    return model->inputs()[0].name + " " + model->outputs()[0].name;
  };
  EXPECT_EQ(names("aliases.onnx"), "z:0 out");
  EXPECT_EQ(names("conv.pb"), "picture:0 Identity:0");
  EXPECT_EQ(names("conv.tflite"), "serving_default_picture:0 StatefulPartitionedCall:0");
  EXPECT_EQ(names("conv_saved"), "picture output_0");
  const auto session = compile("aliases.onnx");
  EXPECT_EQ(session->inputs()[0].name + " " + session->outputs()[0].name, "z:0 out");
}

class Format : public testing::TestWithParam<const char*> {};

TEST_P(Format, AnswersAsOpenVinoFromPythonDoes) {
  const std::string name = GetParam();
  auto input = numbers(name + ".in");
  const auto expected = numbers(name + ".out");
  const auto session = compile(name, {.batch = 2});
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->inputs()[0].shape[0], 2);
  std::vector<float> output(expected.size());
  const auto request = request_of(*session);
  bind(*request, input, output);
  const auto status = request->infer();
  ASSERT_TRUE(status) << status.error().message;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(output[i], expected[i], 1e-5) << name << " " << i;
}

INSTANTIATE_TEST_SUITE_P(Load, Format,
                         testing::Values("conv.onnx", "conv.xml", "conv.pb", "conv.tflite", "conv_saved"));

struct Fault {
  const char* file;
  ErrorCode code;
  const char* says;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.file; }

class BadModel : public testing::TestWithParam<Fault> {};

TEST_P(BadModel, GetsOneClearLine) {
  const auto& fault = GetParam();
  testing::internal::CaptureStderr();
  const auto model = tested_engine().load(model_path(fault.file));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the runtime must not talk";
  ASSERT_FALSE(model);
  const auto message = model.error().text();
  EXPECT_EQ(to_string(model.error().code), to_string(fault.code)) << message;
  EXPECT_THAT(message, HasSubstr(fault.says));
  EXPECT_THAT(message, HasSubstr(model_path(fault.file)));
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.find("src/"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Load, BadModel,
    testing::Values(Fault{"missing.onnx", ErrorCode::not_found, "does not exist"},
                    Fault{"missing.xml", ErrorCode::not_found, "does not exist"},
                    Fault{"conv.onnx/inside.onnx", ErrorCode::not_found, "Not a directory"},
                    Fault{"empty.onnx", ErrorCode::corrupt, "is empty"},
                    Fault{"empty.xml", ErrorCode::corrupt, "is empty"},
                    Fault{"empty.pb", ErrorCode::corrupt, "is empty"},
                    Fault{"empty.tflite", ErrorCode::corrupt, "is empty"},
                    Fault{"cut.onnx", ErrorCode::corrupt, "is cut short"},
                    Fault{"cut.pb", ErrorCode::corrupt, "is cut short"},
                    Fault{"cut.tflite", ErrorCode::corrupt, "corrupted or malformed"},
                    Fault{"cut.xml", ErrorCode::corrupt, "Error parsing"},
                    Fault{"text.onnx", ErrorCode::corrupt, "is not an ONNX model"},
                    Fault{"text.xml", ErrorCode::corrupt, "is not an OpenVINO model"},
                    Fault{"text.pb", ErrorCode::corrupt, "is not a frozen TensorFlow model"},
                    Fault{"text.tflite", ErrorCode::corrupt, "is not a TensorFlow Lite model"},
                    Fault{"noise.onnx", ErrorCode::corrupt, "is not an ONNX model"},
                    Fault{"noise.pb", ErrorCode::corrupt, "is not a frozen TensorFlow model"},
                    Fault{"noise.tflite", ErrorCode::corrupt, "is not a TensorFlow Lite model"},
                    Fault{"folder.onnx", ErrorCode::corrupt, "is a folder without saved_model.pb"},
                    Fault{"conv.h5", ErrorCode::unsupported, "it reads .onnx"},
                    Fault{"lonely.xml", ErrorCode::not_found, "lonely.bin"},
                    Fault{"short.xml", ErrorCode::corrupt, "short.bin"},
                    Fault{"no_such_operator.onnx", ErrorCode::unsupported, "operator com.example.Frobnicate"},
                    Fault{"words.onnx", ErrorCode::unsupported, "'x' holds elements of type string"},
                    Fault{"wrong_shape.onnx", ErrorCode::corrupt, "channel count (5)"}));

TEST(Load, ModelThatMayNotBeReadIsUnavailable) {
  const auto path = model_path("secret.onnx");
  std::filesystem::copy_file(model_path("conv.onnx"), path);
  std::filesystem::permissions(path, std::filesystem::perms(0));
  const auto user = ::geteuid();
  tested_engine();                                    // loaded before, with all rights
  ASSERT_EQ(::seteuid(user == 0 ? 65534 : user), 0);  // root may read everything
  const auto model = tested_engine().load(path);
  ASSERT_EQ(::seteuid(user), 0);
  ASSERT_FALSE(model);
  EXPECT_EQ(to_string(model.error().code), "unavailable");
  EXPECT_THAT(model.error().message, HasSubstr("secret.onnx"));
}

TEST(Load, OwnedWeightsStayWhenTheirFileChanges) {
  expect_own_weights("added_beside.onnx", "added.data");
  expect_own_weights("added.xml", "added.bin");
}

}  // namespace
}  // namespace neph::engine
