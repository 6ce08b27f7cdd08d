#include "net/program.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <unordered_set>

#include "net/onnx_elements.hpp"
#include "net/onnx_graph.hpp"
#include "net/onnx_model.hpp"
#include "net/onnx_tensor.hpp"
#include "os/file.hpp"

namespace neph::net {
namespace {

using Folder = const std::filesystem::path*;
using onnx::AttributeProto;

/// Its type, which files of the first format do not tell.
AttributeProto::AttributeType type_of(const AttributeProto& proto) {
  if (proto.type() != AttributeProto::UNDEFINED) return proto.type();
  if (proto.has_f()) return AttributeProto::FLOAT;
  if (proto.has_i()) return AttributeProto::INT;
  if (proto.has_s()) return AttributeProto::STRING;
  if (proto.has_t()) return AttributeProto::TENSOR;
  if (proto.floats_size() > 0) return AttributeProto::FLOATS;
  if (proto.ints_size() > 0) return AttributeProto::INTS;
  return proto.strings_size() > 0 ? AttributeProto::STRINGS : AttributeProto::UNDEFINED;
}

Result<NodeAttribute> value_of(const AttributeProto& proto, Folder folder) {
  switch (type_of(proto)) {
    case AttributeProto::FLOAT:
      return NodeAttribute(proto.f());
    case AttributeProto::INT:
      return NodeAttribute(std::int64_t{proto.i()});
    case AttributeProto::STRING:
      return NodeAttribute(proto.s());
    case AttributeProto::FLOATS:
      return NodeAttribute(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case AttributeProto::INTS:
      return NodeAttribute(std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end()));
    case AttributeProto::STRINGS:
      return NodeAttribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case AttributeProto::TENSOR: {
      NEPH_TRY(auto tensor, elements_of(proto.t(), folder));
      return NodeAttribute(std::move(tensor));
    }
    default:
      return fail(ErrorCode::unsupported, "attribute '{}' is of a kind that is not read here", proto.name());
  }
}

/// As ProgramPort has it, of ONNX's number of a type.
std::string_view element_name(int type) {
  constexpr std::array<std::string_view, 17> names{"",    "f32", "u8", "i8",      "u16", "i16",
                                                   "i32", "i64", "",   "boolean", "f16", "f64",
                                                   "u32", "u64", "",   "",        "bf16"};
  return type > 0 && type < std::ssize(names) ? names[static_cast<std::size_t>(type)] : "";
}

bool is_body(const AttributeProto& proto) { return proto.has_g() || proto.graphs_size() > 0; }

/// What a Constant holds. Errors: unsupported (text, sparse tensors), corrupt (nothing).
Result<StoredTensor> constant_of(const onnx::NodeProto& proto, Folder folder) {
  for (const auto& attribute : proto.attribute()) {
    NEPH_TRY(auto value, value_of(attribute, folder));
    if (auto* tensor = std::get_if<StoredTensor>(&value)) return std::move(*tensor);
    if (const auto* number = std::get_if<float>(&value)) return StoredTensor{{}, {*number}, {}};
    if (const auto* number = std::get_if<std::int64_t>(&value)) return StoredTensor{{}, {}, {*number}};
    if (auto* numbers = std::get_if<std::vector<float>>(&value))
      return StoredTensor{{attribute.floats_size()}, std::move(*numbers), {}};
    if (auto* numbers = std::get_if<std::vector<std::int64_t>>(&value))
      return StoredTensor{{attribute.ints_size()}, {}, std::move(*numbers)};
    return fail(ErrorCode::unsupported, "a constant of text is not computed with here");
  }
  return fail(ErrorCode::corrupt, "it holds nothing");
}

/// The graph's order is one in which its nodes can run: network_of has refused any other.
class ProgramReader {
 public:
  explicit ProgramReader(Folder folder) : folder_(folder) {}

  Result<Program> read(const onnx::ModelProto& model) {
    const auto& graph = model.graph();
    program_.name = graph.name();
    program_.opset = opset_of(model);
    if (graph.sparse_initializer_size() > 0)
      return fail(ErrorCode::unsupported, "tensor '{}' is sparse",
                  graph.sparse_initializer(0).values().name());
    for (const auto& proto : graph.initializer()) {
      NEPH_TRY(program_.tensors[proto.name()], elements_of(proto, folder_));
    }
    for (const auto& proto : graph.node())
      if (auto status = read_node(proto); !status) {
        const auto& name = proto.name().empty() ? proto.output(0) : proto.name();
        return fail(status.error().code, "node '{}' ({}): {}", name, proto.op_type(), status.error().message);
      }
    NEPH_TRY(program_.inputs, ports_of(graph.input()));
    NEPH_TRY(program_.outputs, ports_of(graph.output()));
    // Before format 4 initializers were listed as inputs too.
    std::erase_if(program_.inputs, [&](const auto& port) { return program_.tensors.contains(port.name); });
    return std::move(program_);
  }

 private:
  Status read_node(const onnx::NodeProto& proto) {
    if (is_own(proto) && proto.op_type() == "Constant") {
      NEPH_TRY(program_.tensors[proto.output(0)], constant_of(proto, folder_));
      program_.constants.insert(proto.output(0));
      return {};
    }
    Node node{.name = proto.name(),
              .op = is_own(proto) ? proto.op_type() : proto.domain() + "." + proto.op_type(),
              .inputs = {proto.input().begin(), proto.input().end()},
              .outputs = {proto.output().begin(), proto.output().end()},
              .attributes = {}};
    // Names are optional and need not differ; an output's name always does.
    if (node.name.empty() || names_.contains(node.name))
      node.name =
          *std::find_if(node.outputs.begin(), node.outputs.end(), [](auto& name) { return !name.empty(); });
    names_.insert(node.name);
    for (const auto& attribute : proto.attribute()) {
      if (is_body(attribute)) continue;
      NEPH_TRY(node.attributes[attribute.name()], value_of(attribute, folder_));
    }
    program_.nodes.push_back(std::move(node));
    return {};
  }

  template <class Values>
  static Result<std::vector<ProgramPort>> ports_of(const Values& values) {
    std::vector<ProgramPort> ports;
    for (const auto& value : values) {
      NEPH_TRY(const auto shape, stated_shape(value.type(), {}));
      const int type = stated_type(value.type());
      const bool floats =
          type == 0 || type == kFloat || type == kDouble || type == kFloat16 || type == kBfloat16;
      ports.push_back({.name = value.name(),
                       .shape = shape.value_or(Shape{}),
                       .integers = !floats,
                       .element = std::string(element_name(type))});
    }
    return ports;
  }

  Program program_;
  Folder folder_;
  std::unordered_set<std::string> names_;
};

Result<Program> read_from(std::string_view bytes, std::string_view source, Folder folder) try {
  const auto model = parse_model(bytes, source);
  if (!model) return fail_in_model(source, model.error());
  // What contradicts itself is refused here in the same words as by neph net.
  const auto network = network_of(*model, opset_of(*model), folder, {});
  if (!network) return fail_in_model(source, network.error());
  auto program = ProgramReader(folder).read(*model);
  if (!program) return fail_in_model(source, program.error());
  return program;
} catch (const std::exception& error) {
  return fail(ErrorCode::unavailable, "{}: cannot be read: {}", source, error.what());
}

}  // namespace

Result<Program> read_program_bytes(std::string_view bytes, std::string_view source) {
  return read_from(bytes, source, nullptr);
}

Result<Program> read_program(const std::filesystem::path& path) {
  NEPH_TRY(const auto bytes, read_file(path));
  const auto folder = path.parent_path();
  return read_from(bytes, path.string(), &folder);
}

}  // namespace neph::net
