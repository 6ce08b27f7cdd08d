// The methods of GRPCInferenceService, grpc.health.v1 and reflection, by their paths.
#pragma once

#include <string>
#include <string_view>

#include "wire/service.hpp"

namespace neph::wire {

struct GrpcMethod {
  enum class Kind { unary, infer, infer_stream, health_watch, reflection };
  std::string_view path;
  Kind kind = Kind::unary;
  bool is_open = false;  ///< without a token
  bool is_slow = false;  ///< it may take seconds: it is called on a thread of its own
  /// Of a unary one: from the encoded request to the encoded reply. Errors: invalid_argument (no such
  /// message), the service's.
  Status (*answer)(Service& service, std::string_view request, std::string& reply) = nullptr;
};

/// Null: there is none at that path.
const GrpcMethod* find_method(std::string_view path);

/// Of grpc.health.v1: a HealthCheckResponse.ServingStatus, of the server (no name, or the inference
/// service's) or a model.
enum class ServingStatus { serving = 1, not_serving = 2, unknown = 3 };
ServingStatus serving_status(const Service& service, const std::string& name);
std::string encode_serving_status(ServingStatus status);
/// The service's name in a HealthCheckRequest. Errors: invalid_argument (no such message).
Result<std::string> read_health_request(std::string_view request);

/// The answer to one ServerReflectionRequest. Errors: invalid_argument (no such message).
Result<std::string> answer_reflection(std::string_view request);

}  // namespace neph::wire
