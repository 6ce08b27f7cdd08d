#include <algorithm>
#include <exception>
#include <unordered_set>

#include <google/protobuf/stubs/logging.h>

#include "core/file.hpp"
#include "net/assembly.hpp"
#include "net/onnx_tensor.hpp"

namespace neph::net {
namespace {

constexpr std::int64_t kNewestIr = 14;          // of the file format, in ONNX 1.23
constexpr std::size_t kMostBytes = 0x7fffffff;  // of a protobuf message
constexpr std::size_t kLongestName = 1024;  // names are repeated by all that read them: they must not grow

/// Builds an Assembly from a parsed graph.
class Reader {
 public:
  Reader(const onnx::ModelProto& model, std::int64_t opset, const std::filesystem::path* folder,
         const ReadOptions& options)
      : graph_(model.graph()), folder_(folder), options_(options), assembly_(graph_.name(), opset) {}

  Result<Network> read() && {
    NEPH_CHECK(read_initializers());
    NEPH_CHECK(read_inputs());
    NEPH_CHECK(read_stated_shapes());
    for (const auto& proto : graph_.node()) NEPH_CHECK(read_node(proto));
    std::vector<std::string> outputs;
    for (const auto& output : graph_.output()) outputs.push_back(output.name());
    return std::move(assembly_).finish(outputs);
  }

 private:
  Status read_initializers();
  Status read_inputs();
  Status read_stated_shapes();
  Status read_node(const onnx::NodeProto& proto);
  Status read_constant(const onnx::NodeProto& proto);
  Result<Node> node_of(const onnx::NodeProto& proto);

  const onnx::GraphProto& graph_;
  const std::filesystem::path* folder_;  ///< where external data lies; null: not looked for
  const ReadOptions& options_;
  Assembly assembly_;
  std::unordered_set<std::string> layer_names_;
};

Status Reader::read_initializers() {
  for (const auto& proto : graph_.initializer()) {
    if (folder_) NEPH_CHECK(check_external_data(proto, *folder_));
    NEPH_TRY(auto tensor, stored_tensor(proto));
    NEPH_CHECK(assembly_.add_stored(proto.name(), std::move(tensor)));
  }
  for (const auto& proto : graph_.sparse_initializer()) {
    Tensor tensor{.shape = Shape(proto.dims().begin(), proto.dims().end()),
                  .type = proto.values().data_type()};
    NEPH_CHECK(assembly_.add_stored(proto.values().name(), std::move(tensor)));
  }
  return {};
}

/// Fills in what a network's input leaves open: one picture, and the asked side for the rest of a picture's
/// axes.
void close_dimensions(Shape& shape, std::int64_t side) {
  if (!shape.empty() && shape.front() == kUnknown) shape.front() = 1;
  if (side <= 0 || shape.size() != 4) return;
  for (auto& dimension : shape)
    if (dimension == kUnknown) dimension = side;
}

Status Reader::read_inputs() {
  for (const auto& input : graph_.input()) {
    if (assembly_.find(input.name())) continue;  // before IR version 4 initializers were listed as inputs too
    NEPH_TRY(auto shape, stated_shape(input.type()));
    if (shape) close_dimensions(*shape, options_.side);
    NEPH_CHECK(assembly_.add_input(input.name(), std::move(shape), stated_type(input.type())));
  }
  return {};
}

Status Reader::read_stated_shapes() {
  for (const auto* values : {&graph_.value_info(), &graph_.output()})
    for (const auto& value : *values) {
      NEPH_TRY(auto shape, stated_shape(value.type()));
      assembly_.state_shape(value.name(), std::move(shape), stated_type(value.type()));
    }
  return {};
}

std::optional<Attribute> attribute_of(const onnx::AttributeProto& proto) {
  if (proto.ints_size() > 0 || proto.type() == onnx::AttributeProto::INTS)
    return Integers(proto.ints().begin(), proto.ints().end());
  if (proto.has_i()) return proto.i();
  if (proto.has_f()) return static_cast<double>(proto.f());
  if (proto.has_s()) return proto.s();
  return std::nullopt;
}

Result<Node> Reader::node_of(const onnx::NodeProto& proto) {
  const bool own = proto.domain().empty() || proto.domain() == "ai.onnx";
  Node node{.name = proto.name(), .op = own ? proto.op_type() : proto.domain() + "." + proto.op_type()};
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
  for (const auto& attribute : proto.attribute())
    if (auto value = attribute_of(attribute)) node.attributes.emplace(attribute.name(), std::move(*value));
  return node;
}

/// A Constant is no layer: what it holds is as stored as an initializer.
Status Reader::read_constant(const onnx::NodeProto& proto) {
  Tensor tensor;
  for (const auto& attribute : proto.attribute()) {
    if (attribute.has_t()) {
      if (folder_) NEPH_CHECK(check_external_data(attribute.t(), *folder_));
      NEPH_TRY(tensor, stored_tensor(attribute.t()));
    } else if (attribute.name() == "value_int") {
      tensor = {.shape = Shape{}, .type = kInt64, .values = Integers{attribute.i()}};
    } else if (attribute.name() == "value_ints") {
      tensor = {.shape = Shape{attribute.ints_size()}, .type = kInt64};
      if (static_cast<std::size_t>(attribute.ints_size()) <= kMostValues)
        tensor.values = Integers(attribute.ints().begin(), attribute.ints().end());
    } else if (attribute.name() == "value_float") {
      tensor = {.shape = Shape{}};
    } else if (attribute.name() == "value_floats") {
      tensor = {.shape = Shape{attribute.floats_size()}};
    }
  }
  for (const auto& output : proto.output()) NEPH_CHECK(assembly_.add_stored(output, tensor));
  return {};
}

Status Reader::read_node(const onnx::NodeProto& proto) {
  if (proto.op_type() == "Constant" && proto.domain().empty()) return read_constant(proto);
  NEPH_TRY(const auto node, node_of(proto));
  return assembly_.add_node(node);
}

Result<onnx::ModelProto> parse(std::string_view bytes) {
  if (bytes.empty()) return fail(ErrorCode::corrupt, "the file is empty");
  if (bytes.size() > kMostBytes)
    return fail(ErrorCode::unsupported, "larger than 2 GiB; save the weights as external data");
  const google::protobuf::LogSilencer silence;  // it would talk on stderr; our errors say what is wrong
  onnx::ModelProto model;
  const bool parsed = model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  constexpr char kFirstField = 8;  // ir_version, with which files of every exporter begin
  if (!parsed && bytes[0] == kFirstField)
    return fail(ErrorCode::corrupt, "the ONNX model is cut short or damaged; fetch or export it again");
  if (!parsed || !model.has_graph() || model.graph().node_size() + model.graph().output_size() == 0)
    return fail(ErrorCode::corrupt, "not an ONNX model, or one without a graph");
  if (model.ir_version() > kNewestIr)
    return fail(ErrorCode::unsupported, "the file's format (IR version {}) is newer than the {} known here",
                model.ir_version(), kNewestIr);
  return model;
}

std::int64_t opset_of(const onnx::ModelProto& model) {
  for (const auto& import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx") return import.version();
  return 1;  // files from before operator sets were versioned
}

/// One line that a terminal shows as it is: names in messages come from the file.
std::string printable(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  constexpr std::size_t kLongest = 400;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

Result<Network> read_from(std::string_view bytes, std::string_view source,
                          const std::filesystem::path* folder, const ReadOptions& options) try {
  const auto named = [source](Error error) {
    return tl::unexpected(Error{error.code, printable(fmt::format("{}: {}", source, error.message))});
  };
  const auto model = parse(bytes);
  if (!model) return named(model.error());
  auto network = Reader(*model, opset_of(*model), folder, options).read();
  if (!network) return named(network.error());
  return network;
} catch (const std::exception& error) {
  return fail(ErrorCode::unavailable, "{}: cannot be read: {}", source, error.what());
}

}  // namespace

Result<Network> read_onnx_bytes(std::string_view bytes, std::string_view source, const ReadOptions& options) {
  return read_from(bytes, source, nullptr, options);
}

Result<Network> read_onnx(const std::filesystem::path& path, const ReadOptions& options) try {
  NEPH_TRY(const auto bytes, read_file(path));
  const auto folder = path.parent_path();
  return read_from(bytes, path.string(), &folder, options);
} catch (const std::exception& error) {
  return fail(ErrorCode::unavailable, "{}: cannot be read: {}", path.string(), error.what());
}

}  // namespace neph::net
