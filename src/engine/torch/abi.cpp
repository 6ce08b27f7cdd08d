#include "engine/torch/abi.hpp"

#include <dlfcn.h>

namespace neph::engine::torch_plugin {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<Abi> read_abi(void* library) {
  Abi abi;
#define NEPH_TORCH_FIND(member, function)    \
  if (!find(library, #function, abi.member)) \
  return fail(ErrorCode::unsupported, "it has no function " #function ", which torch 2.10 and later have")
  NEPH_TORCH_FUNCTIONS(NEPH_TORCH_FIND);
#undef NEPH_TORCH_FIND
  find(library, "_ZN2at15set_num_threadsEi", abi.set_thread_count);
  return abi;
}

}  // namespace neph::engine::torch_plugin
