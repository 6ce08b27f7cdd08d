// Where a process that a run needs, or the run's own, is started on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "launch/launch.hpp"

namespace neph::workload {

enum class In { process, docker };
constexpr auto enum_names(In) {
  return std::array{Named{In::process, "process"}, Named{In::docker, "docker"}};
}

/// The image that has this program; others get its bundle.
inline constexpr std::string_view own_image = "neph:latest";

/// A container that a run may work in as it would here: it may write, it works in the current folder, and has
/// the variables that say how a training computes (OMP_*, MKL_*, CUDA_*, ...). Errors: those of
/// launch::bundle_folder().
Result<launch::Container> container_of_run(const std::string& image);

}  // namespace neph::workload
