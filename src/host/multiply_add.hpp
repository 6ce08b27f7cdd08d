// The fastest arithmetic that this processor has: a loop of fused multiply-adds that touches no memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace neph::host {

struct MultiplyAdd {
  std::string_view instructions;
  double flop_per_round = 0;
  /// Runs so many rounds. The result means nothing; it keeps a compiler from leaving the loop out.
  float (*run)(std::int64_t rounds) = nullptr;
};

/// By what the processor has, not by what the program was built for.
MultiplyAdd fastest_multiply_add();

}  // namespace neph::host
