// The names of percentiles: "p99", "response_p999_ms".
#pragma once

#include <optional>
#include <string_view>

namespace neph {

/// "p99" and "response_p99_ms" to 0.99, "p999" to 0.999; empty: the name of something else.
std::optional<double> percentile_of(std::string_view name);

}  // namespace neph
