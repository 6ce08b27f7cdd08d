// What the machine can do at most, measured: arithmetic in single precision, and bytes to and from memory.
// The two limits of the roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::host {

struct Roof {
  std::int64_t threads = 0;
  double flop_per_s = 0;     ///< multiplications and additions of 32-bit floats, by all threads together
  std::string instructions;  ///< that were used: "AVX-512"
  double bytes_per_s = 0;    ///< read and written by STREAM's triad, by all threads together
  std::int64_t array_bytes = 0;
};

template <class Visit, Describes<Roof> Self>
void describe(Visit&& v, Self& s) {
  v("threads", s.threads, "threads that computed");
  v("flop_per_s", s.flop_per_s,
    "peak of 32-bit multiplications and additions per second, by all threads together");
  v("instructions", s.instructions, "vector instructions of that loop");
  v("bytes_per_s", s.bytes_per_s, "bytes that STREAM's triad reads and writes per second, by all threads");
  v("array_bytes", s.array_bytes, "size of each of the triad's three arrays");
}

/// With so many threads at once, each wherever the kernel puts it. The peak is that of the best 2 ms in 0.2 s
/// of fused multiply-adds in registers. The bandwidth is that of STREAM's triad (McCalpin, IEEE TCCA
/// Newsletter, 1995): of eight parts of a pass the best times in 0.2 s and five passes; its arrays are four
/// times the largest cache, as STREAM asks for, but at most 512 MiB and a 24th of the memory that is free. As
/// STREAM does, a byte that is read before it is overwritten counts once. Cost: about a second. Errors: a
/// thread cannot be started.
Result<Roof> measure_roof(std::int64_t threads);

/// The fastest arithmetic of this processor: a loop of fused multiply-adds that touches no memory.
struct MultiplyAdd {
  std::string_view instructions;
  double flop_per_round = 0;
  /// Runs so many rounds. The result means nothing; it keeps a compiler from leaving the loop out.
  float (*run)(std::int64_t rounds) = nullptr;
};

/// By what the processor has, not by what the program was built for.
MultiplyAdd fastest_multiply_add();

}  // namespace neph::host
