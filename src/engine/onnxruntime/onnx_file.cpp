#include "engine/onnxruntime/onnx_file.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/protobuf.hpp"
#include "core/text.hpp"
#include "engine/onnxruntime/onnx_fields.hpp"
#include "os/file.hpp"
#include "os/process.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

using namespace protobuf;

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

bool is_of_any_rank(std::string_view value) {
  const auto type = content_of(value, value_type);
  const auto tensor = type ? content_of(*type, type_tensor) : std::nullopt;
  return tensor && !content_of(*tensor, tensor_shape);
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& file, Weights weights) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::error_code unreadable;
  const auto size = std::filesystem::file_size(file, unreadable);
  if (!descriptor.is_open() || unreadable || size == 0) return;
  if (weights == Weights::mapped) {
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
    if (memory != MAP_FAILED) bytes_ = {static_cast<const char*>(memory), size};
    return;
  }
  read_ = allocate_floats(size / sizeof(float) + 1);
  if (!read_) throw std::bad_alloc();
  auto* const memory = reinterpret_cast<char*>(read_.get());
  std::size_t have = 0;
  for (ssize_t got = 1; got > 0 && have < size; have += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
    got = ::read(descriptor.get(), memory + have, size - have);
  if (have != size)
    throw std::runtime_error(file.filename().string() + " changed while it was read; load it again");
  bytes_ = {memory, size};
}

FileBytes::~FileBytes() {
  if (!read_ && !bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

std::set<std::string> inputs_of_any_rank(std::string_view model) {
  std::set<std::string> names;
  auto graph = content_of(model, model_graph).value_or("");
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
  NEPH_TRY(const auto model, read_regular_file(file));
  return with_input_shapes(std::string_view(model), shapes);
}

}  // namespace neph::engine::onnxruntime_plugin
