// What a worker is told on its standard input: the first line is its order, one JSON object; each further
// line is one of the words below. Its end says that the controller is gone, and stops the worker too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace neph {

namespace order {
/// The run in progress is the last: begin no further part of it.
inline constexpr std::string_view finish = "finish";
/// End now, in order: leave no half-written file.
inline constexpr std::string_view stop = "stop";
}  // namespace order

struct Order {
  std::string workload;
  Json spec;
  std::optional<double> started_s;
  std::string clock;
};

template <class Visit, Describes<Order> Self>
void describe(Visit&& v, Self& s) {
  v("workload", s.workload, "what to do");
  v("spec", s.spec, "its description; a list: of runs that are prepared and not made");
  v("started_s", s.started_s, "CLOCK_MONOTONIC when the controller started this process; empty: unknown");
  v("clock", s.clock, "which one that is (os/clock_name.hpp); empty: unknown");
}

}  // namespace neph
