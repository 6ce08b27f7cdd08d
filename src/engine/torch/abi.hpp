// libtorch's functions that stay the same from release to release: C functions of its stable ABI, found by
// name in a library that was opened, so that the plugin loads where there is no torch.
//
// What it does not do: find or open the library (library.hpp), report errors of calls (ops.hpp).
// Threads: a table that is not changed after it was filled. Ownership: the library stays open to the end.
#pragma once

#include <string>

#include <torch/csrc/inductor/aoti_torch/generated/c_shim_aten.h>
#include <torch/csrc/stable/c/shim.h>

#include "core/result.hpp"

namespace neph::engine::torch_plugin {

/// Each member with the function that it is.
#define NEPH_TORCH_FUNCTIONS(f)                           \
  f(abi_version, aoti_torch_abi_version);                 \
  f(cpu, aoti_torch_device_type_cpu);                     \
  f(cuda, aoti_torch_device_type_cuda);                   \
  f(float32, aoti_torch_dtype_float32);                   \
  f(bfloat16, aoti_torch_dtype_bfloat16);                 \
  f(int64, aoti_torch_dtype_int64);                       \
  f(boolean, aoti_torch_dtype_bool);                      \
  f(float64, aoti_torch_dtype_float64);                   \
  f(delete_tensor, aoti_torch_delete_tensor_object);      \
  f(share_tensor, aoti_torch_new_tensor_handle);          \
  f(is_defined, aoti_torch_is_defined);                   \
  f(rank, aoti_torch_get_dim);                            \
  f(count, aoti_torch_get_numel);                         \
  f(sizes, aoti_torch_get_sizes);                         \
  f(strides, aoti_torch_get_strides);                     \
  f(dtype, aoti_torch_get_dtype);                         \
  f(data, aoti_torch_get_data_ptr);                       \
  f(empty, aoti_torch_empty_strided);                     \
  f(from_memory, aoti_torch_create_tensor_from_blob);     \
  f(view, aoti_torch__reinterpret_tensor);                \
  f(offset, aoti_torch_get_storage_offset);               \
  f(copy, aoti_torch_copy_);                              \
  f(fill, aoti_torch_aten_fill__Scalar);                  \
  f(subtract, aoti_torch_aten_subtract_Tensor);           \
  f(item, aoti_torch_item_float32);                       \
  f(item_integer, aoti_torch_item_int64);                 \
  f(set_gradient_mode, aoti_torch_grad_mode_set_enabled); \
  f(dispatch, torch_call_dispatcher);                     \
  f(new_list, torch_new_list_reserve_size);               \
  f(push, torch_list_push_back);                          \
  f(new_text, torch_new_string_handle);                   \
  f(parallel_for, torch_parallel_for);                    \
  f(thread_count, torch_get_num_threads)

struct Abi {
#define NEPH_TORCH_MEMBER(member, function) decltype(&::function) member = nullptr
  NEPH_TORCH_FUNCTIONS(NEPH_TORCH_MEMBER);
#undef NEPH_TORCH_MEMBER
  /// at::set_num_threads, which the stable ABI lacks; null where the library does not export it.
  void (*set_thread_count)(int) = nullptr;
};

/// The table of `library` (of dlopen). Errors: unsupported (a function is missing, by its name).
Result<Abi> read_abi(void* library);

}  // namespace neph::engine::torch_plugin
