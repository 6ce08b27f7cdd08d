// A request's stage times as text: W3C Server Timing, a header over HTTP and trailing metadata over gRPC.
#pragma once

#include <string>
#include <string_view>

#include "wire/service.hpp"

namespace neph::wire {

/// Appends "queue;dur=0.120, infer;dur=22.001" in milliseconds; nothing where no stage was measured.
void append_timing(const StageTimes& stages, std::string& text);
/// What append_timing() wrote; names that it does not know are passed over, as others add their own.
StageTimes parse_timing(std::string_view text);

}  // namespace neph::wire
