// Functions of each element: what libtorch's stable ABI cannot call, because it takes a Scalar, or what is
// faster in one pass over the memory. On the CPU by loops of ours on libtorch's threads, elsewhere put
// together from libtorch's operators.
//
// Tensors of one call have the same sizes and the same dense order of elements (Ops::ordered).
// Results are the same bits for any number of threads. Errors: Failure.
#pragma once

#include <cstdint>

#include "engine/torch/ops.hpp"

namespace neph::engine::torch_plugin {

/// max(x, 0); `in_place`: x itself is changed and returned.
Tensor relu(const Ops& ops, const Tensor& x, bool in_place);
/// The gradient where `result` is above 0, else 0. `in_place`: in the gradient's memory.
Tensor relu_backward(const Ops& ops, const Tensor& gradient, const Tensor& result, bool in_place);

/// min(max(x, low), high).
Tensor clip(const Ops& ops, const Tensor& x, float low, float high);
/// The gradient where x lies between them, else 0.
Tensor clip_backward(const Ops& ops, const Tensor& gradient, const Tensor& x, float low, float high,
                     bool in_place);

/// x times a number.
Tensor scale(const Ops& ops, const Tensor& x, float factor, bool in_place);

/// The sum of two tensors of the same sizes; `in_place`: in a's memory.
Tensor add_alike(const Ops& ops, const Tensor& a, const Tensor& b, bool in_place);

/// A dropout: each element is dropped with the probability `ratio`, the others are divided by 1 - ratio; with
/// `relu`, those below 0 become 0 as well. (Srivastava et al., JMLR 15, 2014.) What is dropped depends on
/// `seed` and the element's place alone: on the CPU the backward pass draws it anew, or sees it by the zeros
/// of a relu's result.
struct Drop {
  double ratio = 0.5;
  bool with_relu = false;
  std::uint64_t seed = 0;
};
struct Dropped {
  Drop drop;
  Tensor result;    ///< must stay as it is until the backward pass
  Tensor mask;      ///< libtorch's own, elsewhere than on the CPU
  Tensor positive;  ///< elsewhere, with relu: what the relu gave
};
Dropped dropout(const Ops& ops, const Tensor& x, const Drop& drop, bool in_place);
Tensor dropout_backward(const Ops& ops, const Tensor& gradient, const Dropped& forward, bool in_place);

}  // namespace neph::engine::torch_plugin
