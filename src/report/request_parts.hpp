// Where the time of one request goes, from the samples of a configuration's runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/stages.hpp"
#include "report/report.hpp"

namespace neph::report {

/// Inference, wherever it runs: in-process and behind a server it stands side by side.
inline constexpr std::string_view infer_part = stage::infer.name;

/// All parts by the names of stages, in their order, with infer_part for server_infer.
std::vector<std::string> request_part_names();

/// Milliseconds of a request by part: in each run the mean over its requests, over the runs a mean with
/// Student's t interval. Without receive, which comes after it, they add up to the mean response time.
/// In-process there is nothing but infer. Of stores of earlier versions, what the client saw and the
/// server did not account for is split here as RequestStages does it. Empty: no samples.
std::map<std::string, Estimate> request_parts(const std::vector<Run>& runs, std::int64_t cell);

}  // namespace neph::report
