#include "engine/torch/request_memory.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// Calls `use` with a null pointer to the type of an element.
template <class Use>
void with_type(Element element, const Use& use) {
  switch (element) {
    case Element::f32:
      return use(static_cast<float*>(nullptr));
    case Element::f64:
      return use(static_cast<double*>(nullptr));
    case Element::i64:
    case Element::u64:
      return use(static_cast<std::int64_t*>(nullptr));
    case Element::i32:
      return use(static_cast<std::int32_t*>(nullptr));
    case Element::u32:
      return use(static_cast<std::uint32_t*>(nullptr));
    case Element::i16:
      return use(static_cast<std::int16_t*>(nullptr));
    case Element::u16:
      return use(static_cast<std::uint16_t*>(nullptr));
    case Element::i8:
      return use(static_cast<std::int8_t*>(nullptr));
    case Element::u8:
    case Element::boolean:
      return use(static_cast<std::uint8_t*>(nullptr));
    case Element::f16:
    case Element::bf16:
    case Element::text:
      break;
  }
  throw Failure("text, or numbers of 16-bit floats");  // load_model() refuses them
}

template <class To, class From>
void convert(void* to, const void* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    static_cast<To*>(to)[i] = static_cast<To>(static_cast<const From*>(from)[i]);
}

/// A tensor on the CPU with the elements converted.
Tensor converted(const Ops& ops, Element element, const Sizes& sizes, const void* data) {
  const auto count = product(sizes);
  Tensor made;
  const auto take = [&]<class From>(From*) {
    if constexpr (std::is_floating_point_v<From>) {
      std::vector<float> floats(static_cast<std::size_t>(count));
      convert<float, From>(floats.data(), data, count);
      made = ops.own(ops.wrap(floats.data(), sizes, row_major(sizes)));
    } else {
      std::vector<std::int64_t> integers(static_cast<std::size_t>(count));
      convert<std::int64_t, From>(integers.data(), data, count);
      made = ops.own(ops.wrap(integers.data(), sizes));
    }
  };
  with_type(element, take);
  return element == Element::boolean ? ops.convert(made, ops.abi().boolean()) : made;
}

}  // namespace

Tensor read_input(const Ops& ops, Element element, const Sizes& sizes, const void* data) {
  const auto order = usual_order(sizes);
  if (element == Element::i64)
    return ops.usual(ops.here(ops.wrap(static_cast<const std::int64_t*>(data), sizes)));
  if (element != Element::f32) return ops.usual(ops.here(converted(ops, element, sizes, data)));
  const auto* floats = static_cast<const float*>(data);
  // One channel has the same places either way; the strides make libtorch choose its faster convolutions.
  if (same_places(sizes, row_major(sizes), order)) return ops.here(ops.wrap(floats, sizes, order));
  return ops.usual(ops.here(ops.wrap(floats, sizes, row_major(sizes))));
}

void write_output(const Ops& ops, const Tensor& value, Element element, void* data) {
  const auto& abi = ops.abi();
  if (element == Element::f32 && value.dtype() == abi.float32())
    return ops.copy(ops.wrap(static_cast<float*>(data), value.sizes(), row_major(value.sizes())), value);
  const bool floats = value.dtype() == abi.float32();
  const auto read =
      ops.for_reading(floats || value.dtype() == abi.int64() ? value : ops.convert(value, abi.int64()));
  with_type(element, [&]<class To>(To*) {
    if (floats) return convert<To, float>(data, read.data(), read.count());
    convert<To, std::int64_t>(data, read.data(), read.count());
  });
}

}  // namespace neph::engine::torch_plugin
