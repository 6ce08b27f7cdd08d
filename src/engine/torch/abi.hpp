// What is used of libtorch's C interface (torch/csrc/inductor/aoti_torch/c/shim.h), which packages of
// AOTInductor use too, and of the C functions of such a package (aoti_runtime/interface.h). Both are
// declared here, since neither library is linked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neph::engine::torch_plugin {

struct TensorObject;
using Tensor = TensorObject*;  ///< at::Tensor*; who makes one deletes it, or gives it away
using Code = std::int32_t;     ///< 0: done
using Sizes = const std::int64_t*;

/// Result, name without its aoti_torch_, and parameters of each function.
#define NEPH_TORCH_FUNCTIONS(F)                                                                          \
  F(std::int32_t, device_type_cpu, ())                                                                   \
  F(std::int32_t, device_type_cuda, ())                                                                  \
  F(std::int32_t, dtype_float32, ())                                                                     \
  F(std::int32_t, dtype_float16, ())                                                                     \
  F(std::int32_t, dtype_bfloat16, ())                                                                    \
  F(std::int32_t, dtype_float64, ())                                                                     \
  F(std::int32_t, dtype_uint8, ())                                                                       \
  F(std::int32_t, dtype_int8, ())                                                                        \
  F(std::int32_t, dtype_int16, ())                                                                       \
  F(std::int32_t, dtype_int32, ())                                                                       \
  F(std::int32_t, dtype_int64, ())                                                                       \
  F(std::int32_t, dtype_bool, ())                                                                        \
  F(Code, delete_tensor_object, (Tensor))                                                                \
  F(Code, get_dim, (Tensor, std::int64_t * rank))                                                        \
  F(Code, get_sizes, (Tensor, std::int64_t * *sizes))                                                    \
  F(Code, get_dtype, (Tensor, std::int32_t * dtype))                                                     \
  F(Code, create_tensor_from_blob,                                                                       \
    (void* data, std::int64_t rank, Sizes sizes, Sizes strides, std::int64_t offset, std::int32_t dtype, \
     std::int32_t device_type, std::int32_t device, Tensor* made))                                       \
  F(Code, empty_strided,                                                                                 \
    (std::int64_t rank, Sizes sizes, Sizes strides, std::int32_t dtype, std::int32_t device_type,        \
     std::int32_t device, Tensor * made))                                                                \
  F(Code, copy_, (Tensor to, Tensor from, std::int32_t non_blocking))                                    \
  F(void, grad_mode_set_enabled, (bool))

struct Abi {
#define NEPH_TORCH_MEMBER(Returns, name, parameters) Returns(*name) parameters;
  NEPH_TORCH_FUNCTIONS(NEPH_TORCH_MEMBER)
#undef NEPH_TORCH_MEMBER
  /// at::set_num_threads, for which there is no C function; null where the library does not export it.
  void (*set_thread_count)(int);
};

struct ContainerObject;
using Container = ContainerObject*;

/// The same of a package, whose functions begin with AOTInductorModelContainer.
#define NEPH_PACKAGE_FUNCTIONS(F)                                                                     \
  F(Code, CreateWithDevice,                                                                           \
    (Container*, std::size_t count, const char* device, const char* folder_of_kernels))               \
  F(Code, Delete, (Container))                                                                        \
  F(Code, GetNumInputs, (Container, std::size_t*))                                                    \
  F(Code, GetNumOutputs, (Container, std::size_t*))                                                   \
  F(Code, Run,                                                                                        \
    (Container, Tensor * inputs, std::size_t input_count, Tensor * outputs, std::size_t output_count, \
     void* stream, void* proxy_executor))

struct PackageFunctions {
#define NEPH_PACKAGE_MEMBER(Returns, name, parameters) Returns(*name) parameters;
  NEPH_PACKAGE_FUNCTIONS(NEPH_PACKAGE_MEMBER)
#undef NEPH_PACKAGE_MEMBER
};

}  // namespace neph::engine::torch_plugin
