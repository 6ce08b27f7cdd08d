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
  /// From the encoded request to the encoded reply. Null of inferences. Errors: invalid_argument (no such
  /// message), the service's.
  Result<std::string> (*answer)(Service& service, std::string_view request) = nullptr;
};

/// Null: there is none at that path.
const GrpcMethod* find_method(std::string_view path);

/// Of grpc.reflection: the answer to one ServerReflectionRequest.
Result<std::string> answer_reflection(Service&, std::string_view request);

}  // namespace neph::wire
