// What a REST request is for: its method and path, read.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph::wire {

struct Route {
  enum class To {
    server_metadata,
    server_live,
    server_ready,
    model_metadata,
    model_ready,
    model_config,
    model_statistics,
    infer,
    repository_index,
    repository_load,
    repository_unload,
    shared_memory_status,
    shared_memory_register,
    shared_memory_unregister,
    metrics,
  };
  To to;
  std::string name = {};     ///< of the model or the shared memory region; empty: all
  std::string version = {};  ///< empty: the newest
};

/// `target` is the request line's, a query is ignored. Errors: not_found (no such path), unsupported (the
/// path is there, with another method), invalid_argument (broken percent encoding).
Result<Route> parse_route(std::string_view method, std::string_view target);

/// The methods that a path has, as in the header Allow; empty: there is no such path.
std::string_view allowed_methods(std::string_view target);

bool is_health(Route::To to);
/// Whether it changes what the server has: models, or regions of shared memory.
bool is_control(Route::To to);

/// A name as one segment of a path: percent-encoded where it must be (RFC 3986, unreserved characters stay).
std::string path_segment(std::string_view name);

}  // namespace neph::wire
