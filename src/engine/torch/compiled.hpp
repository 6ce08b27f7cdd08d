// The library of a package, opened, and containers of it: models with their weights, ready to run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/torch/device.hpp"
#include "engine/torch/failure.hpp"
#include "engine/torch/library.hpp"
#include "engine/torch/package.hpp"

namespace neph::engine::torch_plugin {

/// Tensors of one run; deleted with it.
class Tensors {
 public:
  Tensors(const Abi& abi, std::size_t count) : abi_(&abi), tensors_(count) {}
  ~Tensors() { clear(); }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;

  Tensor& operator[](std::size_t i) { return tensors_[i]; }
  Tensor* data() { return tensors_.data(); }
  std::size_t size() const { return tensors_.size(); }
  /// They are another's now.
  void release() { tensors_.assign(tensors_.size(), nullptr); }
  void clear() {
    for (auto& tensor : tensors_)
      if (auto* const made = std::exchange(tensor, nullptr)) abi_->delete_tensor_object(made);
  }

 private:
  const Abi* abi_;
  std::vector<Tensor> tensors_;
};

/// Closed with its last owner.
class CompiledLibrary {
 public:
  /// Errors: unsupported, with the loader's reason and what helps.
  static Result<std::shared_ptr<CompiledLibrary>> open(const Library& torch, const Package& package);
  ~CompiledLibrary();
  CompiledLibrary(const CompiledLibrary&) = delete;
  CompiledLibrary& operator=(const CompiledLibrary&) = delete;

  const PackageFunctions& functions() const { return functions_; }

 private:
  explicit CompiledLibrary(void* handle) : handle_(handle) {}
  void* handle_;
  PackageFunctions functions_{};
};

/// So many models side by side, which share weights. Threads: any.
class Runner {
 public:
  /// Errors: unsupported, unavailable (memory), with the package's reason; corrupt (another number of inputs
  /// than the package says).
  static Result<std::shared_ptr<Runner>> make(std::shared_ptr<CompiledLibrary> library,
                                              const Package& package, const Place& place, std::int64_t count);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  bool is_for(const Place& place, std::int64_t count) const {
    return device_ == place.device.name && count_ == count;
  }
  /// Takes the inputs, whether or not it fails; waits where all models are at work.
  Status run(Tensors& inputs, Tensors& outputs) const;

 private:
  Runner(std::shared_ptr<CompiledLibrary> library, std::string device, std::int64_t count)
      : library_(std::move(library)), device_(std::move(device)), count_(count) {}
  std::shared_ptr<CompiledLibrary> library_;
  std::string device_;
  std::int64_t count_;
  Container container_ = nullptr;
};

}  // namespace neph::engine::torch_plugin
