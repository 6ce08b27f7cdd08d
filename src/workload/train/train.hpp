// The workload "train": a network that learns from a data set. See Workload in workload.hpp for what each
// function is.
#pragma once

#include "workload/workload.hpp"

namespace neph::workload::train {

Status check(const Json& spec);
std::vector<Idle> idle();
PreparedCells prepare(std::span<const Json> specs, EventSink& events);
Status check_cores(const Json& spec);
std::vector<Result<std::optional<launch::Container>>> containers(std::span<const Json> specs);
Result<RunResult> run(const Json& spec, const Context& context);
std::string command(const Json& spec);
Json trial(const Json& spec);
double whole_run_s(const Json& spec, const Run& trial);

}  // namespace neph::workload::train
