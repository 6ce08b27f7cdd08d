// The workload "infer": a ready model applied to many pictures. See Workload in workload.hpp for what each
// function is.
#pragma once

#include "workload/workload.hpp"

namespace neph::workload::infer {

Status check(const Json& spec);
PreparedCells prepare(std::span<const Json> specs, EventSink& events);
Result<RunResult> run(const Json& spec, const Context& context);
std::string command(const Json& spec);
Json trial(const Json& spec);
double whole_run_s(const Json& spec, const Run& trial);

}  // namespace neph::workload::infer
