#include "engine/onnxruntime/zip_map.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/protobuf.hpp"
#include "engine/onnxruntime/onnx_fields.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

using namespace protobuf;

constexpr std::size_t most_named = 8;  ///< classes in a note

/// By the name of the tensor of maps: the classes, as its node lists them.
using ZipMaps = std::map<std::string, std::vector<std::string>, std::less<>>;

bool is_zip_map(std::string_view node) {
  return content_of(node, node_operator) == "ZipMap" && content_of(node, node_domain) == "ai.onnx.ml";
}

/// Numbers come one by one or packed, as whoever wrote the file had it.
void add_numbers(const Field& field, std::vector<std::string>& classes) {
  if (field.wire == varint) return classes.push_back(std::to_string(static_cast<std::int64_t>(field.value)));
  for (auto packed = field.content; !packed.empty();) {
    const auto number = take_varint(packed);
    if (!number) return;
    classes.push_back(std::to_string(static_cast<std::int64_t>(*number)));
  }
}

std::vector<std::string> classes_of(std::string_view node) {
  std::vector<std::string> classes;
  each_field(node, [&](const Field& field) {
    if (field.number != node_attribute) return;
    each_field(field.content, [&](const Field& part) {
      if (part.number == attribute_ints) add_numbers(part, classes);
      if (part.number == attribute_strings) classes.emplace_back(part.content);
    });
  });
  return classes;
}

ZipMaps zip_maps_of(std::string_view graph) {
  ZipMaps found;
  each_field(graph, [&](const Field& field) {
    if (field.number == graph_node && is_zip_map(field.content))
      found.emplace(content_of(field.content, node_output).value_or(""), classes_of(field.content));
  });
  return found;
}

std::string note_of(std::string_view output, const std::vector<std::string>& classes) {
  auto named = classes;
  if (named.size() > most_named) {
    named.resize(most_named);
    named.push_back(fmt::format("{} more", classes.size() - most_named));
  }
  return fmt::format(
      "output '{}': the scores that ZipMap would make maps of, a column for each class ({}); to export it "
      "so: "
      "options={{'zipmap': False}}",
      output, fmt::join(named, ", "));
}

/// A node that hands on what the ZipMap is given.
std::string handing_on(std::string_view node) {
  std::string made;
  each_field(node, [&](const Field& field) {
    if (field.number == node_input || field.number == node_output || field.number == node_name)
      put_field(made, field.number, field.content);
  });
  put_field(made, node_operator, "Identity");
  return made;
}

/// Of floats: rows, and a column for each class.
std::string output_of_scores(std::string_view name, std::size_t classes) {
  std::string columns, shape, tensor, type, value;
  put_varint(columns, dimension_value << 3 | varint);
  put_varint(columns, classes);
  put_field(shape, shape_dimension, "");
  put_field(shape, shape_dimension, columns);
  put_varint(tensor, tensor_element << 3 | varint);
  put_varint(tensor, element_float);
  put_field(tensor, tensor_shape, shape);
  put_field(type, type_tensor, tensor);
  put_field(value, value_name, name);
  put_field(value, value_type, type);
  return value;
}

}  // namespace

std::optional<WithoutZipMaps> without_zip_maps(std::string_view model) {
  const auto maps = zip_maps_of(content_of(model, model_graph).value_or(""));
  if (maps.empty()) return std::nullopt;
  WithoutZipMaps result;
  const Change node = [&](std::string_view message) {
    return is_zip_map(message) ? handing_on(message) : std::string(message);
  };
  const Change value = [&](std::string_view message) {
    const auto map = maps.find(content_of(message, value_name).value_or(""));
    return map != maps.end() ? output_of_scores(map->first, map->second.size()) : std::string(message);
  };
  const Change output = [&](std::string_view message) {
    const auto map = maps.find(content_of(message, value_name).value_or(""));
    if (map != maps.end()) result.notes.push_back(note_of(map->first, map->second));
    return value(message);
  };
  auto made = changed(model, only(model_graph, [&](std::string_view graph) {
                        return changed(graph, [&](std::uint64_t number) {
                          if (number == graph_node) return node;
                          if (number == graph_output) return output;
                          return number == graph_value_info ? value : Change();
                        });
                      }));
  if (!made || result.notes.empty()) return std::nullopt;
  result.model = std::move(*made);
  return result;
}

}  // namespace neph::engine::onnxruntime_plugin
