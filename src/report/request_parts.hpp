// Where the time of one request goes, from the samples of a setting's runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

inline constexpr std::string_view infer_part = "infer";

/// All parts in the order of a request's way: send, network and protocol, decode, queue, batch, infer,
/// encode, unexplained, server and network, receive.
const std::vector<std::string>& request_part_names();

/// Milliseconds of a request by part: in each run the mean over its requests, over the runs a mean with
/// Student's t interval. Without receive, which comes after it, they add up to the mean response time.
/// In-process there is nothing but infer. What the client saw and the server did not account for is split:
/// the least of it that any request of the run took is network and protocol, which all pay; what others took
/// beyond is unexplained. A server that tells nothing of itself leaves one part, server and network.
/// Empty: no samples.
std::map<std::string, Estimate> request_parts(const std::vector<Run>& runs, std::int64_t cell);

}  // namespace neph::report
