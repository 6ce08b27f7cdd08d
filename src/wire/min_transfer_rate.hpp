// How long the other side of a connection may take.
#pragma once

namespace neph::wire {

/// Of a message, beside the patience that each has anyway.
inline constexpr double least_bytes_per_s = 1e6;

}  // namespace neph::wire
