#include "wire/http/rest_reply.hpp"

#include "core/json.hpp"

namespace neph::wire {
namespace {

template <class T>
RestReply json_reply(const T& value) {
  return {.body = dump_json(to_json(value))};
}

template <class T>
RestReply json_reply(const Result<T>& value) {
  return value ? json_reply(*value) : error_reply(value.error());
}

RestReply status_reply(const Status& status) { return status ? RestReply{} : error_reply(status.error()); }

/// Health is told by the status alone.
RestReply health_reply(bool well) { return {.status = well ? 200 : 400}; }

RestReply statistics_reply(const Result<std::vector<ModelStatistics>>& statistics) {
  if (!statistics) return error_reply(statistics.error());
  return {.body = dump_json(Json{{"model_stats", to_json(*statistics)}})};
}

/// Clients take a model for one with dynamic batching where the key is there, whatever its value.
RestReply config_reply(const Result<ModelConfig>& config) {
  if (!config) return error_reply(config.error());
  auto json = to_json(*config);
  if (!config->dynamic_batching) json.erase("dynamic_batching");
  return {.body = dump_json(json)};
}

/// A body of named values; all may be left out.
template <class T>
Result<T> options_of(std::span<const std::byte> body) {
  if (body.empty()) return T{};
  NEPH_TRY(const Json json,
           parse_json({reinterpret_cast<const char*>(body.data()), body.size()}, "the body"));
  return from_json<T>(json, "the body");
}

struct IndexOptions {
  bool ready = false;
};
template <class Visit, Describes<IndexOptions> Self>
void describe(Visit&& v, Self& s) {
  v("ready", s.ready, "only models that are");
}

struct RegionOptions {
  std::string key;
  std::uint64_t offset = 0;
  std::uint64_t byte_size = 0;
};
template <class Visit, Describes<RegionOptions> Self>
void describe(Visit&& v, Self& s) {
  v("key", s.key, "of shm_open");
  v("offset", s.offset, "of the region in it");
  v("byte_size", s.byte_size, "of the region");
}

RestReply index_reply(const Service& service, std::span<const std::byte> body) {
  const auto options = options_of<IndexOptions>(body);
  return options ? json_reply(service.repository(options->ready)) : error_reply(options.error());
}

RestReply register_reply(Service& service, const std::string& name, std::span<const std::byte> body) {
  const auto options = options_of<RegionOptions>(body);
  if (!options) return error_reply(options.error());
  return status_reply(service.register_region({name, options->key, options->offset, options->byte_size}));
}

/// "parameters" may bring a model or its configuration along, which is not taken.
RestReply load_reply(Service& service, const std::string& name, std::span<const std::byte> body) {
  if (!body.empty()) {
    const auto json = parse_json({reinterpret_cast<const char*>(body.data()), body.size()}, "the body");
    if (!json) return error_reply(json.error());
    const auto parameters = json->is_object() ? json->value("parameters", Json::object()) : Json();
    if (!parameters.is_object())
      return error_reply({ErrorCode::invalid_argument, "a load's body is {\"parameters\": {}}"});
    if (!parameters.empty()) return error_reply(no_parameter_of_load(parameters.begin().key()));
  }
  return status_reply(service.load(name));
}

RestReply readiness_reply(const Result<bool>& ready) {
  return ready ? health_reply(*ready) : error_reply(ready.error());
}

}  // namespace

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::corrupt:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::unavailable:
      return 503;
    case ErrorCode::timeout:
      return 504;
    case ErrorCode::unsupported:
      return 501;
    case ErrorCode::io:
    case ErrorCode::internal:
      return 500;
  }
  return 500;
}

RestReply error_reply(const Error& error) {
  return {.status = http_status(error.code), .body = dump_json(Json{{"error", error.text()}})};
}

bool takes_long(Route::To to) {
  return to == Route::To::repository_load || to == Route::To::repository_unload;
}

RestReply rest_reply(Service& service, const Route& route, std::span<const std::byte> body) {
  switch (route.to) {
    case Route::To::server_metadata:
      return json_reply(service.metadata());
    case Route::To::server_live:
      return health_reply(service.live());
    case Route::To::server_ready:
      return health_reply(service.ready());
    case Route::To::model_metadata:
      return json_reply(service.model_metadata(route.name, route.version));
    case Route::To::model_ready:
      return readiness_reply(service.model_ready(route.name, route.version));
    case Route::To::model_config:
      return config_reply(service.model_config(route.name, route.version));
    case Route::To::model_statistics:
      return statistics_reply(service.statistics(route.name, route.version));
    case Route::To::repository_index:
      return index_reply(service, body);
    case Route::To::repository_load:
      return load_reply(service, route.name, body);
    case Route::To::repository_unload:
      return status_reply(service.unload(route.name));
    case Route::To::shared_memory_status:
      return json_reply(service.shared_regions(route.name));
    case Route::To::shared_memory_register:
      return register_reply(service, route.name, body);
    case Route::To::shared_memory_unregister:
      return status_reply(service.unregister_region(route.name));
    case Route::To::metrics:
      return {.body = service.metrics(), .type = "text/plain; version=0.0.4; charset=utf-8"};
    case Route::To::infer:
      break;  // has a way of its own
  }
  return error_reply({ErrorCode::internal, "inference is answered elsewhere"});
}

}  // namespace neph::wire
