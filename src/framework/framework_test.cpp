#include "framework/framework.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <unistd.h>

#include "framework/writers.hpp"

namespace neph::framework {
namespace {

/// A network by name, as its file has it.
Model model_of(const std::string& name, const net::BuildOptions& options = {}) {
  const auto path = testing::TempDir() + fmt::format("framework_test-{}-{}.onnx", name, ::getpid());
  const auto network = net::build(name, options);
  EXPECT_TRUE(network && net::write_onnx(*network, 1, path));
  auto model = read_model(path);
  std::filesystem::remove(path);
  EXPECT_TRUE(model) << model.error().text();
  return *model;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const data::Array& named(const std::vector<data::Array>& arrays, std::string_view name) {
  const auto found = std::ranges::find(arrays, name, &data::Array::name);
  EXPECT_NE(found, arrays.end()) << name;
  return *found;
}

float value(const data::Array& array, std::size_t i) {
  float number = 0;
  std::memcpy(&number, array.bytes.data() + i * sizeof number, sizeof number);
  return number;
}

TEST(PyTorch, NormalisesFeaturesAndImagesByTheirOwnLayers) {
  const auto text = pytorch_network(model_of("profet-alexnet").layers);
  EXPECT_TRUE(has(text, "nn.BatchNorm1d(") && has(text, "nn.BatchNorm2d(")) << text;
}

TEST(PyTorch, IsWrittenAsItsUsersDo) {
  EXPECT_EQ(pytorch_network(model_of("mnist-cnn").layers), R"(class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.dense1 = nn.Linear(9216, 128)
        self.dropout_dense1 = nn.Dropout(0.5)
        self.dense2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = torch.flatten(self.dropout1(x), 1)
        x = F.relu(self.dense1(x))
        x = self.dropout_dense1(x)
        return self.dense2(x)
)");
}

TEST(Keras, IsWrittenAsItsUsersDo) {
  EXPECT_EQ(keras_network(model_of("mnist-cnn").layers, false), R"(def network():
    inputs = x = keras.Input((28, 28, 1))
    x = layers.Conv2D(32, 3, activation="relu", name="conv1")(x)
    x = layers.Conv2D(64, 3, activation="relu", name="conv2")(x)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Dropout(0.25)(x)
    x = layers.Flatten()(x)
    x = layers.Dense(128, activation="relu", name="dense1")(x)
    x = layers.Dropout(0.5)(x)
    return keras.Model(inputs, layers.Dense(10, name="dense2")(x))
)");
}

TEST(Statements, KeepWhatALaterLayerReads) {
  const auto model = model_of("resnet18", {.side = 64});
  const auto pytorch = pytorch_network(model.layers);
  EXPECT_TRUE(has(pytorch,
                  "        block = F.max_pool2d(x, 3, stride=2, padding=1)\n"
                  "        x = F.relu(self.layer1_0_bn1(self.layer1_0_conv1(block)))\n"
                  "        x = self.layer1_0_bn2(self.layer1_0_conv2(x))\n"
                  "        block = F.relu(x + block)\n"));
  EXPECT_TRUE(has(pytorch,
                  "        branch = self.layer2_0_bn2(self.layer2_0_conv2(x))\n"
                  "        x = self.layer2_0_downsample_1(self.layer2_0_downsample_0(block))\n"
                  "        block = F.relu(branch + x)\n"));
  const auto keras = keras_network(model.layers, false);
  EXPECT_TRUE(has(
      keras, "layers.Conv2D(64, 7, strides=2, use_bias=False, name=\"conv1\")(layers.ZeroPadding2D(3)(x))"));
  EXPECT_TRUE(has(keras, "ops.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], constant_values=-math.inf)"));
  EXPECT_TRUE(has(keras, "layers.Add()([branch, x])"));
}

TEST(Layers, OfAllKnownNetworksAreWritten) {
  for (const auto& known : net::known_networks()) {
    net::BuildOptions small{.classes = 10};
    if (known.side >= 224) small.side = known.side >= 299 ? 96 : 64;
    if (known.layers > 0) small = {.layers = 1, .seq = 50, .width = 8};
    const auto model = model_of(known.name, small);
    for (const bool channels_first : {false, true})
      EXPECT_TRUE(has(keras_network(model.layers, channels_first), "return keras.Model(")) << known.name;
    EXPECT_TRUE(has(pytorch_network(model.layers), "        return ")) << known.name;
    for (const auto framework : {Framework::pytorch, Framework::keras_tensorflow, Framework::keras_jax})
      EXPECT_TRUE(check(model, {.framework = framework})) << known.name;
  }
}

TEST(Weights, AreLaidOutForTheFramework) {
  const auto model = model_of("mnist-cnn");
  const auto& kernel = model.program.tensors.at("conv2.weight");
  const auto& dense = model.program.tensors.at("dense1.weight");
  const auto pytorch = pytorch_weights(model);
  EXPECT_EQ(named(pytorch, "conv2.weight").shape, (std::vector<std::int64_t>{64, 32, 3, 3}));
  EXPECT_EQ(value(named(pytorch, "dense1.weight"), 7), dense.floats[7]);
  const auto keras = keras_weights(model, false);
  const auto& conv = named(keras, "conv2.0");
  EXPECT_EQ(conv.shape, (std::vector<std::int64_t>{3, 3, 32, 64}));
  // [row 2, column 1, channel 5, filter 9] of Keras' is [filter 9, channel 5, row 2, column 1] of ONNX's
  EXPECT_EQ(value(conv, ((2 * 3 + 1) * 32 + 5) * 64 + 9), kernel.floats[((9 * 32 + 5) * 3 + 2) * 3 + 1]);
  // channel 3, row 4, column 5 of the 64 x 12 x 12 that are flattened, for unit 6
  EXPECT_EQ(value(named(keras, "dense1.0"), ((4 * 12 + 5) * 64 + 3) * 128 + 6),
            dense.floats[6 * 9216 + (3 * 12 + 4) * 12 + 5]);
  EXPECT_EQ(value(named(keras_weights(model, true), "dense1.0"), ((3 * 12 + 4) * 12 + 5) * 128 + 6),
            dense.floats[6 * 9216 + (3 * 12 + 4) * 12 + 5]);
}

TEST(Script, HasNoTextOfOthersButInQuotes) {
  auto model = model_of("mnist");
  const std::string hostile = "a\"\n__import__('os').abort()\n\"'''\\";
  const Settings settings{
      .title = hostile, .data = hostile, .weights = hostile, .save = hostile, .device = hostile};
  for (const auto framework : {Framework::pytorch, Framework::keras_jax}) {
    auto of_framework = settings;
    of_framework.framework = framework;
    const auto text = script(model, of_framework);
    EXPECT_FALSE(has(text, "\n__import__"));
    EXPECT_TRUE(has(text, R"(DATA = "a\"\n__import__('os').abort()\n\"'''\\")"));
  }
}

TEST(Script, SaysWhatAFrameworkDoesNotHave) {
  const auto model = model_of("mnist");
  const auto refusal = [&](const Settings& settings) {
    const auto checked = check(model, settings);
    return checked ? std::string("none") : checked.error().message;
  };
  EXPECT_EQ(refusal({.framework = Framework::pytorch, .layout = Layout::nhwc}), "none");
  EXPECT_TRUE(has(refusal({.framework = Framework::keras_tensorflow, .layout = Layout::nchw}), "nchw"));
  EXPECT_EQ(refusal({.framework = Framework::keras_jax, .layout = Layout::nchw}), "none");
  EXPECT_TRUE(has(refusal({.framework = Framework::keras_jax, .fused_optimizer = Switch::on}), "fused"));
  EXPECT_TRUE(
      has(refusal({.framework = Framework::keras_torch, .optimizer = "sgd", .weight_decay = 0.1}), "sgd"));
}

TEST(Layers, RefuseAnOperatorByItsLayer) {
  auto model = model_of("mnist");
  model.program.nodes[1].op = "Gelu";
  model.program.nodes[1].name = "middle";
  const auto refused = layers_of(model.program, *net::build("mnist"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_TRUE(has(refused.error().message, "layer 'middle': Gelu"));
}

}  // namespace
}  // namespace neph::framework
