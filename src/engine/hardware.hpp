// What engines ask of the machine that computes, where their runtime does not tell it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace neph::engine {

/// A line of /proc/cpuinfo: "model name", "flags". Empty: it has no such line.
std::string processor_line(std::string_view key);

/// What the processor is called; where nobody says: "processor".
std::string processor_name();

/// `wanted`, or of 0 as many as the process may keep busy (os/cores.hpp).
std::int64_t usable_threads(std::int64_t wanted);

/// One of NVIDIA's, in the order of the driver's numbers.
struct Gpu {
  std::string name;
  int compute_capability_major = 0;  ///< 0: not told
};

/// Whether NVIDIA's libraries compute products of f32 with TF32's 10 bits on it, as they do by themselves
/// since Ampere; the user's NVIDIA_TF32_OVERRIDE=0 forbids it.
bool computes_in_tf32(const Gpu& gpu);
/// What engines call that as their precision.
inline constexpr const char* tf32 = "tf32";

/// Errors: not_found (no driver, no GPU), unsupported, unavailable (the driver does not start). Cost: starts
/// the driver, up to a second.
Result<std::vector<Gpu>> nvidia_gpus();

/// "cuda" and "CUDA" are CUDA:0; names of devices are in capitals.
std::string device_name_of(std::string_view wanted);

}  // namespace neph::engine
