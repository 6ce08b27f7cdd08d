// numpy's .npy: a header that is a Python dictionary, then the elements. Only for files of this module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/byte_source.hpp"

namespace neph::data {

struct NpyHeader {
  char kind = 'u';        ///< 'u', 'i', 'f', 'b'
  std::size_t width = 1;  ///< bytes of an element, little-endian
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;  ///< of the header itself

  std::uint64_t elements() const;
};

/// Errors: corrupt, unsupported (other elements, big-endian, Fortran's order).
Result<NpyHeader> read_npy_header(ByteSource& source, const std::string& name);
/// What follows the header. Errors: corrupt (cut short), unavailable (memory).
Result<std::vector<std::uint8_t>> read_npy_elements(ByteSource& source, const NpyHeader& header,
                                                    const std::string& name);

}  // namespace neph::data
