#include "net/onnx_graph.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "net/control_flow.hpp"
#include "net/onnx_model.hpp"
#include "net/onnx_tensor.hpp"

namespace neph::net {
namespace {

constexpr std::size_t kLongestName = 1024;   // names are repeated by all that read them: they must not grow
constexpr std::size_t kLongestPrefix = 512;  // of calls in calls, before the names of their layers
/// Bodies in bodies: deeper ones are not read, as each level may read the next three times.
constexpr int kDeepest = 8;
/// Nodes read in bodies, each time that they are: functions that call functions multiply.
constexpr std::int64_t kMostBodyNodes = 50'000;

using Attributes = std::map<std::string, const onnx::AttributeProto*, std::less<>>;

/// What the readers of a model's graph and of its bodies share.
struct File {
  std::int64_t opset;
  const std::filesystem::path* folder;
  const ReadOptions& options;
  Symbols symbols{};
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions{};
  std::int64_t body_nodes = 0;  ///< read so far
};

/// Builds an Assembly from the nodes of a graph, of a body or of a function.
class Reader {
 public:
  Reader(File& file, Assembly assembly) : file_(file), assembly_(std::move(assembly)) {}
  /// A body of a node that `outer` reads.
  Reader(Reader& outer, const std::string& prefix)
      : file_(outer.file_),
        assembly_(outer.assembly_, prefix),
        depth_(outer.depth_ + 1),
        calls_(outer.calls_),
        given_(outer.given_) {}
  /// The function that the node `name` calls with these attributes.
  Reader(Reader& outer, const std::string& name, Attributes given)
      : file_(outer.file_),
        assembly_(outer.assembly_, outer.calls_ + name + "/"),
        depth_(outer.depth_ + 1),
        calls_(outer.calls_ + name + "/"),
        given_(std::move(given)) {}

  Result<Network> network(const onnx::GraphProto& graph) &&;
  Result<Body> body(const onnx::GraphProto& graph, const std::vector<Given>& inputs) &&;
  Result<Body> body(const onnx::FunctionProto& function, const std::vector<Given>& inputs) &&;

 private:
  Status read_initializers(const onnx::GraphProto& graph);
  Status take_given_shapes(const onnx::GraphProto& graph);
  Status read_inputs(const onnx::GraphProto& graph);
  Status read_stated_shapes(const onnx::GraphProto& graph);
  template <class Inputs>
  Status bind(const Inputs& names, const std::vector<Given>& inputs);
  template <class Nodes>
  Status read_nodes(const Nodes& nodes);
  Status read_node(const onnx::NodeProto& proto);
  Status read_constant(const onnx::NodeProto& proto);
  Status read_control(const onnx::NodeProto& proto, const NodeOutline& node);
  Result<Body> finish_body(const std::vector<std::string>& outputs);
  Result<Tensor> tensor_of(const onnx::TensorProto& proto) const;
  Result<std::optional<Attribute>> attribute_of(const onnx::AttributeProto& proto) const;
  const onnx::AttributeProto& resolved(const onnx::AttributeProto& attribute) const;
  Attributes attributes_of(const onnx::NodeProto& proto) const;
  const onnx::FunctionProto* function_of(const onnx::NodeProto& proto) const;
  Result<NodeOutline> node_of(const onnx::NodeProto& proto);

  File& file_;
  Assembly assembly_;
  int depth_ = 0;
  std::string calls_;  ///< names of the nodes that led into this function: it may be called more than once
  InputShapes given_shapes_;
  Attributes given_;  ///< of the node that calls this function
  std::unordered_set<std::string> layer_names_;
};

template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto& value : values) names.push_back(value.name());
  return names;
}

Result<Network> Reader::network(const onnx::GraphProto& graph) && {
  NEPH_CHECK(read_initializers(graph));
  NEPH_CHECK(read_inputs(graph));
  NEPH_CHECK(read_stated_shapes(graph));
  NEPH_CHECK(read_nodes(graph.node()));
  return std::move(assembly_).finish(names_of(graph.output()));
}

Result<Body> Reader::body(const onnx::GraphProto& graph, const std::vector<Given>& inputs) && {
  NEPH_CHECK(read_initializers(graph));
  NEPH_CHECK(read_stated_shapes(graph));
  NEPH_CHECK(bind(names_of(graph.input()), inputs));
  NEPH_CHECK(read_nodes(graph.node()));
  return finish_body(names_of(graph.output()));
}

Result<Body> Reader::body(const onnx::FunctionProto& function, const std::vector<Given>& inputs) && {
  auto all = inputs;
  if (all.size() < static_cast<std::size_t>(function.input_size()))  // the last ones may be left out
    all.resize(static_cast<std::size_t>(function.input_size()));
  NEPH_CHECK(bind(function.input(), all));
  NEPH_CHECK(read_nodes(function.node()));
  return finish_body({function.output().begin(), function.output().end()});
}

Result<Body> Reader::finish_body(const std::vector<std::string>& outputs) {
  NEPH_TRY(auto known, assembly_.find_all(outputs));
  auto contradiction = assembly_.contradiction();
  return Body{.assembly = std::move(assembly_), .outputs = std::move(known), .contradiction = contradiction};
}

template <class Inputs>
Status Reader::bind(const Inputs& names, const std::vector<Given>& inputs) {
  if (static_cast<std::size_t>(names.size()) != inputs.size())
    return fail(ErrorCode::corrupt, "a body of {} inputs is given {}", names.size(), inputs.size());
  std::size_t next = 0;
  for (const auto& name : names) {
    NEPH_CHECK(assembly_.add_given(name, inputs[next].tensor, inputs[next].from));
    ++next;
  }
  return {};
}

template <class Nodes>
Status Reader::read_nodes(const Nodes& nodes) {
  for (const auto& proto : nodes) NEPH_CHECK(read_node(proto));
  return {};
}

Result<Tensor> Reader::tensor_of(const onnx::TensorProto& proto) const {
  if (file_.folder) NEPH_CHECK(check_external_data(proto, *file_.folder));
  return stored_tensor(proto);
}

Status Reader::read_initializers(const onnx::GraphProto& graph) {
  for (const auto& proto : graph.initializer()) {
    NEPH_TRY(auto tensor, tensor_of(proto));
    NEPH_CHECK(assembly_.add_stored(proto.name(), std::move(tensor)));
  }
  for (const auto& proto : graph.sparse_initializer()) {
    Tensor tensor{.shape = Shape(proto.dims().begin(), proto.dims().end()),
                  .type = proto.values().data_type()};
    NEPH_CHECK(assembly_.add_stored(proto.values().name(), std::move(tensor)));
  }
  return {};
}

/// Fills in what a network's input leaves open: one picture, and the asked side for the rest of a picture's
/// axes. A first dimension of 0 is a picture's batch left open; of anything else it may be meant.
void close_dimensions(const onnx::TensorShapeProto& stated, std::int64_t side, Shape& shape) {
  const bool picture = shape.size() == 4;
  if (!shape.empty() && shape.front() == kUnknown)
    if (picture || !stated.dim(0).has_dim_value() || stated.dim(0).dim_value() != 0) shape.front() = 1;
  if (side <= 0 || !picture) return;
  for (auto& dimension : shape)
    if (dimension == kUnknown) dimension = side;
}

/// What a convolution reads as its weights: its first dimension is channels, and no batch.
std::set<std::string> weights_of_convolutions(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& node : graph.node())
    if (node.op_type().starts_with("Conv"))
      for (int i = 1; i < node.input_size(); ++i) names.insert(node.input(i));
  return names;
}

/// Names of an input's dimensions that are settled: the file's other shapes speak of them too. Error: the
/// name of one that is another size already.
tl::expected<void, std::string> settle(const onnx::ValueInfoProto& input, const Shape& shape,
                                       Symbols& symbols) {
  const auto& dimensions = input.type().tensor_type().shape();
  for (int i = 0; i < dimensions.dim_size(); ++i) {
    const auto size = shape[static_cast<std::size_t>(i)];
    const auto& name = dimensions.dim(i).dim_param();
    if (name.empty() || name == "?" || size == kUnknown) continue;  // Paddle calls all of them "?"
    if (symbols.emplace(name, size).first->second != size) return tl::unexpected(name);
  }
  return {};
}

/// Takes the shapes given for what the file leaves open.
Status Reader::take_given_shapes(const onnx::GraphProto& graph) {
  std::vector<std::string> names;
  for (const auto& input : graph.input())
    if (!assembly_.find(input.name())) names.push_back(input.name());
  NEPH_TRY(given_shapes_, named_shapes(file_.options.shapes, names));
  for (const auto& input : graph.input()) {
    const auto given = given_shapes_.find(input.name());
    if (given == given_shapes_.end()) continue;
    NEPH_TRY(const auto stated, stated_shape(input.type(), {}));
    const Shape& shape = given->second;
    if (!stated) continue;
    const bool fits =
        std::equal(stated->begin(), stated->end(), shape.begin(), shape.end(),
                   [](auto of_file, auto size) { return of_file == kUnknown || of_file == size; });
    if (!fits)
      return fail(ErrorCode::invalid_argument, "input '{}' has the shape {}, which {} does not fit",
                  input.name(), to_string(*stated), to_string(shape));
    if (const auto settled = settle(input, shape, file_.symbols); !settled)
      return fail(ErrorCode::invalid_argument,
                  "dimension '{}' is {} in another input's shape, and cannot be another size in {}:{}",
                  settled.error(), file_.symbols.at(settled.error()), input.name(), to_string(shape));
  }
  return {};
}

Status Reader::read_inputs(const onnx::GraphProto& graph) {
  NEPH_CHECK(take_given_shapes(graph));
  bool is_first = true;
  const auto weights = weights_of_convolutions(graph);
  for (const auto& input : graph.input()) {
    if (assembly_.find(input.name())) continue;  // before IR version 4 initializers were listed as inputs too
    NEPH_TRY(auto shape, stated_shape(input.type(), file_.symbols));
    if (const auto given = given_shapes_.find(input.name()); given != given_shapes_.end()) {
      shape = given->second;
    } else if (shape && !weights.contains(input.name())) {
      close_dimensions(input.type().tensor_type().shape(), file_.options.side, *shape);
      if (is_first) (void)settle(input, *shape, file_.symbols);
    }
    is_first = false;
    NEPH_CHECK(assembly_.add_input(input.name(), std::move(shape), stated_type(input.type())));
  }
  return {};
}

Status Reader::read_stated_shapes(const onnx::GraphProto& graph) {
  for (const auto* values : {&graph.input(), &graph.value_info(), &graph.output()})
    for (const auto& value : *values) {
      NEPH_TRY(auto shape, stated_shape(value.type(), file_.symbols));
      assembly_.state_shape(value.name(), std::move(shape), stated_type(value.type()));
    }
  return {};
}

/// In a function, an attribute may be that of the node which calls it.
const onnx::AttributeProto& Reader::resolved(const onnx::AttributeProto& attribute) const {
  if (attribute.ref_attr_name().empty()) return attribute;
  const auto given = given_.find(attribute.ref_attr_name());
  return given == given_.end() ? attribute : *given->second;
}

Attributes Reader::attributes_of(const onnx::NodeProto& proto) const {
  Attributes attributes;
  for (const auto& attribute : proto.attribute()) attributes[attribute.name()] = &resolved(attribute);
  return attributes;
}

Result<std::optional<Attribute>> Reader::attribute_of(const onnx::AttributeProto& proto) const {
  if (proto.has_t()) {
    NEPH_TRY(auto tensor, tensor_of(proto.t()));
    return Attribute(std::move(tensor));
  }
  if (proto.ints_size() > 0 || proto.type() == onnx::AttributeProto::INTS)
    return Attribute(Integers(proto.ints().begin(), proto.ints().end()));
  if (proto.floats_size() > 0) return Attribute(Reals(proto.floats().begin(), proto.floats().end()));
  if (proto.has_i()) return Attribute(proto.i());
  if (proto.has_f()) return Attribute(static_cast<double>(proto.f()));
  if (proto.has_s()) return Attribute(proto.s());
  if (proto.strings_size() > 0)
    return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
  return std::nullopt;
}

Result<NodeOutline> Reader::node_of(const onnx::NodeProto& proto) {
  NodeOutline node{.name = proto.name(),
                   .op = is_own(proto) ? proto.op_type() : proto.domain() + "." + proto.op_type()};
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  const auto first =
      std::find_if(node.outputs.begin(), node.outputs.end(), [](auto& name) { return !name.empty(); });
  if (first == node.outputs.end())
    return fail(ErrorCode::corrupt, "node '{}' ({}) has no output", node.name, node.op);
  // Names are optional in ONNX and need not differ; an output's name always does.
  if (node.name.empty() || layer_names_.contains(node.name)) node.name = *first;
  layer_names_.insert(node.name);
  if (node.name.size() > kLongestName || node.op.size() > kLongestName)
    return fail(ErrorCode::corrupt, "a node's name or operator is longer than {} characters", kLongestName);
  for (const auto& [name, attribute] : attributes_of(proto)) {
    NEPH_TRY(auto value, attribute_of(*attribute));
    if (value) node.attributes.emplace(name, std::move(*value));
  }
  return node;
}

/// A Constant is no layer: what it holds is as stored as an initializer.
Status Reader::read_constant(const onnx::NodeProto& proto) {
  Tensor tensor;
  for (const auto& [name, given] : attributes_of(proto)) {
    const auto& attribute = *given;
    if (attribute.has_t()) {
      NEPH_TRY(tensor, tensor_of(attribute.t()));
    } else if (name == "value_int") {
      tensor = {.shape = Shape{}, .type = kInt64, .values = Integers{attribute.i()}};
    } else if (name == "value_ints") {
      tensor = {.shape = Shape{attribute.ints_size()}, .type = kInt64};
      if (static_cast<std::size_t>(attribute.ints_size()) <= kMostValues)
        tensor.values = Integers(attribute.ints().begin(), attribute.ints().end());
    } else if (name == "value_float") {
      tensor = {.shape = Shape{}, .reals = Reals{attribute.f()}};
    } else if (name == "value_floats") {
      tensor = {.shape = Shape{attribute.floats_size()}};
      if (static_cast<std::size_t>(attribute.floats_size()) <= kMostReals)
        tensor.reals = Reals(attribute.floats().begin(), attribute.floats().end());
    }
  }
  for (const auto& output : proto.output()) NEPH_CHECK(assembly_.add_stored(output, tensor));
  return {};
}

const onnx::FunctionProto* Reader::function_of(const onnx::NodeProto& proto) const {
  const auto found = file_.functions.find({proto.domain(), proto.op_type()});
  return found == file_.functions.end() ? nullptr : found->second;
}

Status Reader::read_node(const onnx::NodeProto& proto) {
  if (proto.op_type() == "Constant" && is_own(proto)) return read_constant(proto);
  NEPH_TRY(const auto node, node_of(proto));
  const bool has_graphs =
      std::any_of(proto.attribute().begin(), proto.attribute().end(),
                  [](auto& attribute) { return attribute.has_g() || attribute.graphs_size() > 0; });
  return has_graphs || function_of(proto) ? read_control(proto, node) : assembly_.add_node(node);
}

using Add = Status (*)(Assembly&, const NodeOutline&, const ReadBody&);

/// How the bodies of an operator of ONNX run; nothing for one that is not followed.
Add control_operator(const std::string& op, std::int64_t opset) {
  if (op == "If") return add_if;
  if (op == "Loop") return add_loop;
  constexpr std::int64_t kScanWithoutBatch = 9;
  if (op == "Scan") return opset >= kScanWithoutBatch ? add_scan : add_batched_scan;
  return nullptr;
}

Status Reader::read_control(const onnx::NodeProto& proto, const NodeOutline& node) {
  const auto* function = function_of(proto);
  const Add add = function ? add_function : control_operator(node.op, file_.opset);
  if (!add || depth_ >= kDeepest || file_.body_nodes > kMostBodyNodes || calls_.size() > kLongestPrefix)
    return assembly_.add_unread(node);
  const auto attributes = attributes_of(proto);
  const ReadBody read = [&](const std::string& name, const std::vector<Given>& inputs) -> Result<Body> {
    if (function) {
      file_.body_nodes += function->node_size();
      return Reader(*this, node.name, attributes).body(*function, inputs);
    }
    const auto found = attributes.find(name);
    if (found == attributes.end() || !found->second->has_g())
      return fail(ErrorCode::corrupt, "node '{}' ({}) has no {}", node.name, node.op, name);
    const auto& graph = found->second->g();
    file_.body_nodes += graph.node_size();
    return Reader(*this, calls_ + node.name + "/" + name + "/").body(graph, inputs);
  };
  return add(assembly_, node, read);
}

}  // namespace

Result<Network> network_of(const onnx::ModelProto& model, std::int64_t opset,
                           const std::filesystem::path* folder, const ReadOptions& options) {
  File file{.opset = opset, .folder = folder, .options = options};
  for (const auto& function : model.functions())
    file.functions.emplace(std::pair(function.domain(), function.name()), &function);
  return Reader(file, Assembly(model.graph().name(), opset)).network(model.graph());
}

}  // namespace neph::net
