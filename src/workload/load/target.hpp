// What a load run asks of a server, where its description leaves it open.
#pragma once

#include "load/load.hpp"
#include "workload/load/spec.hpp"

namespace neph::workload {

/// spec.model, or the only model that the server has. Errors: invalid_argument (it has none or several, or no
/// list of them), with what can be named.
Result<std::string> model_of(const LoadSpec& spec, wire::Client& client);

/// Requests as the description has them: random, of files, or of arrays by the names of inputs, as
/// `infer --inputs` takes them.
Result<load::Payload> payload_of(const LoadSpec& spec, const wire::ModelMetadata& model);

}  // namespace neph::workload
