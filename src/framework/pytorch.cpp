// A network as a torch.nn.Module, and its weights as that module's state.
#include <fmt/ranges.h>

#include "framework/writers.hpp"

namespace neph::framework {
namespace {

std::string window_arguments(const Sliding& window) {
  std::string text;
  if (window.strides[0] != 1 || window.strides[1] != 1)
    text += ", stride=" + extent(window.strides[0], window.strides[1]);
  if (window.is_padded() && window.is_padded_alike())
    text += ", padding=" + extent(window.pads[0], window.pads[1]);
  return text;
}

/// The module of a layer that has weights or a state; empty: it is a function.
struct Constructor {
  std::string operator()(const Convolution& layer) const {
    const auto& window = layer.window;
    auto text = fmt::format("nn.Conv2d({}, {}, {}{}", layer.in, layer.out,
                            extent(window.kernel[0], window.kernel[1]), window_arguments(window));
    if (window.dilations[0] != 1 || window.dilations[1] != 1)
      text += ", dilation=" + extent(window.dilations[0], window.dilations[1]);
    if (layer.groups != 1) text += fmt::format(", groups={}", layer.groups);
    return text + (layer.bias ? ")" : ", bias=False)");
  }
  std::string operator()(const BatchNorm& layer) const {
    auto text = fmt::format("nn.BatchNorm{}d({}", layer.is_over_images ? 2 : 1, layer.features);
    if (layer.epsilon != 1e-5) text += ", eps=" + number(layer.epsilon);
    if (layer.momentum != 0.9) text += fmt::format(", momentum={:.6g}", 1 - layer.momentum);
    return text + ")";
  }
  std::string operator()(const Dropout& layer) const {
    return fmt::format("nn.Dropout({})", number(layer.share));
  }
  std::string operator()(const Dense& layer) const {
    return fmt::format("nn.Linear({}, {}{})", layer.in, layer.out, layer.bias ? "" : ", bias=False");
  }
  std::string operator()(const GatedRecurrent& layer) const {
    return fmt::format("nn.GRU({}, {}, bidirectional=True)", layer.in, layer.width);
  }
  std::string operator()(const auto&) const { return {}; }
};

struct Call {
  const std::string& name;
  const std::vector<std::string>& arguments;
  const std::string& x() const { return arguments.front(); }

  std::string operator()(const Convolution& layer) const {
    if (layer.window.is_padded_alike()) return fmt::format("self.{}({})", name, x());
    const auto& pads = layer.window.pads;
    return fmt::format("self.{}(F.pad({}, ({}, {}, {}, {})))", name, x(), pads[1], pads[3], pads[0], pads[2]);
  }
  std::string operator()(const Activation& layer) const {
    using enum Activation::Function;
    if (layer.function == relu) return fmt::format("F.relu({})", x());
    if (layer.function == clip && layer.limit == 6) return fmt::format("F.relu6({})", x());
    if (layer.function == clip) return fmt::format("torch.clamp({}, 0, {})", x(), number(layer.limit));
    return fmt::format("torch.{}({})", layer.function == tanh ? "tanh" : "sigmoid", x());
  }
  std::string operator()(const Pooling& layer) const {
    const auto& window = layer.window;
    auto text = fmt::format("F.{}_pool2d({}, {}", layer.is_maximum ? "max" : "avg", x(),
                            extent(window.kernel[0], window.kernel[1]));
    const bool is_usual = window.strides == window.kernel && !window.is_padded();
    if (!is_usual) text += ", stride=" + extent(window.strides[0], window.strides[1]);
    if (window.is_padded()) text += ", padding=" + extent(window.pads[0], window.pads[1]);
    if (window.is_padded() && !layer.is_maximum) text += ", count_include_pad=False";
    return text + ")";
  }
  std::string operator()(const GlobalAverage&) const {
    return fmt::format("F.adaptive_avg_pool2d({}, 1)", x());
  }
  std::string operator()(const Sum&) const { return fmt::format("{} + {}", x(), arguments.back()); }
  std::string operator()(const Concatenate&) const {
    return fmt::format("torch.cat([{}], 1)", fmt::join(arguments, ", "));
  }
  std::string operator()(const Flatten&) const { return fmt::format("torch.flatten({}, 1)", x()); }
  std::string operator()(const Columns&) const {
    return fmt::format("{}.permute(3, 0, 1, 2).flatten(2)", x());
  }
  std::string operator()(const GatedRecurrent&) const {
    return fmt::format("self.{}({})[0].unflatten(2, (2, -1)).sum(2)", name, x());
  }
  std::string operator()(const auto&) const { return fmt::format("self.{}({})", name, x()); }
};

bool nests(const Layer& layer) {
  return std::holds_alternative<BatchNorm>(layer.kind) || std::holds_alternative<Activation>(layer.kind) ||
         std::holds_alternative<Flatten>(layer.kind);
}

class State {
 public:
  explicit State(const net::Program& program) : program_(program) {}

  void add(const Layer& layer) {
    layer_ = &layer;
    std::visit([this](const auto& kind) { take(kind); }, layer.kind);
  }
  std::vector<data::Array> arrays;

 private:
  void take(const Convolution& layer) { keep("weight", 0), layer.bias ? keep("bias", 1) : void(); }
  void take(const BatchNorm&) {
    keep("weight", 0), keep("bias", 1), keep("running_mean", 2), keep("running_var", 3);
    arrays.push_back({.name = layer_->name + ".num_batches_tracked",
                      .kind = 'i',
                      .width = 8,
                      .bytes = std::vector<std::uint8_t>(8)});
  }
  void take(const Dense& layer) {
    const auto& weight = tensor(0);
    arrays.push_back(array(
        layer_->name + ".weight", {layer.out, layer.in},
        layer.is_transposed ? weight.floats : rearranged(weight.floats, {layer.in, layer.out}, {1, 0})));
    if (layer.bias) keep("bias", 1);
  }
  /// ONNX has the gates z, r, n, torch r, z, n; of the biases ONNX has those of the input, then those of the
  /// state, side by side.
  void take(const GatedRecurrent& layer) {
    for (std::size_t direction = 0; direction < 2; ++direction) {
      const auto suffix = direction == 0 ? "_l0" : "_l0_reverse";
      const auto of = [&](std::size_t stored, std::int64_t columns, std::size_t part, std::size_t parts) {
        const auto size = static_cast<std::size_t>(layer.width * columns);
        const auto* from = tensor(stored).floats.data() + (direction * parts + part) * 3 * size;
        std::vector<float> values;
        for (const std::size_t gate : {1, 0, 2})
          values.insert(values.end(), from + gate * size, from + (gate + 1) * size);
        return values;
      };
      const auto add_named = [&](std::string_view what, std::vector<std::int64_t> shape,
                                 const std::vector<float>& values) {
        arrays.push_back(array(fmt::format("{}.{}{}", layer_->name, what, suffix), std::move(shape), values));
      };
      add_named("weight_ih", {3 * layer.width, layer.in}, of(0, layer.in, 0, 1));
      add_named("weight_hh", {3 * layer.width, layer.width}, of(1, layer.width, 0, 1));
      add_named("bias_ih", {3 * layer.width}, of(2, 1, 0, 2));
      add_named("bias_hh", {3 * layer.width}, of(2, 1, 1, 2));
    }
  }
  void take(const auto&) {}

  const net::StoredTensor& tensor(std::size_t i) const {
    return program_.tensors.find(layer_->stored[i])->second;
  }
  void keep(std::string_view what, std::size_t i) {
    arrays.push_back(array(fmt::format("{}.{}", layer_->name, what), tensor(i).shape, tensor(i).floats));
  }
  const net::Program& program_;
  const Layer* layer_ = nullptr;
};

}  // namespace

std::string pytorch_network(const Layers& layers) {
  std::string text = "class Network(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
  for (const auto& layer : layers.all)
    if (const auto made = std::visit(Constructor{}, layer.kind); !made.empty())
      text += fmt::format("        self.{} = {}\n", layer.name, made);
  text += "\n    def forward(self, x):\n";
  const auto call = [](const Layer& layer, const std::vector<std::string>& arguments) {
    return std::visit(Call{layer.name, arguments}, layer.kind);
  };
  for (const auto& line : statements(layers, "x", call, nests)) text += fmt::format("        {}\n", line);
  return text;
}

std::vector<data::Array> pytorch_weights(const Model& model) {
  State state(model.program);
  for (const auto& layer : model.layers.all) state.add(layer);
  return std::move(state.arrays);
}

}  // namespace neph::framework
