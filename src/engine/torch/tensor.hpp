// A tensor of libtorch, held by its handle.
//
// Threads: as int. Ownership: copies share the elements. Cost: a copy allocates some bytes for its handle.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/torch/abi.hpp"

namespace neph::engine::torch_plugin {

using Sizes = std::vector<std::int64_t>;

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Abi& abi, AtenTensorHandle handle) : abi_(&abi), handle_(handle) {}
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept : abi_(other.abi_), handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(abi_, other.abi_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor();

  /// Whether there is one.
  explicit operator bool() const { return handle_ != nullptr; }
  AtenTensorHandle handle() const { return handle_; }

  std::span<const std::int64_t> sizes() const;
  std::span<const std::int64_t> strides() const;
  std::int64_t size(std::size_t dimension) const { return sizes()[dimension]; }
  std::int64_t rank() const;
  std::int64_t count() const;  ///< of elements
  std::int32_t dtype() const;
  void* data() const;
  float* floats() const { return static_cast<float*>(data()); }
  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(data()); }

 private:
  const Abi* abi_ = nullptr;
  AtenTensorHandle handle_ = nullptr;
};

/// Strides of a dense tensor in row-major order.
Sizes row_major(std::span<const std::int64_t> sizes);
/// Strides of a dense [n, c, h, w] whose channels lie side by side; also of one channel, where libtorch's own
/// functions would keep to row-major strides and so choose slower convolutions.
Sizes channels_last(std::span<const std::int64_t> sizes);
/// Row-major, or with the channels last where there are four dimensions.
Sizes usual_order(std::span<const std::int64_t> sizes);
/// Whether both tensors, of the same sizes, have their elements at the same places. Strides of dimensions
/// with one element do not count.
bool same_places(std::span<const std::int64_t> sizes, std::span<const std::int64_t> a,
                 std::span<const std::int64_t> b);
std::int64_t product(std::span<const std::int64_t> sizes);

}  // namespace neph::engine::torch_plugin
