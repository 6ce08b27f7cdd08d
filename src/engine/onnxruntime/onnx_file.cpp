#include "engine/onnxruntime/onnx_file.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/text.hpp"
#include "os/file.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

// Field numbers of onnx.proto3.
constexpr std::uint64_t model_graph = 7;
constexpr std::uint64_t graph_node = 1, graph_input = 11, graph_output = 12, graph_value_info = 13;
constexpr std::uint64_t graph_initializer = 5, tensor_external = 13, entry_key = 1, entry_value = 2;
constexpr std::uint64_t node_attribute = 5, attribute_tensor = 5, attribute_graph = 6, attribute_graphs = 11;
constexpr std::uint64_t value_name = 1, value_type = 2;
constexpr std::uint64_t type_tensor = 1, tensor_shape = 2, shape_dimension = 1, dimension_value = 1;

enum Wire : std::uint64_t { varint = 0, eight_bytes = 1, delimited = 2, four_bytes = 5 };

struct Field {
  std::uint64_t number = 0;
  Wire wire = varint;
  std::string_view whole;    ///< with its tag and length
  std::string_view content;  ///< of a delimited one
};

std::optional<std::uint64_t> take_varint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

/// Nothing where the bytes are no field.
std::optional<Field> take_field(std::string_view& rest) {
  const auto begin = rest;
  const auto tag = take_varint(rest);
  if (!tag) return std::nullopt;
  Field field{.number = *tag >> 3, .wire = static_cast<Wire>(*tag & 7U)};
  std::optional<std::uint64_t> length = 0;
  if (field.wire == varint && !take_varint(rest)) return std::nullopt;
  if (field.wire == eight_bytes) length = 8;
  if (field.wire == four_bytes) length = 4;
  if (field.wire == delimited) length = take_varint(rest);
  if ((*tag & 7U) == 3 || (*tag & 7U) == 4 || (*tag & 7U) > 5 || !length || *length > rest.size())
    return std::nullopt;
  field.content = rest.substr(0, *length);
  rest.remove_prefix(*length);
  field.whole = begin.substr(0, begin.size() - rest.size());
  return field;
}

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7) to += static_cast<char>((value & 0x7fU) | 0x80U);
  to += static_cast<char>(value);
}

void put_field(std::string& to, std::uint64_t number, std::string_view content) {
  put_varint(to, number << 3 | delimited);
  put_varint(to, content.size());
  to += content;
}

using Change = std::function<std::optional<std::string>(std::string_view)>;

/// The message with what `change_of(number)` makes of its delimited fields; those without a change stay as
/// they are. Nothing where it is no message.
template <class ChangeOf>
std::optional<std::string> changed(std::string_view message, ChangeOf change_of) {
  std::string made;
  made.reserve(message.size() + message.size() / 64 + 64);
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field) return std::nullopt;
    const Change change = field->wire == delimited ? change_of(field->number) : Change();
    if (!change) {
      made += field->whole;
      continue;
    }
    const auto content = change(field->content);
    if (!content) return std::nullopt;
    put_field(made, field->number, *content);
  }
  return made;
}

/// The change of one field of a message.
auto only(std::uint64_t number, Change change) {
  return [number, change = std::move(change)](std::uint64_t found) {
    return found == number ? change : Change();
  };
}

/// The content of a message's field; empty where it has none.
std::optional<std::string_view> content_of(std::string_view message, std::uint64_t number) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field) return std::nullopt;
    if (field->number == number && field->wire == delimited) return field->content;
  }
  return std::nullopt;
}

std::string shape_message(const std::vector<std::int64_t>& shape) {
  std::string message;
  for (const auto size : shape) {
    std::string dimension;
    if (size >= 0) {
      put_varint(dimension, dimension_value << 3 | varint);
      put_varint(dimension, static_cast<std::uint64_t>(size));
    }
    put_field(message, shape_dimension, dimension);
  }
  return message;
}

/// The tensor's type with this shape, also where it had none.
std::optional<std::string> shaped(std::string_view tensor, const std::vector<std::int64_t>& shape) {
  auto made = changed(tensor, only(tensor_shape, [](std::string_view) { return std::string(); }));
  if (made)
    put_field(*made, tensor_shape, shape_message(shape));  // the last of two counts, merged with an empty one
  return made;
}

/// Its rank stays.
std::optional<std::string> opened(std::string_view shape) {
  return changed(shape, only(shape_dimension, [](std::string_view) { return std::string(); }));
}

std::optional<std::string> with_open_shape(std::string_view value) {
  return changed(value, only(value_type, [](std::string_view type) {
                   return changed(type, only(type_tensor, [](std::string_view tensor) {
                                    return changed(tensor, only(tensor_shape, opened));
                                  }));
                 }));
}

std::optional<std::string> with_given_shape(std::string_view value, const InputShapes& shapes) {
  const auto found = shapes.find(std::string(content_of(value, value_name).value_or("")));
  if (found == shapes.end()) return std::string(value);
  return changed(value, only(value_type, [&](std::string_view type) {
                   return changed(type, only(type_tensor, [&](std::string_view tensor) {
                                    return shaped(tensor, found->second);
                                  }));
                 }));
}

/// A graph within a node, as of If and Loop, whose inputs follow from the node's.
std::optional<std::string> body(std::string_view graph);

std::optional<std::string> node(std::string_view message) {
  return changed(message, only(node_attribute, [](std::string_view attribute) {
                   return changed(attribute, [](std::uint64_t number) {
                     return number == attribute_graph || number == attribute_graphs ? Change(body) : Change();
                   });
                 }));
}

Change change_of_graph(std::uint64_t number) {
  if (number == graph_node) return node;
  return number == graph_output || number == graph_value_info ? Change(with_open_shape) : Change();
}

std::optional<std::string> body(std::string_view graph) {
  return changed(graph, [](std::uint64_t number) {
    return number == graph_input ? Change(with_open_shape) : change_of_graph(number);
  });
}

/// Calls `visit` with each delimited field of a message, up to where it is none.
template <class Visit>
void each_field(std::string_view message, Visit visit) {
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field) return;
    if (field->wire == delimited) visit(*field);
  }
}

void add_files_of_tensor(std::string_view tensor, std::set<std::string>& files) {
  each_field(tensor, [&](const Field& field) {
    if (field.number == tensor_external && content_of(field.content, entry_key) == "location")
      files.emplace(content_of(field.content, entry_value).value_or(""));
  });
}

void add_files_of_graph(std::string_view graph, std::set<std::string>& files) {
  each_field(graph, [&](const Field& field) {
    if (field.number == graph_initializer) add_files_of_tensor(field.content, files);
    if (field.number != graph_node) return;
    each_field(field.content, [&](const Field& attribute) {
      if (attribute.number != node_attribute) return;
      each_field(attribute.content, [&](const Field& part) {
        if (part.number == attribute_tensor) add_files_of_tensor(part.content, files);
        if (part.number == attribute_graph || part.number == attribute_graphs)
          add_files_of_graph(part.content, files);
      });
    });
  });
}

bool is_of_any_rank(std::string_view value) {
  const auto type = content_of(value, value_type);
  const auto tensor = type ? content_of(*type, type_tensor) : std::nullopt;
  return tensor && !content_of(*tensor, tensor_shape);
}

}  // namespace

Mapping::Mapping(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  std::error_code unreadable;
  const auto size = std::filesystem::file_size(file, unreadable);
  if (!unreadable && size > 0) {
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory != MAP_FAILED) bytes_ = {static_cast<const char*>(memory), size};
  }
  ::close(descriptor);
}

Mapping::~Mapping() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

std::set<std::string> files_beside(std::string_view model) {
  std::set<std::string> files;
  add_files_of_graph(content_of(model, model_graph).value_or(""), files);
  return files;
}

std::set<std::string> inputs_of_any_rank(const std::filesystem::path& file) {
  const Mapping mapped(file);
  std::set<std::string> names;
  auto graph = content_of(mapped.bytes(), model_graph).value_or("");
  while (!graph.empty()) {
    const auto field = take_field(graph);
    if (!field) return {};
    if (field->number == graph_input && field->wire == delimited && is_of_any_rank(field->content))
      names.emplace(content_of(field->content, value_name).value_or(""));
  }
  return names;
}

Result<std::string> with_input_shapes(std::string_view model, const InputShapes& shapes) {
  const Change inputs = [&](std::string_view value) { return with_given_shape(value, shapes); };
  auto made = changed(model, only(model_graph, [&](std::string_view graph) {
                        return changed(graph, [&](std::uint64_t number) {
                          return number == graph_input ? inputs : change_of_graph(number);
                        });
                      }));
  if (!made) return fail(ErrorCode::corrupt, "it is no ONNX model");
  return std::move(*made);
}

Result<std::string> with_input_shapes(const std::filesystem::path& file, const InputShapes& shapes) {
  if (same_words(file.extension().string(), ".ort"))
    return fail(
        ErrorCode::unsupported,
        "a .ort file keeps the shapes that it was made with; take the .onnx file that it was made of");
  std::error_code unreadable;
  if (const auto size = std::filesystem::file_size(file, unreadable);
      !unreadable && size >= static_cast<std::uintmax_t>(std::numeric_limits<std::int32_t>::max()))
    return fail(ErrorCode::unsupported,
                "its shapes cannot be changed, as it is over 2 GiB; export it with its weights in a file of "
                "their own (external data)");
  NEPH_TRY(const auto model, read_file(file));
  return with_input_shapes(std::string_view(model), shapes);
}

}  // namespace neph::engine::onnxruntime_plugin
