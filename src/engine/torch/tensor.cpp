#include "engine/torch/tensor.hpp"

#include <numeric>

#include "engine/torch/failure.hpp"

namespace neph::engine::torch_plugin {

Tensor::Tensor(const Tensor& other) : abi_(other.abi_) {
  if (other.handle_ != nullptr) check(abi_->share_tensor(other.handle_, &handle_), "a tensor's handle");
}

Tensor::~Tensor() {
  if (handle_ != nullptr) abi_->delete_tensor(handle_);
}

std::span<const std::int64_t> Tensor::sizes() const {
  std::int64_t* sizes = nullptr;
  check(abi_->sizes(handle_, &sizes), "a tensor's sizes");
  return {sizes, static_cast<std::size_t>(rank())};
}

std::span<const std::int64_t> Tensor::strides() const {
  std::int64_t* strides = nullptr;
  check(abi_->strides(handle_, &strides), "a tensor's strides");
  return {strides, static_cast<std::size_t>(rank())};
}

std::int64_t Tensor::rank() const {
  std::int64_t rank = 0;
  check(abi_->rank(handle_, &rank), "a tensor's rank");
  return rank;
}

std::int64_t Tensor::count() const {
  std::int64_t count = 0;
  check(abi_->count(handle_, &count), "a tensor's size");
  return count;
}

std::int32_t Tensor::dtype() const {
  std::int32_t dtype = 0;
  check(abi_->dtype(handle_, &dtype), "a tensor's type");
  return dtype;
}

void* Tensor::data() const {
  void* data = nullptr;
  check(abi_->data(handle_, &data), "a tensor's memory");
  return data;
}

std::int64_t product(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

Sizes row_major(std::span<const std::int64_t> sizes) {
  Sizes strides(sizes.size(), 1);
  for (auto i = static_cast<std::ptrdiff_t>(sizes.size()) - 2; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    strides[at] = strides[at + 1] * std::max<std::int64_t>(sizes[at + 1], 1);
  }
  return strides;
}

Sizes channels_last(std::span<const std::int64_t> sizes) {
  return {sizes[1] * sizes[2] * sizes[3], 1, sizes[3] * sizes[1], sizes[1]};
}

Sizes usual_order(std::span<const std::int64_t> sizes) {
  return sizes.size() == 4 ? channels_last(sizes) : row_major(sizes);
}

bool same_places(std::span<const std::int64_t> sizes, std::span<const std::int64_t> a,
                 std::span<const std::int64_t> b) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && a[i] != b[i]) return false;
  return true;
}

}  // namespace neph::engine::torch_plugin
