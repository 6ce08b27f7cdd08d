// Elements as a server calls them, and as an engine does.
#pragma once

#include "engine/engine.hpp"
#include "wire/wire.hpp"

namespace neph::workload {

namespace detail {
struct WireType {
  engine::Element element;
  wire::DataType type;
};
inline constexpr std::array wire_types{WireType{engine::Element::f32, wire::DataType::f32},
                                       WireType{engine::Element::f16, wire::DataType::f16},
                                       WireType{engine::Element::bf16, wire::DataType::bf16},
                                       WireType{engine::Element::f64, wire::DataType::f64},
                                       WireType{engine::Element::u8, wire::DataType::u8},
                                       WireType{engine::Element::u16, wire::DataType::u16},
                                       WireType{engine::Element::u32, wire::DataType::u32},
                                       WireType{engine::Element::u64, wire::DataType::u64},
                                       WireType{engine::Element::i8, wire::DataType::i8},
                                       WireType{engine::Element::i16, wire::DataType::i16},
                                       WireType{engine::Element::i32, wire::DataType::i32},
                                       WireType{engine::Element::i64, wire::DataType::i64},
                                       WireType{engine::Element::boolean, wire::DataType::boolean},
                                       WireType{engine::Element::text, wire::DataType::bytes}};
}  // namespace detail

constexpr wire::DataType type_of(engine::Element element) {
  for (const auto& pair : detail::wire_types)
    if (pair.element == element) return pair.type;
  return wire::DataType::bytes;
}
constexpr engine::Element element_of(wire::DataType type) {
  for (const auto& pair : detail::wire_types)
    if (pair.type == type) return pair.element;
  return engine::Element::text;
}

}  // namespace neph::workload
