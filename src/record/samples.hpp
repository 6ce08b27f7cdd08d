// The columns of a run's raw samples, of which a row is a batch of `infer`, a request of `load` or a
// step of `train`. Beside
// them stands one for each stage that the samples have (stages.hpp: sample_column).
#pragma once

#include <string_view>
#include <vector>

#include "record/run.hpp"

namespace neph {

/// nullptr: there is none.
const std::vector<double>* column_of(const RunResult& result, std::string_view name);

/// Of each batch (request) that was answered, in milliseconds: from its schedule where it had one, else from
/// handing it over, to its scores. Without batches that have fewer items than others, the last of a run: they
/// are another measurement.
std::vector<double> latencies_ms(const RunResult& result);

namespace samples {

inline constexpr std::string_view scheduled_s = "scheduled_s";  ///< where samples have a schedule
inline constexpr std::string_view issued_s = "issued_s";
inline constexpr std::string_view sent_s = "sent_s";
inline constexpr std::string_view first_byte_s = "first_byte_s";
inline constexpr std::string_view done_s = "done_s";
inline constexpr std::string_view failed_s = "failed_s";
inline constexpr std::string_view outcome = "outcome";  ///< as a number: RequestOutcome
inline constexpr std::string_view items = "items";      ///< in the sample
inline constexpr std::string_view epoch = "epoch";      ///< of a step: from 1 on
inline constexpr std::string_view loss = "loss";        ///< of a step: its mean over the samples

}  // namespace samples
}  // namespace neph
