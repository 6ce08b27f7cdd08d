// Operators of libtorch on tensors of 32-bit floats, called by name through its dispatcher. All of those that
// a plan needs and that libtorch has; what the stable ABI cannot call (whatever takes a Scalar) is in
// elementwise.hpp.
//
// What it does not do: record what was done, for gradients.
// Threads: one at a time. Ownership: results are the caller's. Errors: Failure.
// Cost: one to three microseconds a call beside the operator itself.
#pragma once

#include <array>
#include <optional>

#include "engine/torch/failure.hpp"
#include "engine/torch/tensor.hpp"

namespace neph::engine::torch_plugin {

/// Of a convolution or a pooling, with the same padding at both ends.
struct Window2d {
  Sizes kernel;  ///< height, width
  Sizes stride;
  Sizes padding;
  Sizes dilation;
  std::int64_t groups = 1;
  bool ceil = false;           ///< windows that begin inside count
  bool count_padding = false;  ///< of averages
};

/// Which gradients a backward pass is asked for.
struct Wanted {
  bool input = false;
  bool weight = false;
  bool bias = false;
};

class Ops {
 public:
  Ops(const Abi& abi, std::int32_t device_type, std::int32_t device_index);

  const Abi& abi() const { return *abi_; }
  bool on_cpu() const { return device_type_ == abi_->cpu(); }

  // Memory.
  Tensor empty(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) const;
  Tensor empty(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
               std::int32_t dtype) const;
  Tensor empty_like(const Tensor& like) const { return empty(like.sizes(), like.strides()); }
  Tensor filled(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                double value) const;
  /// Room for so many bytes.
  Tensor empty_bytes(std::int64_t count) const;
  /// The caller's own memory, which must outlive the tensor. Always the CPU's.
  Tensor wrap(const float* data, std::span<const std::int64_t> sizes,
              std::span<const std::int64_t> strides) const;
  Tensor wrap(const std::int64_t* data, std::span<const std::int64_t> sizes) const;
  /// A copy in memory of its own, on this device.
  Tensor own(const Tensor& x) const;
  /// A copy on a GPU that comes behind what it was told before: `x` must stay until the GPU has taken it.
  Tensor own_behind(const Tensor& x) const;
  /// The tensor itself where it is on this device already, else a copy.
  Tensor here(const Tensor& x) const;
  Tensor view(const Tensor& x, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
              std::int64_t offset = 0) const;
  void copy(const Tensor& to, const Tensor& from) const;
  /// The tensor itself where its strides are these, else a copy.
  Tensor ordered(const Tensor& x, std::span<const std::int64_t> strides) const;
  /// The same in usual_order().
  Tensor usual(const Tensor& x) const { return ordered(x, usual_order(x.sizes())); }
  /// The tensor itself where it is dense, row-major or in usual_order(); else a copy in that order.
  Tensor dense(const Tensor& x) const;
  /// Dense and row-major on the CPU, to be read there.
  Tensor for_reading(const Tensor& x) const;
  Tensor to_bfloat16(const Tensor& x) const { return convert(x, abi_->bfloat16()); }
  Tensor to_float(const Tensor& x) const { return convert(x, abi_->float32()); }
  Tensor convert(const Tensor& x, std::int32_t dtype) const;  ///< a copy, of another type
  float number(const Tensor& x) const;

  // Shapes: views wherever that is possible.
  Tensor reshape(const Tensor& x, std::span<const std::int64_t> sizes) const;
  Tensor permute(const Tensor& x, std::span<const std::int64_t> order) const;
  Tensor narrow(const Tensor& x, std::int64_t dimension, std::int64_t begin, std::int64_t length) const;
  Tensor expand(const Tensor& x, std::span<const std::int64_t> sizes) const;
  Tensor cat(std::span<const Tensor> parts, std::int64_t dimension) const;
  Tensor flip(const Tensor& x, std::int64_t dimension) const;

  // Arithmetic.
  Tensor add(const Tensor& a, const Tensor& b) const;  ///< sizes as libtorch broadcasts them
  Tensor subtract(const Tensor& a, const Tensor& b) const;
  Tensor multiply(const Tensor& a, const Tensor& b) const;
  Tensor sum(const Tensor& x, std::span<const std::int64_t> dimensions, bool keep) const;
  Tensor mean(const Tensor& x, std::span<const std::int64_t> dimensions, bool keep) const;
  Tensor greater(const Tensor& a, const Tensor& b) const;  ///< booleans
  Tensor choose(const Tensor& condition, const Tensor& yes, const Tensor& no) const;
  Tensor clamp(const Tensor& x, const Tensor& low, const Tensor& high) const;
  Tensor sigmoid(const Tensor& x) const;
  Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result) const;
  Tensor tanh(const Tensor& x) const;
  Tensor tanh_backward(const Tensor& gradient, const Tensor& result) const;
  Tensor relu(const Tensor& x) const;
  Tensor softmax(const Tensor& x, std::int64_t dimension) const;
  std::array<Tensor, 2> dropout(const Tensor& x, double ratio) const;  ///< and the mask
  Tensor dropout_backward(const Tensor& gradient, const Tensor& mask, double scale) const;

  // Products.
  Tensor matmul(const Tensor& a, const Tensor& b) const;
  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) const;  ///< x weight^T + bias
  /// The same of matrices by oneDNN, which libtorch itself asks for lower precisions only: on AMD's
  /// processors it is up to 1.6 times as fast as MKL. An operator of libtorch's compiler: a release may lack
  /// it.
  Tensor linear_by_onednn(const Tensor& x, const Tensor& weight, const Tensor& bias) const;
  /// Whether that works here, found out by a small product.
  bool has_linear_by_onednn() const;
  Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const Window2d& window) const;
  /// Gradients of input, weight and bias; those not asked for are empty.
  std::array<Tensor, 3> convolution_backward(const Tensor& gradient, const Tensor& x, const Tensor& weight,
                                             const Window2d& window, Wanted wanted) const;

  // Normalisation: the output, mean and inverse deviation of the batch.
  std::array<Tensor, 3> batch_norm(const Tensor& x, const Tensor& scale, const Tensor& bias,
                                   const Tensor& mean, const Tensor& variance, bool training, double momentum,
                                   double epsilon) const;
  std::array<Tensor, 3> batch_norm_backward(const Tensor& gradient, const Tensor& x, const Tensor& scale,
                                            const Tensor& batch_mean, const Tensor& batch_deviation,
                                            double epsilon, Wanted wanted) const;

  // Pooling.
  std::array<Tensor, 2> max_pool(const Tensor& x, const Window2d& window) const;  ///< and the indices
  Tensor max_pool_backward(const Tensor& gradient, const Tensor& x, const Window2d& window,
                           const Tensor& indices) const;
  Tensor average_pool(const Tensor& x, const Window2d& window) const;
  Tensor average_pool_backward(const Tensor& gradient, const Tensor& x, const Window2d& window) const;

  // Losses: means over the examples unless said otherwise.
  Tensor log_softmax(const Tensor& x, std::int64_t dimension) const;
  Tensor log_softmax_backward(const Tensor& gradient, const Tensor& result, std::int64_t dimension) const;
  enum class Reduction : std::int64_t { none = 0, mean = 1, sum = 2 };
  std::array<Tensor, 2> nll_loss(const Tensor& x, const Tensor& labels, Reduction reduction) const;
  Tensor nll_loss_backward(const Tensor& gradient, const Tensor& x, const Tensor& labels, Reduction reduction,
                           const Tensor& total_weight) const;
  std::array<Tensor, 2> ctc_loss(const Tensor& log_probabilities, const Tensor& labels,
                                 std::span<const std::int64_t> steps,
                                 std::span<const std::int64_t> lengths) const;
  Tensor ctc_loss_backward(const Tensor& gradient, const Tensor& log_probabilities, const Tensor& labels,
                           std::span<const std::int64_t> steps, std::span<const std::int64_t> lengths,
                           const std::array<Tensor, 2>& forward) const;
  Tensor largest(const Tensor& x, std::int64_t dimension) const;  ///< its index
  std::int64_t count_equal(const Tensor& a, const Tensor& b) const;

  // Optimisers: one call for all parameters.
  struct Adam {
    double rate = 0;
    double decay = 0;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
  };
  void adam(std::span<const Tensor> parameters, std::span<const Tensor> gradients,
            std::span<const Tensor> means, std::span<const Tensor> squares, std::span<const Tensor> steps,
            const Adam& settings) const;
  struct Descent {
    double rate = 0;
    double decay = 0;
    double momentum = 0;
  };
  void sgd(std::span<const Tensor> parameters, std::span<const Tensor> gradients,
           std::span<const Tensor> momenta, const Descent& settings, bool first) const;

 private:
  template <std::size_t Results, class... Arguments>
  std::array<Tensor, Results> call(const char* name, const char* overload,
                                   const Arguments&... arguments) const;
  template <class... Arguments>
  Tensor call1(const char* name, const char* overload, const Arguments&... arguments) const;

  const Abi* abi_;
  std::int32_t device_type_;
  std::int32_t device_index_;
};

}  // namespace neph::engine::torch_plugin
