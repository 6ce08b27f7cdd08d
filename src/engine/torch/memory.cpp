// Of Ops: where tensors lie.
#include "engine/torch/ops.hpp"

namespace neph::engine::torch_plugin {

Tensor Ops::empty(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) const {
  return empty(sizes, strides, abi_->float32());
}

Tensor Ops::empty(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                  std::int32_t dtype) const {
  AtenTensorHandle made = nullptr;
  check(abi_->empty(static_cast<std::int64_t>(sizes.size()), sizes.data(), strides.data(), dtype,
                    device_type_, device_index_, &made),
        "memory of a tensor");
  return {*abi_, made};
}

Tensor Ops::filled(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                   double value) const {
  auto made = empty(sizes, strides);
  check(abi_->fill(made.handle(), value), "filling a tensor");
  return made;
}

Tensor Ops::empty_bytes(std::int64_t count) const {
  // Floats of as many bytes, so that no more of the ABI is needed.
  const Sizes sizes{(count + 3) / 4};
  return empty(sizes, Sizes{1});
}

Tensor Ops::wrap(const float* data, std::span<const std::int64_t> sizes,
                 std::span<const std::int64_t> strides) const {
  AtenTensorHandle made = nullptr;
  check(abi_->from_memory(const_cast<float*>(data), static_cast<std::int64_t>(sizes.size()), sizes.data(),
                          strides.data(), 0, abi_->float32(), abi_->cpu(), 0, &made),
        "a tensor of memory");
  return {*abi_, made};
}

Tensor Ops::wrap(const std::int64_t* data, std::span<const std::int64_t> sizes) const {
  AtenTensorHandle made = nullptr;
  check(abi_->from_memory(const_cast<std::int64_t*>(data), static_cast<std::int64_t>(sizes.size()),
                          sizes.data(), row_major(sizes).data(), 0, abi_->int64(), abi_->cpu(), 0, &made),
        "a tensor of memory");
  return {*abi_, made};
}

Tensor Ops::own(const Tensor& x) const {
  auto made = empty(x.sizes(), x.strides(), x.dtype());
  copy(made, x);
  return made;
}

Tensor Ops::own_behind(const Tensor& x) const {
  auto made = empty(x.sizes(), x.strides(), x.dtype());
  check(abi_->copy(made.handle(), x.handle(), 1), "a tensor's copy");
  return made;
}

Tensor Ops::here(const Tensor& x) const { return on_cpu() ? x : own(x); }

Tensor Ops::view(const Tensor& x, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                 std::int64_t offset) const {
  AtenTensorHandle made = nullptr;
  std::int64_t begin = 0;
  check(abi_->offset(x.handle(), &begin), "a tensor's offset");
  check(abi_->view(x.handle(), static_cast<std::int64_t>(sizes.size()), sizes.data(), strides.data(),
                   begin + offset, &made),
        "a view of a tensor");
  return {*abi_, made};
}

void Ops::copy(const Tensor& to, const Tensor& from) const {
  check(abi_->copy(to.handle(), from.handle(), 0), "a tensor's copy");
}

Tensor Ops::ordered(const Tensor& x, std::span<const std::int64_t> strides) const {
  if (same_places(x.sizes(), x.strides(), strides)) return x;
  auto made = empty(x.sizes(), strides, x.dtype());
  copy(made, x);
  return made;
}

Tensor Ops::dense(const Tensor& x) const {
  return same_places(x.sizes(), x.strides(), row_major(x.sizes())) ? x : usual(x);
}

Tensor Ops::for_reading(const Tensor& x) const {
  const auto strides = row_major(x.sizes());
  if (on_cpu()) return ordered(x, strides);
  AtenTensorHandle made = nullptr;
  check(abi_->empty(x.rank(), x.sizes().data(), strides.data(), x.dtype(), abi_->cpu(), 0, &made),
        "memory of a tensor");
  Tensor result(*abi_, made);
  copy(result, x);
  return result;
}

float Ops::number(const Tensor& x) const {
  float value = 0;
  check(abi_->item(x.handle(), &value), "a number");
  return value;
}

Tensor Ops::subtract(const Tensor& a, const Tensor& b) const {
  AtenTensorHandle made = nullptr;
  check(abi_->subtract(a.handle(), b.handle(), 1.0, &made), "a difference");
  return {*abi_, made};
}

Tensor Ops::add(const Tensor& a, const Tensor& b) const {
  AtenTensorHandle made = nullptr;
  check(abi_->subtract(a.handle(), b.handle(), -1.0, &made), "a sum");
  return {*abi_, made};
}

}  // namespace neph::engine::torch_plugin
