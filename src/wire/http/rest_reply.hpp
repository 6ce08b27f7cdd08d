// Answers to every REST request but inference: small JSON bodies.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "wire/http/rest_route.hpp"
#include "wire/service.hpp"

namespace neph::wire {

struct RestReply {
  int status = 200;
  std::string body;
  std::string_view type = "application/json";
};

/// HTTP status of an error code (RFC 9110); errors of the request are 4xx, of the server 5xx.
int http_status(ErrorCode code);

/// {"error": MESSAGE} with the status of its code.
RestReply error_reply(const Error& error);

/// Whether the answer may take long (a model is loaded), and should not be made on a thread that serves
/// others.
bool takes_long(Route::To to);

/// What `service` says to the request. `body` is JSON or empty.
RestReply rest_reply(Service& service, const Route& route, std::span<const std::byte> body);

}  // namespace neph::wire
