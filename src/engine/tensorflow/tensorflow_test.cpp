// TensorFlow from its plugin, on the models that the engines' tests share; the expected answers are
// OpenVINO's.
#include <algorithm>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/models_for_tests.hpp"
#include "engine/runtimes.hpp"

namespace neph::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// The environment with TensorFlow: $NEPH_ENGINE_PATH, $NEPH_FRAMEWORKS or .venv-frameworks.
bool find_tensorflow() {
  if (asked_environment().empty()) {
    const char* const given = std::getenv("NEPH_FRAMEWORKS");
    look_also_in(given != nullptr ? given : ".venv-frameworks");
  }
  return std::ranges::any_of(package_folders(asked_environment()), [](const fs::path& packages) {
    return fs::exists(packages / "tensorflow/libtensorflow_cc.so.2");
  });
}

class TensorFlow : public testing::Test {
 protected:
  void SetUp() override {
    static const bool found = find_tensorflow();
    if (!found)
      GTEST_SKIP() << "no TensorFlow in $NEPH_FRAMEWORKS or .venv-frameworks; ./dev setup frameworks";
  }
};

void expect_near(const std::vector<float>& answers, const std::vector<float>& expected) {
  ASSERT_EQ(answers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(answers[i], expected[i], 1e-5) << i;
}

std::string refusal(const std::string& name, const Options& options) {
  const auto session = load(name)->compile(options);
  return session ? "it was compiled" : session.error().text();
}

TEST_F(TensorFlow, AnswersAsOpenVinoDoes) {
  for (const auto* const name : {"conv_saved", "conv.pb"}) {
    const auto session = compile(name, {.batch = 2, .threads = 2});
    ASSERT_NE(session, nullptr) << name;
    EXPECT_THAT(session->inputs()[0].shape, ElementsAre(2, 8, 8, 3));
    EXPECT_THAT(session->outputs()[0].shape, ElementsAre(2, 5));
    EXPECT_THAT(session->facts().at("engine"), HasSubstr("tensorflow 2."));
    EXPECT_EQ(session->facts().at("threads"), "2");
    EXPECT_EQ(session->facts().at("device"), "CPU");
    auto input = numbers(std::string(name) + ".in");
    const auto expected = numbers(std::string(name) + ".out");
    std::vector<float> output(expected.size());
    const auto request = request_of(*session);
    bind(*request, input, output);
    const auto status = request->infer();
    ASSERT_TRUE(status) << status.error().message;
    expect_near(output, expected);
  }
}

TEST_F(TensorFlow, NamesPortsAsOpenVinoDoes) {
  EXPECT_EQ(load("conv_saved")->inputs()[0].name, "picture");
  EXPECT_EQ(load("conv.pb")->inputs()[0].name, "picture:0");
  EXPECT_EQ(load("conv.pb")->outputs()[0].name, "Identity:0");
  EXPECT_EQ(load("conv_saved/saved_model.pb")->outputs()[0].name, "output_0");
}

/// Memory is used in place where it is aligned; TensorFlow would copy other memory once.
TEST_F(TensorFlow, SeesNewInputInBoundMemory) {
  const auto session = compile("conv_saved", {.batch = 2});
  const auto input = numbers("conv_saved.in");
  const auto expected = numbers("conv_saved.out");
  std::vector<float> memory(input.size() + 32), output(expected.size());
  auto* const aligned = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) / 4 % 16;
  const auto request = request_of(*session);
  ASSERT_TRUE(request->bind_output(0, output.data(), output.size() * sizeof(float)));
  for (auto* const place : {aligned, aligned + 1}) {
    std::ranges::fill(memory, 0.0F);
    ASSERT_TRUE(request->bind_input(0, place, input.size() * sizeof(float)));
    ASSERT_TRUE(request->infer());
    std::ranges::copy(input, place);
    ASSERT_TRUE(request->infer());
    expect_near(output, expected);
    EXPECT_TRUE(std::equal(input.begin(), input.end(), place)) << "the input was written to";
  }
}

TEST_F(TensorFlow, RunsSideBySide) {
  const auto session = compile("conv.pb", {.batch = 2, .threads = 2, .streams = 2});
  EXPECT_EQ(session->optimal_requests(), 2);
  auto input = numbers("conv.pb.in");
  const auto expected = numbers("conv.pb.out");
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

TEST_F(TensorFlow, ThreadsHaveTheNameOfTheirRole) {
  const auto session = compile("conv.pb", {.batch = 2, .threads = 2});
  const auto request = request_of(*session);
  auto input = numbers("conv.pb.in");
  std::vector<float> output(10);
  bind(*request, input, output);
  ASSERT_TRUE(request->infer());
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    const auto name = read_file(task.path() / "comm");
    EXPECT_FALSE(name && name->starts_with("tf_")) << *name;
  }
}

TEST_F(TensorFlow, TakesOpenShapes) {
  const auto session = compile("conv_saved", {.batch = 0});
  ASSERT_TRUE(session->outputs()[0].is_open());
  auto input = numbers("conv_saved.in");
  const auto expected = numbers("conv_saved.out");
  const auto request = request_of(*session);
  for (const std::int64_t batch : {2, 1}) {
    const auto bound = request->bind_open_input(0, input.data(), std::vector<std::int64_t>{batch, 8, 8, 3});
    ASSERT_TRUE(bound) << bound.error().message;
    ASSERT_TRUE(request->infer());
    const auto output = request->open_output(0);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_THAT(output->shape, ElementsAre(batch, 5));
    const auto* const values = reinterpret_cast<const float*>(output->data);
    expect_near({values, values + 5 * batch}, {expected.begin(), expected.begin() + 5 * batch});
  }
}

TEST_F(TensorFlow, RefusesOptionsItDoesNotHave) {
  EXPECT_THAT(refusal("conv.pb", {.device = "cuda"}), HasSubstr("on CPUs only"));
  EXPECT_THAT(refusal("conv.pb", {.device = "tpu"}), HasSubstr("device 'tpu'"));
  EXPECT_THAT(refusal("conv.pb", {.provider = "cuda"}), HasSubstr("provider cuda"));
  EXPECT_THAT(refusal("conv.pb", {.precision = Precision::bf16}), HasSubstr("precision bf16"));
  EXPECT_THAT(refusal("conv.pb", {.pinning = Pinning::on}), HasSubstr("pinning on"));
  EXPECT_THAT(refusal("conv.pb", {.spinning = Spinning::off}), HasSubstr("spinning off"));
  EXPECT_THAT(refusal("conv.pb", {.shapes = {{"picture:0", {1, 8, 8, 4}}}}), HasSubstr("fixed in the file"));
}

TEST_F(TensorFlow, RefusesFilesThatAreNoModels) {
  const auto code_of = [](const std::string& name) {
    const auto model = tested_engine().load(model_path(name));
    EXPECT_FALSE(model) << name;
    if (model) return ErrorCode::internal;
    EXPECT_THAT(model.error().message, HasSubstr(name));
    return model.error().code;
  };
  EXPECT_EQ(code_of("cut.pb"), ErrorCode::corrupt);
  EXPECT_EQ(code_of("noise.pb"), ErrorCode::corrupt);
  EXPECT_EQ(code_of("text.pb"), ErrorCode::corrupt);
  EXPECT_EQ(code_of("empty.pb"), ErrorCode::unsupported);
  EXPECT_EQ(code_of("folder.onnx"), ErrorCode::not_found);
  EXPECT_EQ(code_of("conv.onnx"), ErrorCode::unsupported);
  EXPECT_EQ(code_of("not_there.pb"), ErrorCode::not_found);
}

TEST_F(TensorFlow, RefusesASavedModelWithoutItsVariables) {
  const auto folder = model_path("no_variables");
  fs::create_directories(folder);
  fs::copy(model_path("conv_saved/saved_model.pb"), folder, fs::copy_options::overwrite_existing);
  const auto model = tested_engine().load(folder);
  ASSERT_TRUE(model) << model.error().message;
  const auto session = (*model)->compile({});
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().text(), HasSubstr("no_variables: "));
}

}  // namespace
}  // namespace neph::engine
