// The engines' element types in the protocol's words. Only for files of this module.
#pragma once

#include "engine/engine.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

constexpr wire::DataType datatype_of(engine::Element element) {
  using engine::Element;
  using wire::DataType;
  switch (element) {
    case Element::f32:
      return DataType::f32;
    case Element::f16:
      return DataType::f16;
    case Element::bf16:
      return DataType::bf16;
    case Element::f64:
      return DataType::f64;
    case Element::u8:
      return DataType::u8;
    case Element::u16:
      return DataType::u16;
    case Element::u32:
      return DataType::u32;
    case Element::u64:
      return DataType::u64;
    case Element::i8:
      return DataType::i8;
    case Element::i16:
      return DataType::i16;
    case Element::i32:
      return DataType::i32;
    case Element::i64:
      return DataType::i64;
    case Element::text:
      return DataType::bytes;
    case Element::boolean:
      break;
  }
  return DataType::boolean;
}

}  // namespace neph::serve
