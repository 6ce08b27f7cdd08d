#include "workload/infer/requests.hpp"

#include <algorithm>

#include "workload/infer/request_pipeline.hpp"

namespace neph::workload {

Result<std::vector<engine::Port>> ports_of(const std::vector<wire::TensorMetadata>& tensors) {
  std::vector<engine::Port> ports;
  for (const auto& tensor : tensors) {
    const auto type = enum_value<wire::DataType>(tensor.datatype);
    if (!type)
      return fail(ErrorCode::unsupported, "the server's tensor '{}' is of type {}", tensor.name,
                  tensor.datatype);
    ports.push_back({.name = tensor.name, .element = element_of(*type), .shape = tensor.shape});
  }
  return ports;
}

bool holds_arrays(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored))
    return path.extension() == ".npz" || path.extension() == ".npy";
  const std::filesystem::directory_iterator files(path, ignored);
  return std::any_of(begin(files), end(files),
                     [](const auto& file) { return file.path().extension() == ".npy"; });
}

Result<ExampleRequests> example_requests(const wire::ModelMetadata& model, const InferSpec& spec) {
  NEPH_TRY(const auto ports, ports_of(model.inputs));
  NEPH_TRY(auto plans, input_plans(ports, spec));
  auto& plan = plans.front();
  ExampleRequests made;
  NEPH_TRY(made.examples, read_examples(spec.inputs, ports, {}, plan));
  made.rows = plan.rows;
  for (const auto& example : made.examples.all) {
    made.requests.push_back({.model = model.name, .binary_outputs = true});
    NEPH_CHECK(add_example(plan.inputs, example, made.requests.back()));
  }
  return made;
}

}  // namespace neph::workload
