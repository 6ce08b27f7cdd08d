// What the ends of batches say of a measurement: how fast it was, whether it was steady, what failed. The
// same for the application and for a client that only asks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "record/run.hpp"

namespace neph::workload {

struct BatchEnd {
  Moment issued, done;
  std::int64_t answered = 0;  ///< items
};

/// Items answered over the whole measurement; the interval by batch means (Law, Simulation Modeling and
/// Analysis, section 9.5.3). `ends` in the order in which they ended.
Estimate items_per_s(std::span<const BatchEnd> ends, Moment begin, Moment end);

/// Whether the time per batch rose or fell.
std::optional<Warning> unsteady(std::span<const BatchEnd> ends);

enum class Answerer { engine, server };

Figure failed_figure(std::int64_t failed, std::int64_t items);
/// `first`: what became of the first, or of what kinds they are. `item`: what they are, "image".
Warning failed_warning(std::int64_t failed, std::int64_t items, const std::string& first,
                       std::string_view item, Answerer answerer);

}  // namespace neph::workload
