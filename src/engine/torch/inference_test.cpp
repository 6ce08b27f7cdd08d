// Inference: the networks against OpenVINO, and what differs from the forward pass of a training.
#include <cstring>
#include <future>

#include "engine/torch/device.hpp"
#include "engine/torch/fixture_test.hpp"
#include "engine/torch/model.hpp"
#include "os/file.hpp"

namespace neph::engine::torch_plugin {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

namespace fs = std::filesystem;

/// A folder that goes with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("neph-torch-{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The network, as small as it can be built: the first of these sides that all of its layers fit.
Result<net::Network> small(const std::string& name) {
  if (name == "deepspeech2") return net::build(name, {.layers = 1, .seq = 20, .width = 16});
  for (const std::int64_t side : {32, 64, 96, 160}) {
    auto smaller = net::build(name, {.classes = 10, .side = side});
    if (smaller) return smaller;
  }
  return net::build(name, {});
}

std::unique_ptr<Model> loaded(const fs::path& file) {
  auto model = load_model(torch_library(), file);
  if (!model) ADD_FAILURE() << model.error().text();
  return model ? std::move(*model) : nullptr;
}

/// The first output of a model of one input.
Result<std::vector<float>> answer(Model& model, const Options& options, std::vector<float> input) {
  NEPH_TRY(const auto session, model.compile(options));
  NEPH_TRY(const auto request, session->make_request());
  std::vector<float> output(session->outputs()[0].bytes() / sizeof(float), 17);
  NEPH_CHECK(request->bind_input(0, input.data(), input.size() * sizeof(float)));
  NEPH_CHECK(request->bind_output(0, output.data(), output.size() * sizeof(float)));
  NEPH_CHECK(request->infer());
  return output;
}

struct Difference {
  double largest = 0;  ///< of the largest output
  std::int64_t same_class = 0;
};

Difference difference(const std::vector<float>& ours, const std::vector<float>& theirs, std::size_t rows) {
  Difference found;
  double size = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    found.largest = std::max(found.largest, std::abs(double{ours[i]} - double{theirs[i]}));
    size = std::max(size, std::abs(double{theirs[i]}));
  }
  found.largest /= size;
  const auto classes = ours.size() / rows;
  const auto best = [&](const std::vector<float>& scores, std::size_t row) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(row * classes);
    return std::max_element(begin, begin + static_cast<std::ptrdiff_t>(classes)) - begin;
  };
  for (std::size_t row = 0; row < rows; ++row) found.same_class += best(ours, row) == best(theirs, row);
  return found;
}

class Networks : public ::testing::TestWithParam<std::string> {};

/// Torch and OpenVINO sum in other orders: 1e-4 of the largest output is a hundred times what was seen.
TEST_P(Networks, AnswerAsOpenVinoDoes) {
  // Deeper ones of the same layers: minutes. They run where NEPH_TEST_ALL is set.
  for (const std::string_view deep :
       {"resnet101", "resnet152", "vgg13", "vgg16", "vgg19", "inceptionresnetv2", "profet-alexnet",
        "profet-resnet34", "profet-resnet50"})
    if (GetParam() == deep && std::getenv("NEPH_TEST_ALL") == nullptr) GTEST_SKIP() << "set NEPH_TEST_ALL";
  constexpr std::int64_t batch = 3;
  const Folder folder;
  const auto network = small(GetParam());
  ASSERT_TRUE(network) << network.error().text();
  ASSERT_TRUE(net::write_onnx(*network, 5, folder / "net.onnx"));
  const auto ours = loaded(folder / "net.onnx");
  Registry registry({fs::path(std::getenv("NEPH_BUILD")) / "bin/engines"});
  const auto openvino = registry.open("openvino");
  ASSERT_TRUE(openvino) << openvino.error().text();
  const auto theirs = (*openvino)->load(folder / "net.onnx");
  ASSERT_TRUE(theirs) << theirs.error().text();

  Sizes shape = ours->inputs()[0].shape;
  shape[0] = batch;
  const auto input = random_floats(product(shape), 9);
  const auto mine = answer(*ours, {.device = test_device(), .batch = batch, .threads = 2}, input);
  const auto wanted = answer(**theirs, {.batch = batch, .threads = 2}, input);
  if (!wanted) {  // deepspeech2, whose batch is its second dimension
    ASSERT_FALSE(mine);
    EXPECT_EQ(mine.error().code, wanted.error().code);
    EXPECT_THAT(mine.error().message, HasSubstr("whose first dimension is not the batch"));
    return;
  }
  ASSERT_TRUE(mine) << mine.error().text();
  const auto found = difference(*mine, *wanted, batch);
  RecordProperty("largest_relative_difference", fmt::format("{:.2e}", found.largest));
  EXPECT_LT(found.largest, 1e-4);
  EXPECT_EQ(found.same_class, batch);
}

INSTANTIATE_TEST_SUITE_P(All, Networks, ::testing::ValuesIn(net::known_names()), [](const auto& network) {
  std::string name = network.param;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

/// What a program gives for `input`, planned for inference.
std::vector<float> computed(const net::Program& program, const std::vector<float>& input) {
  const auto ops = test_ops();
  const auto simple = simplify_for_inference(program);
  Uploaded uploaded;
  auto plan = make_inference_plan(simple, ops, {}, {program.inputs[0].shape}, uploaded);
  if (!plan) {
    ADD_FAILURE() << plan.error().text();
    return {};
  }
  Pass pass(ops, plan->parameters, {});
  pass.begin(false, 0, plan->wanted.size());
  for (const auto& [slot, value] : plan->constants) pass.set(slot, value);
  const auto& sizes = program.inputs[0].shape;
  pass.set(0, ops.usual(ops.here(ops.wrap(input.data(), sizes, row_major(sizes)))));
  plan->forward(pass);
  return floats_of(ops, pass.value(plan->outputs[0]));
}

Written with_norm(const std::string& before) {
  Written written({2, 3, 5, 4});
  written.store("scale", {3}).store("bias", {3}).values("mean", {3}, {0.5F, -1, 2});
  written.values("variance", {3}, {1, 0.25F, 9});
  written.node("BatchNormalization", {before, "scale", "bias", "mean", "variance"}, "y",
               {{"epsilon", 0.01F}});
  return written;
}

TEST(Inference, NormsByTheRunningStatistics) {
  const auto written = with_norm("x");
  const auto input = random_floats(2 * 3 * 5 * 4, 4);
  const auto& tensors = static_cast<const net::Program&>(written).tensors;
  std::vector<float> expected;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const auto channel = i / 20 % 3;
    const auto of = [&](const char* name) { return double{tensors.at(name).floats[channel]}; };
    expected.push_back(static_cast<float>(
        (input[i] - of("mean")) / std::sqrt(of("variance") + 0.01) * of("scale") + of("bias")));
  }
  EXPECT_THAT(computed(written, input), Pointwise(FloatNear(1e-5F), expected));
}

/// The same convolution and norm, once with a second reader between them that keeps them apart.
TEST(Inference, PutsNormsIntoConvolutions) {
  for (const bool has_bias : {false, true}) {
    auto whole = with_norm("c");
    whole.store("w", {3, 3, 3, 3}).store("b", {3});
    auto& nodes = whole.program().nodes;
    nodes.insert(nodes.begin(), {.name = "conv",
                                 .op = "Conv",
                                 .inputs = has_bias ? std::vector<std::string>{"x", "w", "b"}
                                                    : std::vector<std::string>{"x", "w"},
                                 .outputs = {"c"},
                                 .attributes = {{"pads", Sizes{1, 1, 1, 1}}}});
    auto apart = whole;
    apart.program().outputs.push_back({.name = "c", .shape = {}});
    EXPECT_EQ(simplify_for_inference(whole).program.nodes.size(), 1);
    EXPECT_EQ(simplify_for_inference(apart).program.nodes.size(), 2);
    const auto input = random_floats(2 * 3 * 5 * 4, 4);
    EXPECT_THAT(computed(whole, input), Pointwise(FloatNear(1e-4F), computed(apart, input)));
  }
}

TEST(Inference, DropsNothing) {
  Written written({2, 3});
  written.values("ratio", {}, {0.9F}).node("Dropout", {"x", "ratio"}, "a").node("Tanh", {"a"}, "y");
  EXPECT_EQ(simplify_for_inference(written).program.nodes.size(), 1);
  const std::vector<float> input{-2, -1, 0, 1, 2, 3};
  std::vector<float> expected;
  for (const float x : input) expected.push_back(std::tanh(x));
  EXPECT_THAT(computed(written, input), Pointwise(FloatNear(1e-6F), expected));
  Written last({2, 3});  // as an output
  last.node("Dropout", {"x"}, "y");
  EXPECT_EQ(computed(last, input), input);
}

/// The last output, which a Gemm would give without the bias's first dimension.
TEST(Inference, KeepsTheDimensionsOfABias) {
  for (const auto& bias : {Sizes{3}, Sizes{1, 3}, Sizes{1, 1, 3}}) {
    Written written({2, 4});
    written.store("w", {4, 3}).store("b", bias);
    written.node("MatMul", {"x", "w"}, "t").node("Add", {"t", "b"}, "y");
    const auto simple = simplify_for_inference(written);
    Uploaded uploaded;
    const auto plan = make_inference_plan(simple, test_ops(), {}, {{2, 4}}, uploaded).value();
    EXPECT_EQ(plan.output_sizes[0], bias.size() == 3 ? (Sizes{1, 2, 3}) : (Sizes{2, 3}));
    EXPECT_EQ(plan.layers.size(), bias.size() == 1 ? 1 : 2);
  }
}

TEST(Inference, ClipsIntegersAtEachLimit) {
  const std::vector<float> input{-4, -1, 0, 1, 2, 7};
  for (const bool low : {false, true})
    for (const bool high : {false, true}) {
      Written written({2, 3});
      written.values("low", {}, {-1}).values("high", {}, {2});
      written.node("Cast", {"x"}, "i", {{"to", std::int64_t{7}}});
      written.node("Clip", {"i", low ? "low" : "", high ? "high" : ""}, "c");
      written.node("Div", {"c", "two"}, "h").integers("two", {2});  // of integers: an integer
      written.node("Cast", {"h"}, "y", {{"to", std::int64_t{1}}});
      std::vector<float> expected;
      for (const float x : input)
        expected.push_back(std::trunc(std::clamp(x, low ? -1.0F : -100.0F, high ? 2.0F : 100.0F) / 2));
      EXPECT_EQ(computed(written, input), expected) << low << high;
    }
}

TEST(Inference, ComputesShapesOnce) {
  Written written({2, 3, 4});
  written.integers("first", {0}).integers("rest", {-1});
  written.node("Shape", {"x"}, "s")
      .node("Gather", {"s", "first"}, "n")
      .node("Concat", {"n", "rest"}, "t", {{"axis", std::int64_t{0}}});
  written.node("Reshape", {"x", "t"}, "y");
  const auto ops = test_ops();
  const auto simple = simplify_for_inference(written);
  Uploaded uploaded;
  const auto plan = make_inference_plan(simple, ops, {}, {{2, 3, 4}}, uploaded).value();
  EXPECT_EQ(plan.layers.size(), 1);
  EXPECT_EQ(plan.output_sizes[0], (Sizes{2, 12}));
  EXPECT_TRUE(plan.constants.empty());
}

TEST(Inference, NamesTheOperatorThatItDoesNotKnow) {
  Written written({1, 4});
  written.node("Det", {"x"}, "y");
  Uploaded uploaded;
  const auto simple = simplify_for_inference(written);
  const auto plan = make_inference_plan(simple, test_ops(), {}, {{1, 4}}, uploaded);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::unsupported);
  EXPECT_EQ(plan.error().message,
            "operator Det (node 'y_node') does not run on engine torch: it is not known here");
}

/// A file of the small network of each kind of layer.
fs::path mnist_file(const Folder& folder) {
  EXPECT_TRUE(net::write_onnx(net::build("mnist-cnn").value(), 5, folder / "mnist.onnx"));
  return folder / "mnist.onnx";
}

TEST(Sessions, RefuseWhatTheyCannotDo) {
  const Folder folder;
  const auto model = loaded(mnist_file(folder));
  const auto refusal = [&](const Options& options) { return model->compile(options).error(); };
  EXPECT_EQ(refusal({.batch = -1}).code, ErrorCode::invalid_argument);
  EXPECT_EQ(refusal({.precision = Precision::i8}).code, ErrorCode::unsupported);
  EXPECT_EQ(refusal({.device = "GPU"}).code, ErrorCode::not_found);
  EXPECT_EQ(refusal({.threads = -1}).code, ErrorCode::invalid_argument);
  EXPECT_EQ(refusal({.batch = 1'000'000'000'000}).code, ErrorCode::invalid_argument);
  EXPECT_THAT(refusal({.pinning = Pinning::on}).message, HasSubstr("ties no threads"));
  EXPECT_THAT(refusal({.spinning = Spinning::off}).message, HasSubstr("OMP_WAIT_POLICY"));
  EXPECT_THAT(refusal({.batch = -1}).message, HasSubstr("mnist.onnx: "));

  const auto whole = read_file(folder / "mnist.onnx").value();
  ASSERT_TRUE(write_file(folder / "cut.onnx", whole.substr(0, whole.size() / 2)));
  EXPECT_EQ(load_model(torch_library(), folder / "cut.onnx").error().code, ErrorCode::corrupt);
  EXPECT_EQ(load_model(torch_library(), folder / "none.onnx").error().code, ErrorCode::not_found);
}

TEST(Sessions, SayWhatTheyUse) {
  const Folder folder;
  const auto model = loaded(mnist_file(folder));
  const auto session = model->compile({.batch = 2, .threads = 2, .streams = 2}).value();
  EXPECT_EQ(session->optimal_requests(), 2);
  EXPECT_EQ(session->facts().at("device"), "CPU");
  EXPECT_EQ(session->facts().at("threads"), "2");
  EXPECT_EQ(session->facts().at("streams"), "2");
  EXPECT_THAT(session->facts().at("engine"), HasSubstr("torch 2."));
  EXPECT_EQ(session->inputs()[0].shape, (Sizes{2, 1, 28, 28}));
  EXPECT_EQ(session->outputs()[0].shape, (Sizes{2, 10}));
}

TEST(Sessions, ComputeInBf16WhereTheProcessorDoes) {
  const auto places = find_places(torch_library());
  const auto& precisions = places[0].device.precisions;
  if (std::ranges::find(precisions, Precision::bf16) == precisions.end())
    GTEST_SKIP() << "this processor has no bf16";
  const Folder folder;
  const auto model = loaded(mnist_file(folder));
  const auto input = random_floats(4 * 28 * 28, 2);
  const auto exact = answer(*model, {.device = test_device(), .batch = 4}, input).value();
  const auto rounded =
      answer(*model, {.device = test_device(), .precision = Precision::bf16, .batch = 4}, input).value();
  EXPECT_LT(difference(rounded, exact, 4).largest, 0.03);
  EXPECT_GT(difference(rounded, exact, 4).largest, 1e-5);  // they are other products
}

TEST(Requests, GiveTheSameSideBySide) {
  const Folder folder;
  const auto model = loaded(mnist_file(folder));
  const auto input = random_floats(28 * 28, 2);
  const auto expected = answer(*model, {.device = test_device(), .batch = 1, .threads = 1}, input).value();
  const auto session =
      model->compile({.device = test_device(), .batch = 1, .threads = 2, .streams = 2}).value();
  constexpr std::size_t count = 4;
  std::vector<std::vector<float>> inputs(count, input);
  std::vector<std::vector<float>> outputs(count, std::vector<float>(10));
  std::vector<std::unique_ptr<Request>> requests;
  for (std::size_t i = 0; i < count; ++i) {
    requests.push_back(session->make_request().value());
    ASSERT_TRUE(requests[i]->bind_input(0, inputs[i].data(), input.size() * sizeof(float)));
    ASSERT_TRUE(requests[i]->bind_output(0, outputs[i].data(), 10 * sizeof(float)));
  }
  for (int round = 0; round < 20; ++round) {
    std::vector<std::promise<Status>> done(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::ranges::fill(outputs[i], 0.0F);
      ASSERT_TRUE(requests[i]->start([&, i](const Status& status) { done[i].set_value(status); }));
    }
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(done[i].get_future().get());
      EXPECT_EQ(outputs[i], expected);
      EXPECT_EQ(inputs[i], input);
    }
  }
}

TEST(Requests, TakeShapesThatStayOpen) {
  const Folder folder;
  const auto model = loaded(mnist_file(folder));
  const auto session = model->compile({.device = test_device(), .batch = 0}).value();
  ASSERT_TRUE(session->outputs()[0].is_open());
  const auto request = session->make_request().value();
  EXPECT_FALSE(request->open_output(0));
  for (const std::int64_t rows : {2, 5, 5, 1}) {
    auto input = random_floats(rows * 28 * 28, 3);
    ASSERT_TRUE(request->bind_open_input(0, input.data(), Sizes{rows, 1, 28, 28}));
    ASSERT_TRUE(request->infer());
    const auto output = request->open_output(0).value();
    EXPECT_EQ(output.shape, (Sizes{rows, 10}));
    const auto* scores = reinterpret_cast<const float*>(output.data);
    EXPECT_THAT(
        std::vector<float>(scores, scores + rows * 10),
        Pointwise(FloatNear(1e-5F), answer(*model, {.device = test_device(), .batch = rows}, input).value()));
  }
  std::vector<float> input(28 * 28);
  EXPECT_EQ(request->bind_open_input(0, input.data(), Sizes{1, 3, 28, 28}).error().code,
            ErrorCode::invalid_argument);
}

TEST(Requests, AreBoundBeforeTheyRun) {
  const Folder folder;
  const auto model = loaded(mnist_file(folder));
  const auto session = model->compile({.device = test_device(), .batch = 1}).value();
  const auto request = session->make_request().value();
  EXPECT_THAT(request->infer().error().message, HasSubstr("bind all of them first"));
  std::vector<float> input(28 * 28);
  EXPECT_EQ(request->bind_input(0, input.data(), 4).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(request->bind_input(1, input.data(), 4).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace neph::engine::torch_plugin
