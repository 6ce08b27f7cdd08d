// What a profiled model is given.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/engine.hpp"

namespace neph::profile {

/// Memory for the inputs and outputs of a request.
class Tensors {
 public:
  /// Inputs of `session`: floats from [0, 1) and integers from 0 up to less than `integers_below`, the same
  /// for the same seed. Errors: unsupported (text; a shape that is left open), unavailable (memory).
  static Result<Tensors> make(const engine::Session& session, std::int64_t integers_below,
                              std::uint64_t seed);
  /// To a request of a session with the same inputs and outputs. The tensors must outlive it.
  Status bind(engine::Request& request, const engine::Session& session);

 private:
  struct FreeBytes {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, FreeBytes>;
  static Result<Memory> allocate(const engine::Port& port);

  std::vector<Memory> inputs_, outputs_;
};

}  // namespace neph::profile
