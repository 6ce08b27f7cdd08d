// Elements of a tensor as numbers. Only for files of this module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

namespace neph::engine {

/// Number `i` of `data`.
double element_value(Element element, const void* data, std::size_t i);
/// Writes number `i` of `data`. Integers: the lowest bytes of a whole number from 0 up.
void set_element(Element element, void* data, std::size_t i, double value);

}  // namespace neph::engine
