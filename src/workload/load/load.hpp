// The workload "load": requests to a server that is already there. See Workload in workload.hpp for what each
// function is.
#pragma once

#include "workload/workload.hpp"

namespace neph::workload::load_server {

Status check(const Json& spec);
PreparedCells prepare(std::span<const Json> specs, EventSink& events);
Result<RunResult> run(const Json& spec, const Context& context);
std::string command(const Json& spec);
RuntimeEstimate estimate_runtime(const Json& spec);

}  // namespace neph::workload::load_server
