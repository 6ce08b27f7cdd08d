// Makers of layers that are told by functions (function.hpp), and of those that only inference has.
#pragma once

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {

#define NEPH_TORCH_MAKER(name) Status name(Builder&, const net::Node&, std::unique_ptr<Layer>&)

// unary.cpp
NEPH_TORCH_MAKER(make_unary);  ///< Erf, Exp, Sqrt, ...
NEPH_TORCH_MAKER(make_gelu);
NEPH_TORCH_MAKER(make_hard_swish);
NEPH_TORCH_MAKER(make_hard_sigmoid);
NEPH_TORCH_MAKER(make_bent_line);  ///< LeakyRelu, Elu, Selu, Softplus

// binary.cpp
NEPH_TORCH_MAKER(make_binary);      ///< Sub, Div, Pow, Max, Min; of inference Add, Mul
NEPH_TORCH_MAKER(make_comparison);  ///< Equal, And, ...
NEPH_TORCH_MAKER(make_sum);         ///< Sum, of any number
NEPH_TORCH_MAKER(make_modulo);      ///< of inference
NEPH_TORCH_MAKER(make_where);
NEPH_TORCH_MAKER(make_prelu);

// attention.cpp
NEPH_TORCH_MAKER(make_product);   ///< MatMul
NEPH_TORCH_MAKER(make_any_gemm);  ///< of inference
NEPH_TORCH_MAKER(make_softmax);   ///< and LogSoftmax
NEPH_TORCH_MAKER(make_layer_norm);

// channel_norm.cpp
NEPH_TORCH_MAKER(make_response_norm);  ///< LRN
NEPH_TORCH_MAKER(make_group_norm);     ///< of inference: also InstanceNormalization

// selection.cpp
NEPH_TORCH_MAKER(make_gather);
NEPH_TORCH_MAKER(make_gather_elements);  ///< of inference
NEPH_TORCH_MAKER(make_running_sum);      ///< CumSum, of inference
NEPH_TORCH_MAKER(make_slice);
NEPH_TORCH_MAKER(make_split);
NEPH_TORCH_MAKER(make_expand);
NEPH_TORCH_MAKER(make_expand_to_batch);  ///< fixed_shapes.cpp
NEPH_TORCH_MAKER(make_tile);             ///< of inference
NEPH_TORCH_MAKER(make_pad);

// reduce.cpp
NEPH_TORCH_MAKER(make_any_reduce);  ///< ReduceMax, ReduceMin; of inference all others
NEPH_TORCH_MAKER(make_arg_max);     ///< of inference: also ArgMin

// conversion.cpp, of inference
NEPH_TORCH_MAKER(make_cast);
NEPH_TORCH_MAKER(make_identity);
NEPH_TORCH_MAKER(make_any_clip);
NEPH_TORCH_MAKER(make_constant_of_shape);
NEPH_TORCH_MAKER(make_range);

// picture_shape.cpp, of inference
NEPH_TORCH_MAKER(make_resize);
NEPH_TORCH_MAKER(make_depth_to_space);
NEPH_TORCH_MAKER(make_any_convolution);
NEPH_TORCH_MAKER(make_general_convolution);
NEPH_TORCH_MAKER(make_any_pool);

#undef NEPH_TORCH_MAKER

}  // namespace neph::engine::torch_plugin
