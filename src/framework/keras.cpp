// A network as a model of Keras' functional interface, and its weights as its layers have them.
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/ranges.h>

#include "framework/writers.hpp"

namespace neph::framework {
namespace {

bool is_depthwise(const Convolution& layer) { return layer.groups > 1 && layer.groups == layer.in; }

class Writer {
 public:
  Writer(const Layers& layers, bool channels_first) : layers_(layers), channels_first_(channels_first) {
    for (std::size_t i = 0; i + 1 < layers.all.size(); ++i)
      if (fuses(layers.all[i], layers.all[i + 1])) fused_.insert(&layers.all[i]);
  }

  std::string call(const Layer& layer, const std::vector<std::string>& arguments) {
    layer_ = &layer;
    arguments_ = &arguments;
    return std::visit([this](const auto& kind) { return write(kind); }, layer.kind);
  }

  /// The ReLU behind a layer that has it as its activation.
  bool is_written_before(const Layer& layer) const {
    return std::ranges::any_of(fused_,
                               [&](const Layer* before) { return before->output == layer.inputs[0]; });
  }

 private:
  bool fuses(const Layer& layer, const Layer& next) const {
    const bool is_alone = std::ranges::count_if(layers_.all, [&](const Layer& other) {
                            return std::ranges::count(other.inputs, layer.output) > 0;
                          }) == 1;
    const auto* activation = std::get_if<Activation>(&next.kind);
    return (std::holds_alternative<Convolution>(layer.kind) || std::holds_alternative<Dense>(layer.kind)) &&
           is_alone && next.inputs == std::vector{layer.output} && activation != nullptr &&
           activation->function == Activation::Function::relu;
  }

  const std::string& x() const { return arguments_->front(); }
  std::string made(const std::string& kind, std::string options, const std::string& argument) const {
    if (fused_.contains(layer_)) options += ", activation=\"relu\"";
    options += fmt::format(", name=\"{}\"", layer_->name);
    return fmt::format("layers.{}({})({})", kind, options.starts_with(", ") ? options.substr(2) : options,
                       argument);
  }

  std::string write(const Convolution& layer) const {
    const auto& window = layer.window;
    auto options = extent(window.kernel[0], window.kernel[1]);
    if (!is_depthwise(layer)) options = fmt::format("{}, {}", layer.out, options);
    if (window.strides[0] != 1 || window.strides[1] != 1)
      options += ", strides=" + extent(window.strides[0], window.strides[1]);
    const bool pads_itself = window.is_padded() && is_same(window);
    if (pads_itself) options += ", padding=\"same\"";
    if (window.dilations[0] != 1 || window.dilations[1] != 1)
      options += ", dilation_rate=" + extent(window.dilations[0], window.dilations[1]);
    if (is_depthwise(layer) && layer.out != layer.in)
      options += fmt::format(", depth_multiplier={}", layer.out / layer.in);
    if (!is_depthwise(layer) && layer.groups != 1) options += fmt::format(", groups={}", layer.groups);
    if (!layer.bias) options += ", use_bias=False";
    auto argument = x();
    if (window.is_padded() && !pads_itself)
      argument = fmt::format("layers.ZeroPadding2D({})({})", padding(window), x());
    return made(is_depthwise(layer) ? "DepthwiseConv2D" : "Conv2D", options, argument);
  }
  static std::string padding(const Sliding& window) {
    const auto& pads = window.pads;
    if (window.is_padded_alike()) return extent(pads[0], pads[1]);
    return fmt::format("(({}, {}), ({}, {}))", pads[0], pads[2], pads[1], pads[3]);
  }

  std::string write(const BatchNorm& layer) const {
    std::string options = channels_first_ && layers_.example.size() == 3 ? "axis=1, " : "";
    options += fmt::format("momentum={}, epsilon={}", number(layer.momentum), number(layer.epsilon));
    return made("BatchNormalization", options, x());
  }
  std::string write(const Activation& layer) const {
    using enum Activation::Function;
    if (is_written_before(*layer_)) return x();
    if (layer.function == relu) return fmt::format("layers.ReLU()({})", x());
    if (layer.function == clip) return fmt::format("layers.ReLU({})({})", number(layer.limit), x());
    return fmt::format("layers.Activation(\"{}\")({})", layer.function == tanh ? "tanh" : "sigmoid", x());
  }
  std::string write(const Dropout& layer) const {
    return fmt::format("layers.Dropout({})({})", number(layer.share), x());
  }
  std::string write(const Pooling& layer) const {
    const auto& window = layer.window;
    auto options = extent(window.kernel[0], window.kernel[1]);
    if (window.strides != window.kernel)
      options += ", strides=" + extent(window.strides[0], window.strides[1]);
    auto argument = x();
    if (window.is_padded() && is_same(window)) {
      options += ", padding=\"same\"";
    } else if (window.is_padded()) {  // of maximum pooling alone: check()
      auto rows = fmt::format("[{0}, {0}], [{1}, {1}]", window.pads[0], window.pads[1]);
      rows = channels_first_ ? "[0, 0], " + rows : rows + ", [0, 0]";
      argument = fmt::format("ops.pad({}, [[0, 0], {}], constant_values=-math.inf)", x(), rows);
    }
    return fmt::format("layers.{}Pooling2D({})({})", layer.is_maximum ? "Max" : "Average", options, argument);
  }
  std::string write(const GlobalAverage&) const {
    return fmt::format("layers.GlobalAveragePooling2D(keepdims=True)({})", x());
  }
  std::string write(const Sum&) const {
    return fmt::format("layers.Add()([{}])", fmt::join(*arguments_, ", "));
  }
  std::string write(const Concatenate&) const {
    return fmt::format("layers.Concatenate({})([{}])", channels_first_ ? "axis=1" : "",
                       fmt::join(*arguments_, ", "));
  }
  std::string write(const Flatten&) const { return fmt::format("layers.Flatten()({})", x()); }
  std::string write(const Dense& layer) const {
    return made("Dense", fmt::format("{}{}", layer.out, layer.bias ? "" : ", use_bias=False"), x());
  }
  std::string write(const Columns& layer) const {
    return fmt::format("layers.Reshape((-1, {}))(layers.Permute(({}))({}))", layer.features,
                       channels_first_ ? "3, 1, 2" : "2, 3, 1", x());
  }
  std::string write(const GatedRecurrent& layer) const {
    return made("Bidirectional",
                fmt::format("layers.GRU({}, return_sequences=True), merge_mode=\"sum\"", layer.width), x());
  }

  const Layers& layers_;
  const bool channels_first_;
  std::set<const Layer*> fused_;
  const Layer* layer_ = nullptr;
  const std::vector<std::string>* arguments_ = nullptr;
};

class Weights {
 public:
  Weights(const net::Program& program, bool channels_first)
      : program_(program), channels_first_(channels_first) {}

  void add(const Layer& layer) {
    layer_ = &layer;
    count_ = 0;
    std::visit([this](const auto& kind) { take(kind); }, layer.kind);
  }
  std::vector<data::Array> arrays;

 private:
  using Shape = std::vector<std::int64_t>;

  void take(const Convolution& layer) {
    const auto& weight = tensor(0);
    const auto& kernel = layer.window.kernel;
    if (is_depthwise(layer)) {  // [in · multiplier, 1, height, width] to [height, width, in, multiplier]
      const Shape shape{layer.in, layer.out / layer.in, kernel[0], kernel[1]};
      put({kernel[0], kernel[1], shape[0], shape[1]}, rearranged(weight.floats, shape, {2, 3, 0, 1}));
    } else {
      put({kernel[0], kernel[1], layer.in / layer.groups, layer.out},
          rearranged(weight.floats, weight.shape, {2, 3, 1, 0}));
    }
    if (layer.bias) put({layer.out}, tensor(1).floats);
  }
  void take(const BatchNorm& layer) {
    const auto found = flattened_.find(layer_->inputs[0]);
    for (std::size_t i = 0; i < 4; ++i)
      put({layer.features}, found == flattened_.end()
                                ? tensor(i).floats
                                : rearranged(tensor(i).floats, found->second, {1, 2, 0}));
    pass_on();
  }
  /// What an image was flattened from is in another order where its channels are last.
  void take(const Flatten& layer) {
    if (layer.from.size() == 4 && !channels_first_)
      flattened_[layer_->output] = {layer.from.begin() + 1, layer.from.end()};
  }
  void take(const Activation&) { pass_on(); }
  void take(const Dropout&) { pass_on(); }
  void pass_on() {
    if (const auto found = flattened_.find(layer_->inputs[0]); found != flattened_.end())
      flattened_[layer_->output] = found->second;
  }
  void take(const Dense& layer) {
    const auto& weight = tensor(0);
    auto values =
        layer.is_transposed ? rearranged(weight.floats, {layer.out, layer.in}, {1, 0}) : weight.floats;
    if (const auto found = flattened_.find(layer_->inputs[0]); found != flattened_.end()) {
      const auto& from = found->second;
      values = rearranged(values, {from[0], from[1], from[2], layer.out}, {1, 2, 0, 3});
    }
    put({layer.in, layer.out}, values);
    if (layer.bias) put({layer.out}, tensor(1).floats);
  }
  /// Both have the gates z, r, n; Keras transposed, and the two biases one above the other.
  void take(const GatedRecurrent& layer) {
    const auto gates = 3 * layer.width;
    for (std::int64_t direction = 0; direction < 2; ++direction) {
      const auto half = [&](std::size_t stored, std::int64_t size) {
        const auto* from = tensor(stored).floats.data() + direction * size;
        return std::vector<float>(from, from + size);
      };
      put({layer.in, gates}, rearranged(half(0, gates * layer.in), {gates, layer.in}, {1, 0}));
      put({layer.width, gates}, rearranged(half(1, gates * layer.width), {gates, layer.width}, {1, 0}));
      put({2, gates}, half(2, 2 * gates));
    }
  }
  void take(const auto&) {}

  const net::StoredTensor& tensor(std::size_t i) const {
    return program_.tensors.find(layer_->stored[i])->second;
  }
  void put(Shape shape, const std::vector<float>& values) {
    arrays.push_back(array(fmt::format("{}.{}", layer_->name, count_++), std::move(shape), values));
  }

  const net::Program& program_;
  const bool channels_first_;
  const Layer* layer_ = nullptr;
  int count_ = 0;
  std::map<std::string, Shape> flattened_;  ///< [channels, height, width] that such a tensor was made of
};

}  // namespace

bool is_same(const Sliding& window) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto reach = (window.kernel[axis] - 1) * window.dilations[axis];
    if (window.strides[axis] != 1 || reach % 2 != 0 || window.pads[axis] != reach / 2) return false;
  }
  return window.is_padded_alike();
}

std::string keras_network(const Layers& layers, bool channels_first) {
  auto shape = layers.example;
  if (shape.size() == 3 && !channels_first) std::ranges::rotate(shape, shape.begin() + 1);
  std::string text = fmt::format("def network():\n    inputs = x = keras.Input({})\n", tuple(shape));
  Writer writer(layers, channels_first);
  const auto call = [&](const Layer& layer, const std::vector<std::string>& arguments) {
    return writer.call(layer, arguments);
  };
  auto lines = statements(layers, "x", call, [&](const Layer& layer) {
    return std::holds_alternative<Activation>(layer.kind) && writer.is_written_before(layer);
  });
  lines.back() =
      fmt::format("return keras.Model(inputs, {})", lines.back().substr(std::string_view("return ").size()));
  for (const auto& line : lines) text += fmt::format("    {}\n", line);
  return text;
}

std::vector<data::Array> keras_weights(const Model& model, bool channels_first) {
  Weights weights(model.program, channels_first);
  for (const auto& layer : model.layers.all) weights.add(layer);
  return std::move(weights.arrays);
}

}  // namespace neph::framework
