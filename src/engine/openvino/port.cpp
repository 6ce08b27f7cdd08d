#include "engine/openvino/port.hpp"

#include <array>
#include <openvino/core/node.hpp>
#include <openvino/core/type/element_type.hpp>
#include <optional>

namespace neph::engine {
namespace {

std::optional<Element> element_of(const ov::element::Type& type) {
  struct Pair {
    ov::element::Type_t theirs;
    Element ours;
  };
  using enum ov::element::Type_t;
  constexpr std::array pairs{
      Pair{f32, Element::f32},        Pair{f16, Element::f16}, Pair{bf16, Element::bf16},
      Pair{f64, Element::f64},        Pair{u8, Element::u8},   Pair{u16, Element::u16},
      Pair{u32, Element::u32},        Pair{u64, Element::u64}, Pair{i8, Element::i8},
      Pair{i16, Element::i16},        Pair{i32, Element::i32}, Pair{i64, Element::i64},
      Pair{boolean, Element::boolean}};
  for (const auto& pair : pairs)
    if (type == pair.theirs) return pair.ours;
  return std::nullopt;
}

std::vector<std::int64_t> shape_of(const ov::PartialShape& shape) {
  std::vector<std::int64_t> dimensions;
  if (shape.rank().is_dynamic()) return dimensions;
  for (const auto& dimension : shape)
    dimensions.push_back(dimension.is_static() ? dimension.get_length() : -1);
  return dimensions;
}

}  // namespace

std::string file_name_of(const ov::Output<const ov::Node>& end) {
  constexpr std::string_view result = "/sink_port_0";  // what the ONNX reader puts behind an output's name
  std::string_view own = end.get_node()->get_friendly_name();
  if (own.ends_with(result)) own.remove_suffix(result.size());
  const auto& aliases = end.get_names();
  return aliases.empty() || aliases.contains(std::string(own)) ? std::string(own) : end.get_any_name();
}

Result<std::vector<Port>> ports_of(const std::vector<ov::Output<const ov::Node>>& ends) {
  std::vector<Port> ports;
  for (const auto& end : ends) {
    const auto name = file_name_of(end);
    const auto element = element_of(end.get_element_type());
    if (!element)
      return fail(ErrorCode::unsupported, "'{}' holds elements of type {}, which neph cannot pass on{}", name,
                  end.get_element_type().get_type_name(),
                  end.get_element_type() == ov::element::string ? "; --engine onnxruntime takes text" : "");
    const auto& shape = end.get_partial_shape();
    ports.push_back({.name = name,
                     .element = *element,
                     .shape = shape_of(shape),
                     .open_rank = shape.rank().is_dynamic()});
  }
  return ports;
}

}  // namespace neph::engine
