#include "net/operator.hpp"

#include <algorithm>

namespace neph::net {
namespace {

template <class T>
const T* attribute(const NodeOutline& node, std::string_view name) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

bool is_unsigned(int type) {
  constexpr std::array types{2, 4, 12, 13, 21};  // uint8, uint16, uint32, uint64, uint4
  return std::find(types.begin(), types.end(), type) != types.end();
}

int element_bits(int type) {
  switch (type) {
    case 0:   // not stated
    case 1:   // float
    case 6:   // int32
    case 12:  // uint32
      return 32;
    case 2:   // uint8
    case 3:   // int8
    case 9:   // bool
    case 17:  // the four float8 types
    case 18:
    case 19:
    case 20:
    case 24:  // float8e8m0
      return 8;
    case 4:   // uint16
    case 5:   // int16
    case 10:  // float16
    case 16:  // bfloat16
      return 16;
    case 7:   // int64
    case 11:  // double
    case 13:  // uint64
    case 14:  // complex64
      return 64;
    case 15:  // complex128
      return 128;
    case 21:  // uint4
    case 22:  // int4
    case 23:  // float4e2m1
      return 4;
    case 25:  // uint2
    case 26:  // int2
      return 2;
    default:
      return 0;
  }
}

bool holds_learned_numbers(int type) {
  constexpr std::array others{4, 5, 6, 7, 8, 9, 12, 13};  // 16 to 64 bit integers, strings, flags
  return std::find(others.begin(), others.end(), type) == others.end();
}

Result<std::int64_t> byte_count(const Shape& shape, int type) {
  NEPH_TRY(const auto count, element_count(shape));
  NEPH_TRY(const auto bits, checked_product(count, element_bits(type)));
  return bits / 8 + (bits % 8 != 0);
}

const Tensor& Call::input(std::size_t i) const {
  static const Tensor nothing;
  return has(i) ? *inputs_[i] : nothing;
}

std::int64_t Call::integer(std::string_view name, std::int64_t absent) const {
  const auto* value = attribute<std::int64_t>(node_, name);
  return value ? *value : absent;
}

Integers Call::integers(std::string_view name) const {
  const auto* value = attribute<Integers>(node_, name);
  return value ? *value : Integers{};
}

std::optional<Integers> Call::integers(std::string_view name, std::size_t i) const {
  auto values = partly_open(name, i);
  if (values && std::find(values->begin(), values->end(), kOpen) != values->end()) return std::nullopt;
  return values;
}

std::optional<Integers> Call::partly_open(std::string_view name, std::size_t i) const {
  if (const auto* value = attribute<Integers>(node_, name)) return *value;
  return input(i).values;
}

std::optional<Reals> Call::reals(std::string_view name, std::size_t i) const {
  if (const auto* value = attribute<Reals>(node_, name)) return *value;
  return input(i).reals;
}

MaybeShape Call::sizes(std::size_t i) const {
  const Tensor& asked = input(i);
  if (asked.values) {
    Shape shape = *asked.values;
    std::replace(shape.begin(), shape.end(), kOpen, kUnknown);
    return shape;
  }
  const bool counted = is_known(asked.shape) && asked.shape->size() == 1 &&
                       asked.shape->front() <= std::int64_t{kMostDimensions};
  return counted ? MaybeShape(Shape(static_cast<std::size_t>(asked.shape->front()), kUnknown)) : std::nullopt;
}

std::int64_t Call::size(std::size_t i) const {
  const Tensor& tensor = input(i);
  if (tensor.values && tensor.values->size() == 1) return std::max(tensor.values->front(), kUnknown);
  const bool real = tensor.reals && tensor.reals->size() == 1;
  const double value = real ? tensor.reals->front() : -1;
  return value >= 0 && value < 1e15 ? static_cast<std::int64_t>(value) : kUnknown;
}

std::optional<std::size_t> Call::length(std::size_t i) const {
  const MaybeShape& list = shape(i);
  if (!is_known(list) || list->size() > 1) return std::nullopt;
  return list->empty() ? 1 : static_cast<std::size_t>(list->front());
}

int Call::type(std::string_view name, int otherwise) const {
  return static_cast<int>(integer(name, otherwise) & 0xff);
}

const Tensor* Call::tensor(std::string_view name) const { return attribute<Tensor>(node_, name); }

std::string Call::text(std::string_view name) const {
  const auto* value = attribute<std::string>(node_, name);
  return value ? *value : std::string();
}

std::size_t Call::text_count(std::string_view name) const {
  const auto* texts = attribute<std::vector<std::string>>(node_, name);
  return texts ? texts->size() : 0;
}

Result<Effect> untold(const Call&) { return Effect{}; }

const Operator* find_operator(std::string_view name) {
  for (const auto family :
       {window_operators(), product_operators(), attention_operators(), element_operators(),
        movement_operators(), reduction_operators(), picture_operators(), selection_operators(),
        reshape_operators(), signal_operators(), table_operators(), contrib_operators()})
    for (const auto& entry : family)
      if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace neph::net
