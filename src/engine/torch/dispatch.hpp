// Calls of libtorch's operators by name, through its dispatcher.
//
// What it does not do: check names or types; libtorch does, when it is called.
// Threads: any. Errors: Failure. Cost: one to three microseconds a call beside the operator itself.
#pragma once

#include <algorithm>
#include <array>

#include "engine/torch/ops.hpp"
#include "engine/torch/stable_values.hpp"

namespace neph::engine::torch_plugin {

/// The results of an operator that gives so many; those that it leaves undefined are empty.
template <std::size_t Results, class... Arguments>
std::array<Tensor, Results> dispatch(const Abi& abi, const char* name, const char* overload,
                                     const Arguments&... arguments) {
  std::array<StableIValue, std::max(Results, sizeof...(Arguments))> stack{pack(abi, arguments)...};
  check(abi.dispatch(name, overload, stack.data(), TORCH_TARGET_VERSION), name);
  std::array<Tensor, Results> results;
  for (std::size_t i = 0; i < Results; ++i) {
    AtenTensorHandle handle = nullptr;
    std::memcpy(&handle, &stack[i], sizeof(handle));
    Tensor result(abi, handle);
    bool defined = false;
    check(abi.is_defined(handle, &defined), name);
    if (defined) results[i] = std::move(result);
  }
  return results;
}

/// aten(ops, "aten::gelu", "", x, ...): of an operator with one result.
template <class... Arguments>
Tensor aten(const Ops& ops, const char* name, const char* overload, const Arguments&... arguments) {
  return std::move(dispatch<1>(ops.abi(), name, overload, arguments...)[0]);
}

}  // namespace neph::engine::torch_plugin
