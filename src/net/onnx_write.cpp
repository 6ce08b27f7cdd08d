#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <unordered_map>

#include "net/net.hpp"
#include "net/onnx_proto.hpp"
#include "net/weights.hpp"
#include "os/file.hpp"

namespace neph::net {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores raw tensors in little-endian order");

constexpr std::int64_t kIrVersion = 8;
/// Of weights: protobuf's limit, less room for the graph.
constexpr std::int64_t kMostBytes = (std::int64_t{1} << 31) - (1 << 20);

void add_attribute(onnx::NodeProto& node, const std::string& name, const NodeAttribute& value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(*number);
  } else if (const auto* real = std::get_if<float>(&value)) {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(*real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(*text);
  } else if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value)) {
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const auto each : *numbers) attribute.add_ints(each);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    attribute.set_type(onnx::AttributeProto::FLOATS);
    for (const auto each : *reals) attribute.add_floats(each);
  }
}

/// In the order in which files always had them. Pads are told as numbers, also where a file said "the same".
void add_window(onnx::NodeProto& node, const Layer& layer, const Window& window) {
  add_attribute(node, "kernel_shape", window.kernel);
  add_attribute(node, "strides", window.strides);
  add_attribute(node, "pads", window.pads);
  if (layer.op == "Conv") add_attribute(node, "group", window.groups);
  if (std::ranges::any_of(window.dilations, [](auto dilation) { return dilation != 1; }))
    add_attribute(node, "dilations", window.dilations);
}

bool is_of_window(std::string_view attribute) {
  constexpr std::array<std::string_view, 6> names{"kernel_shape", "strides",   "pads",
                                                  "group",        "dilations", "auto_pad"};
  return std::ranges::find(names, attribute) != names.end();
}

void add_attributes(onnx::NodeProto& node, const Layer& layer) {
  if (layer.window) add_window(node, layer, *layer.window);
  for (const auto& [name, value] : layer.attributes)
    if (!layer.window || !is_of_window(name)) add_attribute(node, name, value);
}

/// Where a tensor has its batch: behind the steps of a sequence.
std::size_t batch_axis(const Shape& shape) { return shape.size() == 3 ? 1 : 0; }

/// A float tensor's type with the batch left open.
void set_type(onnx::ValueInfoProto& value, const Port& port) {
  value.set_name(port.name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  auto& shape = *tensor.mutable_shape();
  for (std::size_t axis = 0; axis < port.shape->size(); ++axis) {
    if (axis == batch_axis(*port.shape)) {
      shape.add_dim()->set_dim_param("n");
    } else {
      shape.add_dim()->set_dim_value((*port.shape)[axis]);
    }
  }
}

template <class T>
void set_elements(onnx::TensorProto& tensor, int type, const std::vector<T>& elements) {
  tensor.set_data_type(type);
  auto& raw = *tensor.mutable_raw_data();
  raw.resize(elements.size() * sizeof(T));
  if (!elements.empty()) std::memcpy(raw.data(), elements.data(), raw.size());
}

/// `index`: of the layer's weights.
void add_initializer(onnx::GraphProto& graph, const Layer& layer, std::size_t index, bool ends_branch,
                     std::uint64_t seed) {
  const Weight& weight = layer.weights[index];
  auto& tensor = *graph.add_initializer();
  tensor.set_name(weight.name);
  for (const auto dimension : weight.shape) tensor.add_dims(dimension);
  if (weight.numbers && !weight.numbers->integers.empty())
    return set_elements(tensor, onnx::TensorProto::INT64, weight.numbers->integers);
  set_elements(tensor, onnx::TensorProto::FLOAT,
               weight.numbers ? weight.numbers->floats : draw_weight(layer, index, ends_branch, seed));
}

void add_metadata(onnx::ModelProto& model, const char* key, const std::string& value) {
  auto& entry = *model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

/// Layers at the end of a residual branch: the first operand of an addition (builders/resnet.cpp).
std::set<std::string> branch_ends(const Network& network) {
  std::set<std::string> ends;
  for (const auto& layer : network.layers)
    if (layer.op == "Add" && layer.inputs.size() == 2) ends.insert(layer.inputs.front());
  return ends;
}

Status check_writable(const Network& network) {
  static const std::set<std::string, std::less<>> known{"Conv",        "BatchNormalization",
                                                        "Relu",        "MaxPool",
                                                        "AveragePool", "GlobalAveragePool",
                                                        "Add",         "Concat",
                                                        "Flatten",     "Gemm",
                                                        "Clip",        "Dropout",
                                                        "Transpose",   "Reshape",
                                                        "GRU",         "ReduceSum",
                                                        "MatMul"};
  for (const auto& layer : network.layers)
    if (!known.contains(layer.op))
      return fail(ErrorCode::unsupported,
                  "{}: layer '{}' ({}) is none that networks built here have; only those are written",
                  network.name, layer.name, layer.op);
  for (const auto& layer : network.layers)
    for (const auto& weight : layer.weights)
      if (!weight.trained && !weight.numbers && layer.op != "BatchNormalization")
        return fail(ErrorCode::unsupported, "{}: layer '{}' ({}) has a number '{}' that is not known here",
                    network.name, layer.name, layer.op, weight.name);
  if (network.totals.weight_bytes > kMostBytes)
    return fail(ErrorCode::unsupported,
                "{}: {} bytes of weights are more than the 2 GiB that an ONNX file holds", network.name,
                network.totals.weight_bytes);
  return {};
}

void fill_graph(onnx::GraphProto& graph, const Network& network, std::uint64_t seed) {
  graph.set_name(network.name);
  for (const auto& port : network.inputs) set_type(*graph.add_input(), port);
  for (const auto& port : network.outputs) set_type(*graph.add_output(), port);
  // Of the layers whose tensors are the network's outputs.
  std::unordered_map<std::string, std::string> output_names;
  for (const auto& port : network.outputs) output_names[port.layer] = port.name;
  const auto ends = branch_ends(network);
  for (const auto& layer : network.layers) {
    auto& node = *graph.add_node();
    node.set_name(layer.name);
    node.set_op_type(layer.op);
    for (const auto& input : layer.inputs) node.add_input(input);
    for (const auto& weight : layer.weights) node.add_input(weight.name);
    const auto renamed = output_names.find(layer.name);
    node.add_output(renamed == output_names.end() ? layer.name : renamed->second);
    add_attributes(node, layer);
    for (std::size_t i = 0; i < layer.weights.size(); ++i)
      add_initializer(graph, layer, i, ends.contains(layer.name), seed);
  }
}

}  // namespace

Result<std::string> write_onnx_bytes(const Network& network, std::uint64_t seed) {
  NEPH_CHECK(check_writable(network));
  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("neph");
  auto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(network.opset);
  add_metadata(model, "neph.network", network.name);
  add_metadata(model, "neph.seed", std::to_string(seed));
  fill_graph(*model.mutable_graph(), network, seed);
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    return fail(ErrorCode::internal, "{}: cannot be put into the ONNX format", network.name);
  return bytes;
}

Status write_onnx(const Network& network, std::uint64_t seed, const std::filesystem::path& path) {
  NEPH_TRY(const auto bytes, write_onnx_bytes(network, seed));
  return write_file(path, bytes);
}

}  // namespace neph::net
