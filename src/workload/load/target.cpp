#include "workload/load/target.hpp"

#include <fmt/ranges.h>

#include "workload/infer/requests.hpp"

namespace neph::workload {

Result<std::string> model_of(const LoadSpec& spec, wire::Client& client) {
  if (!spec.model.empty()) return spec.model;
  const auto models = client.models();
  if (!models)
    return fail(ErrorCode::invalid_argument,
                "no model given, and {} has no list of its models ({}); name one: --model NAME", spec.url,
                models.error().message);
  if (models->size() == 1) return models->front();
  if (models->empty())
    return fail(ErrorCode::invalid_argument,
                "no model given, and {} lists none that is ready; name one: --model NAME", spec.url);
  return fail(ErrorCode::invalid_argument, "no model given, and {} has {}; name one: --model {}", spec.url,
              fmt::join(*models, ", "), models->front());
}

Result<load::Payload> payload_of(const LoadSpec& spec, const wire::ModelMetadata& model) {
  const load::PayloadOptions options{.version = spec.version,
                                     .batch = spec.batch,
                                     .input = spec.input,
                                     .shape = spec.shape,
                                     .distinct = spec.distinct,
                                     .seed = static_cast<std::uint64_t>(spec.input_seed)};
  const bool takes_a_file = model.inputs.size() == 1 && model.inputs.front().datatype == "BYTES";
  if (takes_a_file || !holds_arrays(spec.input)) return load::Payload::make(model, options);
  NEPH_TRY(auto made,
           example_requests(model, {.inputs = spec.input, .shape = spec.shape, .batch = spec.batch}));
  return load::Payload::of(std::move(made.requests), made.rows, options);
}

}  // namespace neph::workload
