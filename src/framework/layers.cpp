#include "framework/layers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include <fmt/ranges.h>

namespace neph::framework {
namespace {

using Integers = std::vector<std::int64_t>;

/// Words of Python, names of the scripts, and attributes that torch.nn.Module has itself; a blank around
/// each.
constexpr std::string_view reserved =
    " False None True add_module and apply as assert async await bfloat16 block branch break"
    " buffers children class compile continue cpu cuda def del double dump_patches elif else eval"
    " except extra_repr finally float for forward from global half if import in inputs is keras"
    " lambda layers match math modules named_modules named_parameters nonlocal not ops or"
    " parameters pass raise register_buffer requires_grad_ return self share_memory state_dict to"
    " train training try type while with x yield zero_grad ";

class Reader {
 public:
  Reader(const net::Program& program, const net::Network& shapes) : program_(program) {
    for (const auto& layer : shapes.layers)
      for (std::size_t i = 0; i < layer.tensors.size() && i < layer.outputs.size(); ++i)
        if (layer.outputs[i]) shapes_[layer.tensors[i]] = *layer.outputs[i];
    for (const auto& port : shapes.inputs)
      if (port.shape) shapes_[port.name] = *port.shape;
    for (const auto& node : program.nodes)
      for (const auto& input : node.inputs) ++uses_[input];
  }

  Result<Layers> read() {
    if (program_.inputs.size() != 1 || program_.outputs.size() != 1)
      return fail(ErrorCode::invalid_argument,
                  "{} has {} inputs and {} outputs; a network that is trained here has one of each",
                  program_.name, program_.inputs.size(), program_.outputs.size());
    layers_.input = program_.inputs[0].name;
    layers_.output = program_.outputs[0].name;
    const auto shape = shape_of(layers_.input);
    for (std::size_t i = 1; i < shape.size(); ++i) layers_.example.push_back(shape[i]);
    if (layers_.example.empty() || std::ranges::any_of(layers_.example, [](auto size) { return size < 1; }))
      return fail(ErrorCode::unsupported, "{} leaves the shape of its input open", program_.name);
    for (at_ = 0; at_ < program_.nodes.size(); ++at_) NEPH_CHECK(take(program_.nodes[at_]));
    layers_.is_sequence = shape_of(layers_.output).size() == 3;
    return std::move(layers_);
  }

 private:
  using Taken = Result<LayerKind>;

  Status take(const net::Node& node) {
    if (node.op == "Identity") return alias(node);
    using Take = Taken (Reader::*)(const net::Node&);
    static const std::map<std::string_view, Take> known{
        {"Conv", &Reader::convolution},
        {"BatchNormalization", &Reader::batch_norm},
        {"Relu", &Reader::activation},
        {"Sigmoid", &Reader::activation},
        {"Tanh", &Reader::activation},
        {"Clip", &Reader::clip},
        {"Dropout", &Reader::dropout},
        {"MaxPool", &Reader::pooling},
        {"AveragePool", &Reader::pooling},
        {"GlobalAveragePool", &Reader::global_average},
        {"Add", &Reader::sum},
        {"Concat", &Reader::concatenate},
        {"Flatten", &Reader::flatten},
        {"Reshape", &Reader::reshape},
        {"Gemm", &Reader::gemm},
        {"MatMul", &Reader::product},
        {"Transpose", &Reader::transpose},
        {"GRU", &Reader::gated_recurrent},
    };
    const auto found = known.find(node.op);
    if (found == known.end()) return refuse(node, "is not written for frameworks");
    layer_ = {.name = name_of(node), .output = node.outputs[0]};
    for (const auto& input : node.inputs)
      if (is_stored(input))
        layer_.stored.push_back(input);
      else if (!input.empty())
        layer_.inputs.push_back(resolved(input));
    NEPH_TRY(layer_.kind, (this->*found->second)(node));
    layers_.all.push_back(std::move(layer_));
    return {};
  }

  Status alias(const net::Node& node) {
    aliases_[node.outputs[0]] = resolved(node.inputs[0]);
    if (node.outputs[0] == layers_.output) layers_.output = resolved(node.inputs[0]);
    return {};
  }

  Taken convolution(const net::Node& node) {
    if (layer_.stored.empty()) return refuse(node, "has a kernel that is computed");
    const auto& weight = tensor(layer_.stored[0]);
    Convolution made{.in = 0, .out = weight.shape[0], .groups = node.attribute<std::int64_t>("group", 1)};
    if (weight.shape.size() != 4) return refuse(node, "is not over two dimensions");
    made.in = weight.shape[1] * made.groups;
    made.bias = layer_.stored.size() > 1;
    NEPH_TRY(made.window, sliding(node, {weight.shape[2], weight.shape[3]}));
    return made;
  }

  Taken batch_norm(const net::Node& node) {
    if (layer_.stored.size() != 4) return refuse(node, "has statistics that are computed");
    const auto rank = shape_of(node.inputs[0]).size();
    if (rank != 2 && rank != 4) return refuse(node, "is neither over features nor over images");
    return BatchNorm{.features = tensor(layer_.stored[0]).shape[0],
                     .is_over_images = rank == 4,
                     .epsilon = rounded(node.attribute<float>("epsilon", 1e-5F)),
                     .momentum = rounded(node.attribute<float>("momentum", 0.9F))};
  }

  Taken activation(const net::Node& node) {
    using enum Activation::Function;
    return Activation{.function = node.op == "Relu" ? relu : node.op == "Tanh" ? tanh : sigmoid};
  }

  Taken clip(const net::Node& node) {
    const auto bound = [&](std::size_t input, std::string_view attribute) -> std::optional<double> {
      if (node.inputs.size() > input && is_stored(node.inputs[input])) return number(node.inputs[input]);
      if (node.attributes.contains(attribute)) return rounded(node.attribute<float>(attribute, 0));
      return std::nullopt;
    };
    const auto low = bound(1, "min"), high = bound(2, "max");
    layer_.stored.clear();
    if (!low || *low != 0 || !high) return refuse(node, "is not between 0 and a limit");
    return Activation{.function = Activation::Function::clip, .limit = *high};
  }

  Taken dropout(const net::Node& node) {
    const double share =
        layer_.stored.empty() ? rounded(node.attribute<float>("ratio", 0.5F)) : number(layer_.stored[0]);
    layer_.stored.clear();
    return Dropout{.share = share};
  }

  Taken pooling(const net::Node& node) {
    Pooling made{.is_maximum = node.op == "MaxPool"};
    if (node.attribute<std::int64_t>("ceil_mode", 0) != 0) return refuse(node, "has ceil_mode");
    NEPH_TRY(made.window, sliding(node, node.attribute<Integers>("kernel_shape", {})));
    if (std::ranges::any_of(node.attribute<Integers>("dilations", {}), [](auto step) { return step != 1; }))
      return refuse(node, "has dilations");
    if (!made.is_maximum && made.window.is_padded() &&
        node.attribute<std::int64_t>("count_include_pad", 0) != 0)
      return refuse(node, "counts its padding");
    if (!made.window.is_padded_alike()) return refuse(node, "is not padded alike on both sides");
    return made;
  }

  Taken global_average(const net::Node&) { return GlobalAverage{}; }

  Taken sum(const net::Node& node) {
    if (!layer_.stored.empty()) return refuse(node, "adds a stored tensor");
    if (layer_.inputs.size() != 2 || shape_of(node.inputs[0]) != shape_of(node.inputs[1]))
      return refuse(node, "is not of two tensors of one shape");
    return Sum{};
  }

  Taken concatenate(const net::Node& node) {
    if (node.attribute<std::int64_t>("axis", 0) != 1 || !layer_.stored.empty() ||
        shape_of(node.outputs[0]).size() != 4)
      return refuse(node, "is not along the channels of images");
    return Concatenate{};
  }

  Taken flatten(const net::Node& node) {
    if (node.attribute<std::int64_t>("axis", 1) != 1) return refuse(node, "does not keep the batch alone");
    return Flatten{.from = shape_of(node.inputs[0])};
  }

  /// [batch, ...] to [batch, features], as exporters write x.view(n, -1).
  Taken reshape(const net::Node& node) {
    layer_.stored.clear();
    const auto from = shape_of(node.inputs[0]), to = shape_of(node.outputs[0]);
    if (to.size() != 2 || from.empty() || from[0] != to[0]) return refuse(node, "does not flatten");
    return Flatten{.from = from};
  }

  Taken gemm(const net::Node& node) {
    const bool is_plain = node.attribute<float>("alpha", 1) == 1 && node.attribute<float>("beta", 1) == 1 &&
                          node.attribute<std::int64_t>("transA", 0) == 0;
    if (!is_plain || layer_.stored.empty() || node.inputs.size() < 2 || layer_.stored[0] != node.inputs[1])
      return refuse(node, "is not a dense layer");
    const auto& shape = tensor(layer_.stored[0]).shape;
    Dense made{.bias = layer_.stored.size() > 1,
               .is_transposed = node.attribute<std::int64_t>("transB", 0) != 0};
    made.out = shape[made.is_transposed ? 0 : 1];
    made.in = shape[made.is_transposed ? 1 : 0];
    return made;
  }

  /// A product with a stored matrix, and the bias that is added to it.
  Taken product(const net::Node& node) {
    if (layer_.stored.size() != 1 || layer_.stored[0] != node.inputs[1] ||
        tensor(layer_.stored[0]).shape.size() != 2)
      return refuse(node, "is not with a stored matrix");
    const auto& shape = tensor(layer_.stored[0]).shape;
    Dense made{.in = shape[0], .out = shape[1]};
    const auto* next = only_user(node.outputs[0]);
    if (next == nullptr || next->op != "Add") return made;
    for (const auto& other : next->inputs)
      if (is_stored(other) && tensor(other).shape == Integers{made.out}) {
        made.bias = true;
        layer_.stored.push_back(other);
        absorb(*next);
      }
    return made;
  }

  /// Columns of a picture as a sequence: the one transposition that is written, with the Reshape behind it.
  Taken transpose(const net::Node& node) {
    const auto* next = only_user(node.outputs[0]);
    if (node.attribute<Integers>("perm", {}) != Integers{3, 0, 1, 2} || next == nullptr ||
        next->op != "Reshape" || shape_of(next->outputs[0]).size() != 3)
      return refuse(node, "does not make a sequence of an image's columns");
    const auto features = shape_of(next->outputs[0])[2];
    absorb(*next);
    return Columns{.features = features};
  }

  Taken gated_recurrent(const net::Node& node) {
    const auto* next = only_user(node.outputs[0]);
    const bool is_summed = next != nullptr && next->op == "ReduceSum";
    if (layer_.stored.size() != 3 || node.attribute<std::string>("direction", "") != "bidirectional" ||
        node.attribute<std::int64_t>("linear_before_reset", 0) != 1 || !is_summed)
      return refuse(node, "is not of two summed directions with linear_before_reset");
    absorb(*next);
    return GatedRecurrent{.in = tensor(layer_.stored[0]).shape[2],
                          .width = tensor(layer_.stored[1]).shape[2]};
  }

  /// `next` becomes a part of the layer that is being read; it stands directly behind it.
  void absorb(const net::Node& next) {
    layer_.output = next.outputs[0];
    ++at_;
  }

  /// The next node, where nothing else uses the tensor.
  const net::Node* only_user(const std::string& tensor) const {
    if (uses_.at(tensor) != 1 || at_ + 1 >= program_.nodes.size()) return nullptr;
    const auto& next = program_.nodes[at_ + 1];
    return std::ranges::find(next.inputs, tensor) == next.inputs.end() ? nullptr : &next;
  }

  Result<Sliding> sliding(const net::Node& node, const Integers& kernel) const {
    Sliding window{.kernel = kernel,
                   .strides = node.attribute<Integers>("strides", {1, 1}),
                   .dilations = node.attribute<Integers>("dilations", {1, 1}),
                   .pads = node.attribute<Integers>("pads", {0, 0, 0, 0})};
    const auto automatic = node.attribute<std::string>("auto_pad", "NOTSET");
    if (automatic != "NOTSET" && automatic != "VALID") return refuse(node, "has auto_pad");
    if (kernel.size() != 2) return refuse(node, "is not over two dimensions");
    return window;
  }

  bool is_stored(const std::string& name) const { return program_.tensors.contains(name); }
  const net::StoredTensor& tensor(const std::string& name) const {
    return program_.tensors.find(name)->second;
  }
  double number(const std::string& name) const {
    const auto& stored = tensor(name);
    if (!stored.floats.empty()) return rounded(stored.floats[0]);
    return stored.integers.empty() ? 0 : static_cast<double>(stored.integers[0]);
  }
  std::string resolved(const std::string& name) const {
    const auto found = aliases_.find(name);
    return found == aliases_.end() ? name : found->second;
  }
  net::Shape shape_of(const std::string& name) const {
    const auto found = shapes_.find(name);
    return found == shapes_.end() ? net::Shape{} : found->second;
  }
  /// A float as it was typed: 0.1, and not 0.10000000149.
  static double rounded(float value) { return std::stod(fmt::format("{}", value)); }

  static tl::unexpected<Error> refuse(const net::Node& node, std::string_view why) {
    return fail(ErrorCode::unsupported, "layer '{}': {} {}", node.name.empty() ? node.outputs[0] : node.name,
                node.op, why);
  }

  /// "layer1.0.conv1" becomes layer1_0_conv1; of an exporter's "/features/conv/Conv" the operator goes.
  std::string name_of(const net::Node& node) {
    std::string name;
    for (const char c : node.name.empty() ? node.op : node.name) {
      const bool is_part = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (is_part)
        name += c;
      else if (!name.empty() && name.back() != '_')
        name += '_';
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "layer_" + name;
    if (reserved.find(" " + name + " ") != reserved.npos) name += "_layer";
    auto unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    return unique;
  }

  const net::Program& program_;
  std::map<std::string, net::Shape> shapes_;
  std::map<std::string, int> uses_;
  std::map<std::string, std::string> aliases_;
  std::set<std::string> names_;
  std::size_t at_ = 0;
  Layer layer_;
  Layers layers_;
};

}  // namespace

bool Sliding::is_padded() const {
  return std::ranges::any_of(pads, [](auto size) { return size != 0; });
}

bool Sliding::is_padded_alike() const { return pads[0] == pads[2] && pads[1] == pads[3]; }

Result<Layers> layers_of(const net::Program& program, const net::Network& shapes) {
  return Reader(program, shapes).read();
}

}  // namespace neph::framework
