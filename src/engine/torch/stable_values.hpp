// Arguments of a call through libtorch's dispatcher, as its stable ABI takes them: 64 bits each. What does
// not fit is a handle or lies on the heap, and belongs to libtorch from then on.
#pragma once

#include <cstring>
#include <span>
#include <string_view>

#include "engine/torch/failure.hpp"
#include "engine/torch/tensor.hpp"

namespace neph::engine::torch_plugin {

struct None {};
/// Of a parameter that may be left out.
template <class T>
struct Given {
  T value;
};
/// Of a parameter that may be left out: an empty tensor is.
struct MaybeTensor {
  const Tensor& tensor;
};
struct Type {
  std::int32_t number;
};
using Integers = std::span<const std::int64_t>;
using Tensors = std::span<const Tensor>;
using Flags = std::array<bool, 3>;

template <class T>
StableIValue packed_bits(const T& value) {
  static_assert(sizeof(T) <= sizeof(StableIValue));
  StableIValue bits = 0;
  std::memcpy(&bits, &value, sizeof(value));  // in the low bytes, as on all machines that torch is built for
  return bits;
}

inline StableIValue pack(const Abi&, std::int64_t value) { return packed_bits(value); }
inline StableIValue pack(const Abi&, double value) { return packed_bits(value); }
inline StableIValue pack(const Abi&, bool value) { return packed_bits(value); }
inline StableIValue pack(const Abi&, Type value) { return packed_bits(value.number); }
inline StableIValue pack(const Abi&, None) { return 0; }

inline StableIValue pack(const Abi& abi, const Tensor& value) {
  AtenTensorHandle own = nullptr;
  check(abi.share_tensor(value.handle(), &own), "a tensor's handle");
  return packed_bits(own);
}

template <class T>
StableIValue pack_list(const Abi& abi, std::span<const T> values) {
  StableListHandle list = nullptr;
  check(abi.new_list(values.size(), &list), "a list");
  for (const auto& value : values) check(abi.push(list, pack(abi, value)), "a list's value");
  return packed_bits(list);
}
inline StableIValue pack(const Abi& abi, Integers values) { return pack_list(abi, values); }
inline StableIValue pack(const Abi& abi, Tensors values) { return pack_list(abi, values); }
inline StableIValue pack(const Abi& abi, const Sizes& values) { return pack_list(abi, Integers(values)); }
inline StableIValue pack(const Abi& abi, const Flags& values) {
  return pack_list(abi, std::span<const bool>(values));
}

inline StableIValue pack(const Abi& abi, std::string_view text) {
  StringHandle handle = nullptr;
  check(abi.new_text(text.data(), text.size(), &handle), "a text");
  return packed_bits(handle);
}

template <class T>
StableIValue pack(const Abi& abi, const Given<T>& given) {
  return packed_bits(new StableIValue(pack(abi, given.value)));  // freed by libtorch
}
inline StableIValue pack(const Abi& abi, MaybeTensor maybe) {
  return maybe.tensor ? pack(abi, Given<const Tensor&>{maybe.tensor}) : 0;
}

}  // namespace neph::engine::torch_plugin
