#include "engine/torch/ops.hpp"

#include "engine/torch/dispatch.hpp"

namespace neph::engine::torch_plugin {
namespace {

constexpr std::int64_t no_class = -100;  // libtorch's own default of a label that is left out

}  // namespace

Ops::Ops(const Abi& abi, std::int32_t device_type, std::int32_t device_index)
    : abi_(&abi), device_type_(device_type), device_index_(device_index) {}

template <std::size_t Results, class... Arguments>
std::array<Tensor, Results> Ops::call(const char* name, const char* overload,
                                      const Arguments&... arguments) const {
  return dispatch<Results>(*abi_, name, overload, arguments...);
}

template <class... Arguments>
Tensor Ops::call1(const char* name, const char* overload, const Arguments&... arguments) const {
  return std::move(call<1>(name, overload, arguments...)[0]);
}

// Shapes.

Tensor Ops::reshape(const Tensor& x, Integers sizes) const { return call1("aten::reshape", "", x, sizes); }
Tensor Ops::permute(const Tensor& x, Integers order) const { return call1("aten::permute", "", x, order); }
Tensor Ops::narrow(const Tensor& x, std::int64_t dimension, std::int64_t begin, std::int64_t length) const {
  return call1("aten::narrow", "", x, dimension, begin, length);
}
Tensor Ops::expand(const Tensor& x, Integers sizes) const {
  return call1("aten::expand", "", x, sizes, false);
}
Tensor Ops::cat(Tensors parts, std::int64_t dimension) const {
  return call1("aten::cat", "", parts, dimension);
}
Tensor Ops::flip(const Tensor& x, std::int64_t dimension) const {
  return call1("aten::flip", "", x, Sizes{dimension});
}
Tensor Ops::convert(const Tensor& x, std::int32_t dtype) const {
  return call1("aten::_to_copy", "", x, Given<Type>{{dtype}}, None{}, None{}, None{}, false, None{});
}

// Arithmetic.

Tensor Ops::multiply(const Tensor& a, const Tensor& b) const { return call1("aten::mul", "Tensor", a, b); }
Tensor Ops::sum(const Tensor& x, Integers dimensions, bool keep) const {
  return call1("aten::sum", "dim_IntList", x, Given<Integers>{dimensions}, keep, None{});
}
Tensor Ops::mean(const Tensor& x, Integers dimensions, bool keep) const {
  return call1("aten::mean", "dim", x, Given<Integers>{dimensions}, keep, None{});
}
Tensor Ops::greater(const Tensor& a, const Tensor& b) const { return call1("aten::gt", "Tensor", a, b); }
Tensor Ops::choose(const Tensor& condition, const Tensor& yes, const Tensor& no) const {
  return call1("aten::where", "self", condition, yes, no);
}
Tensor Ops::clamp(const Tensor& x, const Tensor& low, const Tensor& high) const {
  return call1("aten::clamp", "Tensor", x, MaybeTensor{low}, MaybeTensor{high});
}
Tensor Ops::sigmoid(const Tensor& x) const { return call1("aten::sigmoid", "", x); }
Tensor Ops::sigmoid_backward(const Tensor& gradient, const Tensor& result) const {
  return call1("aten::sigmoid_backward", "", gradient, result);
}
Tensor Ops::tanh(const Tensor& x) const { return call1("aten::tanh", "", x); }
Tensor Ops::tanh_backward(const Tensor& gradient, const Tensor& result) const {
  return call1("aten::tanh_backward", "", gradient, result);
}
Tensor Ops::relu(const Tensor& x) const { return call1("aten::relu", "", x); }
Tensor Ops::softmax(const Tensor& x, std::int64_t dimension) const {
  return call1("aten::_softmax", "", x, dimension, false);
}
std::array<Tensor, 2> Ops::dropout(const Tensor& x, double ratio) const {
  return call<2>("aten::native_dropout", "", x, ratio, Given<bool>{true});
}
Tensor Ops::dropout_backward(const Tensor& gradient, const Tensor& mask, double scale) const {
  return call1("aten::native_dropout_backward", "", gradient, mask, scale);
}

// Products.

Tensor Ops::matmul(const Tensor& a, const Tensor& b) const { return call1("aten::matmul", "", a, b); }
Tensor Ops::linear(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
  return call1("aten::linear", "", x, weight, MaybeTensor{bias});
}
Tensor Ops::linear_by_onednn(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
  // Text and list: of a function to be applied to the result; none.
  return call1("mkldnn::_linear_pointwise", "", x, weight, MaybeTensor{bias}, std::string_view("none"),
               Integers{}, None{});
}
bool Ops::has_linear_by_onednn() const {
  if (!on_cpu()) return false;
  const Messages unheard;
  try {
    const std::array<float, 4> x{1, 2, 3, 4};
    const std::array<float, 2> weight{5, 6};
    const auto y = linear_by_onednn(wrap(x.data(), Sizes{2, 2}, Sizes{2, 1}),
                                    wrap(weight.data(), Sizes{1, 2}, Sizes{2, 1}), {});
    return y.count() == 2 && y.dtype() == abi_->float32() && y.floats()[0] == 17 && y.floats()[1] == 39;
  } catch (const Failure&) {
    return false;
  }
}
Tensor Ops::convolution(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const Window2d& window) const {
  return call1("aten::convolution", "", x, weight, MaybeTensor{bias}, window.stride, window.padding,
               window.dilation, false, Sizes(window.stride.size(), 0), window.groups);
}
std::array<Tensor, 3> Ops::convolution_backward(const Tensor& gradient, const Tensor& x, const Tensor& weight,
                                                const Window2d& window, Wanted wanted) const {
  const Sizes bias{weight.size(0)};
  return call<3>("aten::convolution_backward", "", gradient, x, weight, Given<Integers>{bias}, window.stride,
                 window.padding, window.dilation, false, Sizes(window.stride.size(), 0), window.groups,
                 Flags{wanted.input, wanted.weight, wanted.bias});
}

// Normalisation.

std::array<Tensor, 3> Ops::batch_norm(const Tensor& x, const Tensor& scale, const Tensor& bias,
                                      const Tensor& mean, const Tensor& variance, bool training,
                                      double momentum, double epsilon) const {
  return call<3>("aten::native_batch_norm", "", x, MaybeTensor{scale}, MaybeTensor{bias}, MaybeTensor{mean},
                 MaybeTensor{variance}, training, momentum, epsilon);
}
std::array<Tensor, 3> Ops::batch_norm_backward(const Tensor& gradient, const Tensor& x, const Tensor& scale,
                                               const Tensor& batch_mean, const Tensor& batch_deviation,
                                               double epsilon, Wanted wanted) const {
  return call<3>("aten::native_batch_norm_backward", "", gradient, x, MaybeTensor{scale}, None{}, None{},
                 MaybeTensor{batch_mean}, MaybeTensor{batch_deviation}, true, epsilon,
                 Flags{wanted.input, wanted.weight, wanted.bias});
}

// Pooling.

std::array<Tensor, 2> Ops::max_pool(const Tensor& x, const Window2d& window) const {
  return call<2>("aten::max_pool2d_with_indices", "", x, window.kernel, window.stride, window.padding,
                 window.dilation, window.ceil);
}
Tensor Ops::max_pool_backward(const Tensor& gradient, const Tensor& x, const Window2d& window,
                              const Tensor& indices) const {
  return call1("aten::max_pool2d_with_indices_backward", "", gradient, x, window.kernel, window.stride,
               window.padding, window.dilation, window.ceil, indices);
}
Tensor Ops::average_pool(const Tensor& x, const Window2d& window) const {
  return call1("aten::avg_pool2d", "", x, window.kernel, window.stride, window.padding, window.ceil,
               window.count_padding, None{});
}
Tensor Ops::average_pool_backward(const Tensor& gradient, const Tensor& x, const Window2d& window) const {
  // Of windows that overlap, CUDA's kernel for channels last gives wrong gradients (torch 2.11).
  const auto row_by_row = [&](const Tensor& tensor) {
    if (on_cpu()) return tensor;
    auto made = empty(tensor.sizes(), row_major(tensor.sizes()));
    copy(made, tensor);
    return made;
  };
  return call1("aten::avg_pool2d_backward", "", row_by_row(gradient), row_by_row(x), window.kernel,
               window.stride, window.padding, window.ceil, window.count_padding, None{});
}

// Losses.

Tensor Ops::log_softmax(const Tensor& x, std::int64_t dimension) const {
  return call1("aten::_log_softmax", "", x, dimension, false);
}
Tensor Ops::log_softmax_backward(const Tensor& gradient, const Tensor& result, std::int64_t dimension) const {
  return call1("aten::_log_softmax_backward_data", "", gradient, result, dimension, Type{abi_->float32()});
}
std::array<Tensor, 2> Ops::nll_loss(const Tensor& x, const Tensor& labels, Reduction reduction) const {
  return call<2>("aten::nll_loss_forward", "", x, labels, None{}, static_cast<std::int64_t>(reduction),
                 no_class);
}
Tensor Ops::nll_loss_backward(const Tensor& gradient, const Tensor& x, const Tensor& labels,
                              Reduction reduction, const Tensor& total_weight) const {
  return call1("aten::nll_loss_backward", "", gradient, x, labels, None{},
               static_cast<std::int64_t>(reduction), no_class, total_weight);
}
std::array<Tensor, 2> Ops::ctc_loss(const Tensor& log_probabilities, const Tensor& labels, Integers steps,
                                    Integers lengths) const {
  return call<2>("aten::_ctc_loss", "", log_probabilities, labels, steps, lengths, std::int64_t{0}, false);
}
Tensor Ops::ctc_loss_backward(const Tensor& gradient, const Tensor& log_probabilities, const Tensor& labels,
                              Integers steps, Integers lengths, const std::array<Tensor, 2>& forward) const {
  return call1("aten::_ctc_loss_backward", "", gradient, log_probabilities, labels, steps, lengths,
               forward[0], forward[1], std::int64_t{0}, false);
}
Tensor Ops::largest(const Tensor& x, std::int64_t dimension) const {
  return call1("aten::argmax", "", x, Given<std::int64_t>{dimension}, false);
}
std::int64_t Ops::count_equal(const Tensor& a, const Tensor& b) const {
  const auto equal = call1("aten::eq", "Tensor", a, b);
  const auto total = call1("aten::sum", "", equal, None{});
  std::int64_t count = 0;
  check(abi_->item_integer(total.handle(), &count), "a number");
  return count;
}

// Optimisers.

void Ops::adam(Tensors parameters, Tensors gradients, Tensors means, Tensors squares, Tensors steps,
               const Adam& settings) const {
  call<0>("aten::_fused_adam_", "", parameters, gradients, means, squares, Tensors{}, steps, settings.rate,
          settings.beta1, settings.beta2, settings.decay, settings.epsilon, false, false, None{}, None{});
}
void Ops::sgd(Tensors parameters, Tensors gradients, Tensors momenta, const Descent& settings,
              bool first) const {
  call<0>("aten::_fused_sgd_", "", parameters, gradients, momenta, settings.decay, settings.momentum,
          settings.rate, 0.0, false, false, first, None{}, None{});
}

}  // namespace neph::engine::torch_plugin
