// A user's own tensors as requests to a server that has the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "workload/infer/examples.hpp"
#include "workload/infer/spec.hpp"

namespace neph::workload {

/// A server's inputs or outputs, as an engine would have them. Errors: unsupported (a type that neph has
/// not).
Result<std::vector<engine::Port>> ports_of(const std::vector<wire::TensorMetadata>& tensors);

/// Whether there are arrays for inputs in it: a .npz, a .npy, or a folder of .npy.
bool holds_arrays(const std::filesystem::path& path);

struct ExampleRequests {
  Examples examples;
  std::vector<wire::InferRequest> requests;  ///< one for each example, in whose memory the tensors are
  std::int64_t rows = 1;                     ///< samples in a request
};
/// Of spec.inputs, with spec.batch and spec.shape. Errors: those of input_plans() and read_examples().
Result<ExampleRequests> example_requests(const wire::ModelMetadata& model, const InferSpec& spec);

}  // namespace neph::workload
