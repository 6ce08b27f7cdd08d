// ONNX Runtime from its plugin, on the models that the engines' tests share; what they answer is OpenVINO's.
#include <algorithm>
#include <array>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/models_for_tests.hpp"

namespace neph::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void expect_near(const std::vector<float>& answers, const std::vector<float>& expected) {
  ASSERT_EQ(answers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(answers[i], expected[i], 1e-5) << i;
}

/// By every provider that this library has: of PyPI's onnxruntime one, of onnxruntime-openvino two.
TEST(OnnxRuntime, AnswersAsOpenVinoDoes) {
  const auto device = tested_engine().device("CPU");
  ASSERT_TRUE(device);
  for (const auto& provider : device->providers) {
    const auto session = compile("conv.onnx", {.provider = provider, .batch = 2});
    ASSERT_NE(session, nullptr) << provider;
    EXPECT_EQ(session->facts().at("provider"), provider);
    EXPECT_FALSE(session->facts().contains("fallback")) << session->facts().at("fallback");
    EXPECT_THAT(session->inputs()[0].shape, ElementsAre(2, 3, 8, 8));
    EXPECT_THAT(session->outputs()[0].shape, ElementsAre(2, 5));
    auto input = numbers("conv.onnx.in");
    const auto expected = numbers("conv.onnx.out");
    std::vector<float> output(expected.size());
    const auto request = request_of(*session);
    bind(*request, input, output);
    const auto status = request->infer();
    ASSERT_TRUE(status) << provider << ": " << status.error().message;
    expect_near(output, expected);
  }
}

TEST(OnnxRuntime, SaysWhatAProviderLeavesToTheProcessor) {
  const auto providers = tested_engine().device("CPU")->providers;
  if (std::ranges::find(providers, "openvino") == providers.end())
    GTEST_SKIP() << "this library has one provider: NEPH_ENGINE_PATH with package onnxruntime-openvino";
  const auto fallback = [](const char* name) {
    return compile(name, {.provider = "OpenVINOExecutionProvider", .batch = 1})->facts().at("fallback");
  };
  EXPECT_EQ(fallback("labels.onnx"), "1 of 1 nodes on cpu");
  EXPECT_EQ(fallback("labelled.onnx"), "1 of 2 nodes on cpu: LabelEncoder (by_name)");
}

TEST(OnnxRuntime, SeesNewInputInBoundMemory) {
  const auto session = compile("conv.onnx", {.batch = 2});
  const auto input = numbers("conv.onnx.in");
  const auto expected = numbers("conv.onnx.out");
  std::vector<float> memory(input.size()), output(expected.size());
  const auto request = request_of(*session);
  bind(*request, memory, output);
  ASSERT_TRUE(request->infer());
  memory = input;
  ASSERT_TRUE(request->infer());
  expect_near(output, expected);
}

TEST(OnnxRuntime, RunsSideBySide) {
  const auto session = compile("conv.onnx", {.batch = 2, .threads = 2, .streams = 2});
  EXPECT_EQ(session->optimal_requests(), 2);
  auto input = numbers("conv.onnx.in");
  const auto expected = numbers("conv.onnx.out");
  std::vector<std::vector<float>> outputs(4, std::vector<float>(expected.size()));
  std::vector<std::unique_ptr<Request>> requests;
  std::vector<std::promise<Status>> done(outputs.size());
  for (auto& output : outputs) {
    requests.push_back(request_of(*session));
    bind(*requests.back(), input, output);
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    ASSERT_TRUE(requests[i]->start([&, i](Status status) { done[i].set_value(std::move(status)); }));
  for (auto& each : done) EXPECT_TRUE(each.get_future().get());
  for (const auto& output : outputs) expect_near(output, expected);
}

TEST(OnnxRuntime, OfOpenShapesTakesWhatComes) {
  const auto session = compile("open_all.onnx", {.batch = 0});
  const auto request = request_of(*session);
  for (const std::int64_t width : {3, 1}) {
    std::vector<float> input(static_cast<std::size_t>(2 * width), -1.0F);
    input.back() = 1;
    ASSERT_TRUE(request->bind_open_input(0, input.data(), std::vector<std::int64_t>{2, width}));
    ASSERT_TRUE(request->infer());
    const auto output = request->open_output(0);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_THAT(output->shape, ElementsAre(2, 1));
    ASSERT_EQ(output->bytes, 16U);
    std::array<std::int64_t, 2> place{};
    std::memcpy(place.data(), output->data, output->bytes);
    EXPECT_EQ(place, (std::array<std::int64_t, 2>{1, width - 1}));
  }
}

/// Such an output is handed on after the inference, also of one that was started.
TEST(OnnxRuntime, LearnsAShapeThatOnlyComputingTells) {
  const auto session = compile("computed_shape.onnx", {.batch = 1});
  ASSERT_THAT(session->outputs()[0].shape, ElementsAre(2, 3));
  std::vector<float> input{1, 2, 3, 4, 5, 6}, output(6);
  const auto request = request_of(*session);
  bind(*request, input, output);
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(output, input);
  output.assign(6, 0);
  std::promise<Status> done;
  ASSERT_TRUE(request->start([&](Status status) { done.set_value(std::move(status)); }));
  const auto status = done.get_future().get();
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(output, input);
}

class OpenOutputs : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, OpenOutputs, testing::Values("places.onnx", "loud_places.onnx"));

TEST_P(OpenOutputs, AreThoseWhoseShapeTheNumbersDecide) {
  const auto session = compile(GetParam(), {.batch = 1});
  ASSERT_THAT(session->outputs()[0].shape, ElementsAre(2, -1));
  const auto request = request_of(*session);
  for (const std::int64_t ones : {1, 3}) {
    std::vector<float> input(4, 0);
    std::fill_n(input.begin(), ones, 2.0F);
    ASSERT_TRUE(request->bind_input(0, input.data(), 16));
    ASSERT_TRUE(request->infer());
    EXPECT_THAT(request->open_output(0).value().shape, ElementsAre(2, ones));
  }
}

TEST(OnnxRuntime, AnswersAnInputThatIsAnOutputToo) {
  const auto session = compile("twice.onnx", {.batch = 1});
  const auto request = request_of(*session);
  std::vector<float> input{-1, 2, -3, 4}, relu(4), same(4);
  bind(*request, input, relu);
  ASSERT_TRUE(request->bind_output(1, same.data(), 4 * sizeof(float)));
  for (const float first : {-1.0F, 7.0F}) {
    input[0] = first;
    ASSERT_TRUE(request->infer());
    EXPECT_THAT(same, ElementsAre(first, 2, -3, 4));
    EXPECT_FLOAT_EQ(relu[0], std::max(first, 0.0F));
  }
}

TEST(OnnxRuntime, PassesOtherElementsOn) {
  const auto session = compile("words_of_many.onnx", {.batch = 1});
  EXPECT_EQ(session->inputs()[0].element, Element::i64);
  std::array<std::int64_t, 2> ids{7, 49};
  std::vector<float> output(6);
  const auto request = request_of(*session);
  ASSERT_TRUE(request->bind_input(0, ids.data(), sizeof(ids)));
  ASSERT_TRUE(request->bind_output(0, output.data(), output.size() * sizeof(float)));
  ASSERT_TRUE(request->infer());
  EXPECT_NE(output, std::vector<float>(6));
  ids[1] = 50;
  const auto status = request->infer();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("indices element out of data bounds"));
  ids[1] = 49;
  EXPECT_TRUE(request->infer()) << "a failure leaves no trace";
}

struct Refused {
  const char* file;
  ErrorCode code;
  const char* reason;
};
class AtLoading : public testing::TestWithParam<Refused> {};

TEST_P(AtLoading, SaysWhy) {
  const auto model = tested_engine().load(model_path(GetParam().file));
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, GetParam().code) << model.error().text();
  EXPECT_THAT(model.error().message, HasSubstr(GetParam().reason));
  EXPECT_THAT(model.error().message, HasSubstr(GetParam().file));
  EXPECT_EQ(model.error().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Models, AtLoading,
    testing::Values(Refused{"nowhere.onnx", ErrorCode::not_found, "is not there"},
                    Refused{"empty.onnx", ErrorCode::corrupt, "it is empty"},
                    Refused{"cut.onnx", ErrorCode::corrupt, "cut short"},
                    Refused{"text.onnx", ErrorCode::corrupt, "no ONNX model"},
                    Refused{"noise.onnx", ErrorCode::corrupt, "no ONNX model"},
                    Refused{"no_such_operator.onnx", ErrorCode::unsupported, "com.example:Frobnicate"},
                    Refused{"no_such_step.onnx", ErrorCode::unsupported, "(\"frob\", Frobnicate"},
                    Refused{"from_later.onnx", ErrorCode::unsupported, "an older opset"},
                    Refused{"of_no_graph.onnx", ErrorCode::corrupt, "Node (by_dense)"},
                    Refused{"weights_gone.onnx", ErrorCode::not_found, "weights_gone.data"}));

TEST(OnnxRuntime, RefusesWhatItWouldNotDo) {
  const auto model = load("conv.onnx");
  EXPECT_EQ(model->compile({.device = "TPU"}).error().code, ErrorCode::not_found);
  EXPECT_EQ(model->compile({.precision = Precision::bf16}).error().code, ErrorCode::unsupported);
  EXPECT_EQ(model->compile({.pinning = Pinning::on}).error().code, ErrorCode::unsupported);
  EXPECT_EQ(model->compile({.batch = -1}).error().code, ErrorCode::invalid_argument);
  const auto unknown = model->compile({.provider = "cdua"}).error();
  EXPECT_EQ(unknown.code, ErrorCode::not_found);
  EXPECT_THAT(unknown.text(), HasSubstr("did you mean 'cuda'?"));
  const auto absent = model->compile({.provider = "TensorrtExecutionProvider"}).error();
  EXPECT_EQ(absent.code, ErrorCode::unsupported);
  EXPECT_THAT(absent.text(), HasSubstr("package onnxruntime-gpu has it"));
}

TEST(OnnxRuntime, TellsTheThreadsThatItsStreamsReallyHave) {
  const auto threads = [](const Options& options) {
    return compile("conv.onnx", options)->facts().at("threads");
  };
  EXPECT_EQ(threads({.threads = 4, .streams = 2}), "4");
  EXPECT_EQ(threads({.threads = 3, .streams = 2}), "2") << "one each";
  EXPECT_EQ(threads({.threads = 1, .streams = 2}), "2") << "a stream has at least one";
}

TEST(OnnxRuntime, HasItsThreadsWaitAsItIsTold) {
  const auto spinning = [](const Options& options) {
    const auto session = compile("conv.onnx", options);
    const auto found = session->facts().find("spinning");
    return found == session->facts().end() ? std::string() : found->second;
  };
  EXPECT_EQ(spinning({.threads = 2}), "on") << "as ONNX Runtime does by itself";
  EXPECT_EQ(spinning({.threads = 2, .spinning = Spinning::on}), "on");
  EXPECT_EQ(spinning({.threads = 2, .spinning = Spinning::off}), "off");
  EXPECT_EQ(spinning({.threads = 1, .spinning = Spinning::off}), "") << "one thread waits for no other";
}

TEST(OnnxRuntime, TellsItsProviders) {
  const auto device = tested_engine().device("CPU");
  ASSERT_TRUE(device);
  EXPECT_THAT(device->providers, testing::Contains("cpu"));
  for (const char* name : {"", "cpu", "CPU", "CPUExecutionProvider"}) {
    const auto session = compile("conv.onnx", {.provider = name});
    EXPECT_EQ(session->facts().at("provider"), "cpu");
    EXPECT_FALSE(session->facts().contains("fallback"));
  }
}

}  // namespace
}  // namespace neph::engine
