// Loops on libtorch's own threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/torch/abi.hpp"
#include "engine/torch/failure.hpp"

namespace neph::engine::torch_plugin {

/// body(begin, end) for parts of 0..count, of at least `grain` each. `body` must not throw.
template <class Body>
void parallel(const Abi& abi, std::int64_t count, std::int64_t grain, const Body& body) {
  if (count <= grain) return body(std::int64_t{0}, count);
  const auto run = [](std::int64_t begin, std::int64_t end, void* context) {
    (*static_cast<const Body*>(context))(begin, end);
  };
  check(abi.parallel_for(0, count, grain, run, const_cast<Body*>(&body)), "a parallel loop");
}

}  // namespace neph::engine::torch_plugin
