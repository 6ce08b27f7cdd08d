#include "engine/tensorflow/model_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_set>

#include <fmt/ranges.h>

#include "core/protobuf.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

using protobuf::Field;

/// By the number that TensorFlow gives it.
constexpr std::array<std::pair<DataType, Element>, 13> element_types{{{1, Element::f32},
                                                                      {2, Element::f64},
                                                                      {3, Element::i32},
                                                                      {4, Element::u8},
                                                                      {5, Element::i16},
                                                                      {6, Element::i8},
                                                                      {9, Element::i64},
                                                                      {10, Element::boolean},
                                                                      {14, Element::bf16},
                                                                      {17, Element::u16},
                                                                      {19, Element::f16},
                                                                      {22, Element::u32},
                                                                      {23, Element::u64}}};

constexpr std::string_view usual_signature = "serving_default";
constexpr std::string_view usual_tag = "serve";

tl::unexpected<Error> corrupt(std::string_view what) {
  return fail(ErrorCode::corrupt, "{} is damaged, cut short or not TensorFlow's", what);
}

/// Calls `visit` with every field of a message, which is called `what` in errors.
template <class Visit>
Status each_field(std::string_view what, std::string_view message, Visit visit) {
  while (!message.empty()) {
    const auto field = protobuf::take_field(message);
    if (!field) return corrupt(what);
    NEPH_CHECK(visit(*field));
  }
  return {};
}

bool is_message(const Field& field, std::uint64_t number) {
  return field.number == number && field.wire == protobuf::delimited;
}
bool is_number(const Field& field, std::uint64_t number) {
  return field.number == number && field.wire == protobuf::varint;
}

/// A map's entries are messages of a key and a value.
using Map = std::map<std::string_view, std::string_view>;
Status add_entry(Map& map, std::string_view entry) {
  std::string_view key, value;
  NEPH_CHECK(each_field("a map", entry, [&](const Field& field) -> Status {
    if (is_message(field, 1)) key = field.content;
    if (is_message(field, 2)) value = field.content;
    return {};
  }));
  map[key] = value;
  return {};
}

/// TensorShapeProto.
Status read_shape(std::string_view message, Port& port) {
  NEPH_CHECK(each_field("a shape", message, [&](const Field& field) -> Status {
    if (is_number(field, 3)) port.open_rank = field.value != 0;
    if (!is_message(field, 2)) return {};
    auto& size = port.shape.emplace_back(0);
    return each_field("a dimension", field.content, [&size](const Field& part) -> Status {
      if (is_number(part, 1)) size = static_cast<std::int64_t>(part.value);
      return {};
    });
  }));
  if (port.open_rank) port.shape.clear();
  constexpr double max_elements = 1e12;
  double elements = 1;
  for (const auto size : port.shape) {
    elements *= static_cast<double>(std::max<std::int64_t>(size, 1));
    if (size < -1 || elements > max_elements) return corrupt("a shape");
  }
  return {};
}

/// TensorInfo.
Status read_tensor(std::string_view name, std::string_view message, Ends& ends) {
  Port port{.name = std::string(name)};
  std::string tensor;
  std::uint64_t type = 0;
  NEPH_CHECK(each_field("a tensor", message, [&](const Field& field) -> Status {
    if (is_message(field, 1)) tensor = field.content;
    if (is_number(field, 2)) type = field.value;
    return is_message(field, 3) ? read_shape(field.content, port) : Status();
  }));
  if (tensor.empty())
    return fail(ErrorCode::unsupported,
                "'{}' is a sparse or composite tensor; export the model with dense ones", name);
  NEPH_CHECK(split_tensor_name(tensor));
  const auto element = element_of(static_cast<DataType>(std::min<std::uint64_t>(type, 1000)));
  if (!element)
    return fail(ErrorCode::unsupported,
                "'{}' has elements (TensorFlow's type {}) that neph cannot pass on; cast "
                "it in the model",
                name, type);
  port.element = *element;
  ends.ports.push_back(std::move(port));
  ends.tensors.push_back(std::move(tensor));
  return {};
}

/// SignatureDef.
Status read_signature(std::string_view message, Signature& signature) {
  Map inputs, outputs;
  NEPH_CHECK(each_field("a signature", message, [&](const Field& field) -> Status {
    if (is_message(field, 1)) return add_entry(inputs, field.content);
    if (is_message(field, 2)) return add_entry(outputs, field.content);
    return {};
  }));
  for (const auto& [name, tensor] : inputs) NEPH_CHECK(read_tensor(name, tensor, signature.inputs));
  for (const auto& [name, tensor] : outputs) NEPH_CHECK(read_tensor(name, tensor, signature.outputs));
  if (outputs.empty()) return fail(ErrorCode::unsupported, "its signature has no output");
  return {};
}

Result<std::string_view> choose_signature(const Map& signatures) {
  if (const auto usual = signatures.find(usual_signature); usual != signatures.end()) return usual->second;
  std::vector<std::string_view> names;
  for (const auto& [name, message] : signatures)
    if (!name.starts_with("__saved_model")) names.push_back(name);  // steps of the loader
  if (names.size() == 1) return signatures.at(names.front());
  return fail(ErrorCode::unsupported, "it has no signature {} (it has: {}); export the model with one",
              usual_signature, names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

struct MetaGraph {
  std::vector<std::string> tags;
  Map signatures;
  bool is_usual() const { return std::ranges::find(tags, usual_tag) != tags.end(); }
};

/// MetaGraphDef.
Result<MetaGraph> read_meta_graph(std::string_view message) {
  MetaGraph graph;
  NEPH_CHECK(each_field("a graph", message, [&](const Field& field) -> Status {
    if (is_message(field, 5)) return add_entry(graph.signatures, field.content);
    if (!is_message(field, 1)) return {};
    return each_field("the graph's description", field.content, [&](const Field& part) -> Status {
      if (is_message(part, 4)) graph.tags.emplace_back(part.content);
      return {};
    });
  }));
  return graph;
}

using Names = std::unordered_set<std::string_view>;

struct Operation {
  std::string_view name, kind;
};

/// NodeDef. Adds the operations that it reads to `read`.
Result<Operation> read_operation(std::string_view message, Names& read) {
  Operation operation;
  NEPH_CHECK(each_field("an operation", message, [&](const Field& field) -> Status {
    if (is_message(field, 1)) operation.name = field.content;
    if (is_message(field, 2)) operation.kind = field.content;
    if (is_message(field, 3)) {  // "name", "name:1", "^name"
      const auto from = field.content.substr(field.content.starts_with('^') ? 1 : 0);
      read.insert(from.substr(0, from.find(':')));
    }
    return {};
  }));
  if (operation.name.empty() || operation.kind.empty()) return corrupt("an operation");
  return operation;
}

}  // namespace

std::optional<Element> element_of(DataType type) {
  for (const auto& [theirs, ours] : element_types)
    if (theirs == type) return ours;
  return std::nullopt;
}

DataType type_of(Element element) {
  for (const auto& [theirs, ours] : element_types)
    if (ours == element) return theirs;
  return 0;
}

Result<Signature> read_saved_model(std::string_view bytes) {
  std::vector<MetaGraph> graphs;
  NEPH_CHECK(each_field("saved_model.pb", bytes, [&](const Field& field) -> Status {
    if (!is_message(field, 2)) return is_number(field, 1) ? Status() : corrupt("saved_model.pb");
    NEPH_TRY(auto graph, read_meta_graph(field.content));
    graphs.push_back(std::move(graph));
    return {};
  }));
  if (graphs.empty()) return corrupt("saved_model.pb");
  const auto usual = std::ranges::find_if(graphs, &MetaGraph::is_usual);
  const auto& graph = usual == graphs.end() ? graphs.front() : *usual;
  NEPH_TRY(const auto message, choose_signature(graph.signatures));
  Signature signature{.tags = graph.tags, .inputs = {}, .outputs = {}};
  NEPH_CHECK(read_signature(message, signature));
  return signature;
}

Result<FrozenGraph> read_frozen_graph(std::string_view bytes) {
  FrozenGraph graph;
  std::vector<std::string_view> others;
  Names read;
  const auto add_operation = [&](std::string_view message) -> Status {
    NEPH_TRY(const auto operation, read_operation(message, read));
    if (operation.kind == "Placeholder" || operation.kind == "PlaceholderV2")
      graph.placeholders.emplace_back(operation.name);
    else
      others.push_back(operation.name);
    return {};
  };
  NEPH_CHECK(each_field("the file", bytes, [&](const Field& field) -> Status {
    if (is_message(field, 1)) return add_operation(field.content);
    return field.number >= 2 && field.number <= 5 ? Status() : corrupt("the file");
  }));
  for (const auto& name : others)
    if (!read.contains(name)) graph.unread.emplace_back(name);
  if (graph.placeholders.empty())
    return fail(ErrorCode::unsupported,
                "its graph has no input (Placeholder); give a frozen graph or the folder of a "
                "SavedModel");
  return graph;
}

Result<std::pair<std::string, int>> split_tensor_name(std::string_view name) {
  const auto colon = name.rfind(':');
  int index = 0;
  if (colon == name.npos) return std::pair{std::string(name), index};
  const auto number = name.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (error != std::errc() || end != number.data() + number.size() || index < 0 || colon == 0)
    return corrupt("a tensor's name");
  return std::pair{std::string(name.substr(0, colon)), index};
}

}  // namespace neph::engine::tensorflow_plugin
