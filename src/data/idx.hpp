// IDX, the form of MNIST and of the sets that took its place: a magic number with the element's type and the
// number of dimensions, their sizes, big-endian, then the elements. Only for files of this module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/byte_source.hpp"

namespace neph::data {

struct IdxArray {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> values;
};

/// The header alone; `values` stay empty. Only bytes are read as elements. Errors: corrupt, unsupported
/// (other elements).
Result<IdxArray> read_idx_header(ByteSource& source, const std::string& name);
/// The whole of it. Errors: also unavailable (memory).
Result<IdxArray> read_idx(ByteSource& source, const std::string& name);

}  // namespace neph::data
