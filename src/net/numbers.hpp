// Elements of small constants: where each of them comes from.
#pragma once

#include <functional>

#include "net/operator.hpp"

namespace neph::net {

using Places = std::vector<std::size_t>;

/// Turns an index of a result into the index of where it comes from.
using Source = std::function<Shape(const Shape& at)>;

bool has_numbers(const Tensor& tensor);

/// Elements of a shape small enough to be followed; nothing for others.
std::optional<std::size_t> small_count(const MaybeShape& shape);

/// Calls `visit` with the index of each element of a small shape, in their order.
template <class Visit>
void each_index(const Shape& shape, std::size_t count, Visit visit) {
  Shape at(shape.size(), 0);
  for (std::size_t k = 0; k < count; ++k) {
    visit(at);
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (++at[i] < shape[i]) break;
      at[i] = 0;
    }
  }
}

/// Position of an index among a tensor's elements; nothing outside of it.
std::optional<std::size_t> position(const Shape& shape, const Shape& at);

/// Where each element of `to` comes from in `from`; nothing where one comes from outside of it.
std::optional<Places> places_of(const Tensor& from, const Tensor& to, const Source& source);

template <class T>
std::optional<T> chosen(const std::optional<T>& from, const Places& places) {
  if (!from) return std::nullopt;
  T elements;
  for (const auto place : places) elements.push_back((*from)[place]);
  return elements;
}

/// The index in a tensor that is broadcast to a larger one.
Shape broadcast_source(const Shape& from, const Shape& at);

/// Numbers of a result that is calculated; false: the operator is none that calculates.
bool fold_arithmetic(const Call& call, Effect& effect);

}  // namespace neph::net
