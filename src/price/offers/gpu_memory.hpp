// What a catalogue says of a GPU's memory, and what the GPU has by its data sheet. Only for files of this
// module; others include price/price.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "price/offers/flaws.hpp"

namespace neph::price {

struct GpuMemory {
  std::optional<double> gib;   ///< of each
  std::vector<Finding> flaws;  ///< without their lines
};

/// Of SkyPilot's column GpuInfo: a Python dictionary's repr, JSON, or a bare name, which says nothing.
GpuMemory gpu_memory_of(std::string_view gpu_info, std::string_view gpu, std::int64_t gpus,
                        std::string_view provider);

/// Whether the data sheet of a GPU of that name is known.
bool is_known_gpu(std::string_view gpu);

/// Whether a GPU of that name comes with so much memory; also where its name is not known. Catalogues and
/// drivers say a tenth less than the data sheet, which counts in powers of ten, or keeps some.
bool may_have_memory(std::string_view gpu, double gib);

/// The least memory that the data sheets of a GPU of that name have, in GB; nothing: none is known.
std::optional<double> least_memory_gb(std::string_view gpu);

/// "40 or 80 GB", as the data sheet has it.
std::string memory_of_known_gpu(std::string_view gpu);

}  // namespace neph::price
