#include "wire/http2/methods.hpp"

#include <algorithm>
#include <array>

#include "core/protobuf.hpp"
#include "core/text.hpp"
#include "wire/protobuf/described.hpp"

namespace neph::wire {
namespace {

using protobuf::put_field;

/// The first four fields of a request: all of these have no more, and each is a text or a number.
struct Fields {
  std::array<std::string, 5> texts;  ///< by field number
  std::array<std::uint64_t, 5> numbers{};
};

Result<Fields> read_fields(std::string_view request) {
  Fields fields;
  while (!request.empty()) {
    const auto field = protobuf::take_field(request);
    if (!field || (field->wire == protobuf::delimited && field->number < 3 && !is_utf8(field->content)))
      return fail(ErrorCode::invalid_argument, "the message is not one of this method's");
    if (field->number >= fields.texts.size()) continue;
    fields.texts[field->number] = field->content;
    fields.numbers[field->number] = field->value;
  }
  return fields;
}

// ---- Messages that are not as the struct is described

/// Where the name stands in an enum of the protocol; 0 where it does not.
template <std::size_t n>
std::uint64_t index_of(std::string_view name, const std::array<std::string_view, n>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? 0 : static_cast<std::uint64_t>(found - names.begin());
}

std::string encode(const ModelConfig::Port& from, std::uint64_t dims_number) {
  static constexpr std::array<std::string_view, 15> types{
      "TYPE_INVALID", "TYPE_BOOL", "TYPE_UINT8", "TYPE_UINT16", "TYPE_UINT32",
      "TYPE_UINT64",  "TYPE_INT8", "TYPE_INT16", "TYPE_INT32",  "TYPE_INT64",
      "TYPE_FP16",    "TYPE_FP32", "TYPE_FP64",  "TYPE_STRING", "TYPE_BF16"};
  std::string to;
  put_value(to, 1, from.name);
  put_value(to, 2, index_of(from.data_type, types));
  put_value(to, dims_number, from.dims);
  return to;
}

std::string encode(const ModelConfig::InstanceGroup& from) {
  static constexpr std::array<std::string_view, 4> kinds{"KIND_AUTO", "KIND_GPU", "KIND_CPU", "KIND_MODEL"};
  std::string to;
  put_value(to, 1, from.name);
  put_value(to, 2, from.count);
  put_value(to, 4, index_of(from.kind, kinds));
  return to;
}

std::string encode(const ModelConfig& from) {
  std::string config, to;
  put_value(config, 1, from.name);
  put_value(config, 2, from.platform);
  put_value(config, 4, from.max_batch_size);
  for (const auto& input : from.input) put_field(config, 5, encode(input, 4));
  for (const auto& output : from.output) put_field(config, 6, encode(output, 3));
  for (const auto& group : from.instance_group) put_field(config, 7, encode(group));
  if (from.dynamic_batching) put_value(config, 11, *from.dynamic_batching);
  put_value(config, 17, from.backend);
  put_field(to, 1, config);
  return to;
}

/// A map from names to regions.
std::string encode(const std::vector<SharedRegion>& from) {
  std::string to;
  for (const auto& region : from) {
    std::string entry;
    put_value(entry, 1, region.name);
    put_value(entry, 2, region);
    put_field(to, 1, entry);
  }
  return to;
}

std::string encode(const ModelMetadata& from) { return to_protobuf(from); }

/// The only field of the message.
template <class T>
std::string encode(const T& from) {
  std::string to;
  put_value(to, 1, from);
  return to;
}

// ---- Methods

using Reply = Result<std::string>;

/// A method whose request has fields.
template <Reply (*answer)(Service&, const Fields&)>
Reply with_fields(Service& service, std::string_view request) {
  NEPH_TRY(const auto fields, read_fields(request));
  return answer(service, fields);
}

template <bool (Service::*state)() const>
Reply answer_state(Service& service, std::string_view) {
  return encode((service.*state)());
}

/// A model that is not there is not ready: Triton's clients count on it.
Reply answer_model_ready(Service& service, const Fields& given) {
  return encode(service.model_ready(given.texts[1], given.texts[2]).value_or(false));
}

Reply answer_metadata(Service& service, std::string_view) { return to_protobuf(service.metadata()); }

/// A method whose request is a model's name and version.
template <auto described>
Reply answer_model(Service& service, const Fields& given) {
  return (service.*described)(given.texts[1], given.texts[2]).map([](const auto& it) { return encode(it); });
}

Reply answer_index(Service& service, const Fields& given) {
  return encode(service.repository(given.numbers[2] != 0));
}

Reply empty_reply(Status status) {
  return std::move(status).map([] { return std::string(); });
}

Reply answer_load(Service& service, const Fields& given) {
  if (!given.texts[3].empty())  // an entry of the map of parameters
    return tl::unexpected(no_parameter_of_load(protobuf::content_of(given.texts[3], 1).value_or("")));
  return empty_reply(service.load(given.texts[2]));
}

Reply answer_unload(Service& service, const Fields& given) {
  return empty_reply(service.unload(given.texts[2]));
}

Reply answer_regions(Service& service, const Fields& given) {
  NEPH_TRY(const auto regions, service.shared_regions(given.texts[1]));
  return encode(regions);
}

Reply answer_register(Service& service, const Fields& given) {
  return empty_reply(
      service.register_region({given.texts[1], given.texts[2], given.numbers[3], given.numbers[4]}));
}

Reply answer_unregister(Service& service, const Fields& given) {
  return empty_reply(service.unregister_region(given.texts[1]));
}

// ---- grpc.health.v1

/// HealthCheckResponse.ServingStatus.
enum class ServingStatus { serving = 1, not_serving = 2, unknown = 3 };

/// Of the server (no name, or the inference service's) or a model.
ServingStatus serving_status(const Service& service, const std::string& name) {
  using enum ServingStatus;
  if (name.empty() || name == "inference.GRPCInferenceService")
    return service.ready() ? serving : not_serving;
  const auto ready = service.model_ready(name, "");
  if (!ready && ready.error().code == ErrorCode::not_found) return unknown;
  return ready && *ready ? serving : not_serving;
}

Reply answer_watch(Service& service, const Fields& given) {
  return encode(static_cast<int>(serving_status(service, given.texts[1])));
}

Reply answer_health(Service& service, const Fields& given) {
  if (serving_status(service, given.texts[1]) == ServingStatus::unknown)
    return fail(ErrorCode::not_found, "no service or model of that name");
  return answer_watch(service, given);
}

using Kind = GrpcMethod::Kind;
#define NEPH_INFERENCE "/inference.GRPCInferenceService/"
constexpr std::array methods{
    GrpcMethod{NEPH_INFERENCE "ModelInfer", Kind::infer},
    GrpcMethod{NEPH_INFERENCE "ModelStreamInfer", Kind::infer_stream},
    GrpcMethod{NEPH_INFERENCE "ServerLive", Kind::unary, true, false, answer_state<&Service::live>},
    GrpcMethod{NEPH_INFERENCE "ServerReady", Kind::unary, true, false, answer_state<&Service::ready>},
    GrpcMethod{NEPH_INFERENCE "ModelReady", Kind::unary, false, false, with_fields<answer_model_ready>},
    GrpcMethod{NEPH_INFERENCE "ServerMetadata", Kind::unary, false, false, answer_metadata},
    GrpcMethod{NEPH_INFERENCE "ModelMetadata", Kind::unary, false, false,
               with_fields<answer_model<&Service::model_metadata>>},
    GrpcMethod{NEPH_INFERENCE "ModelConfig", Kind::unary, false, false,
               with_fields<answer_model<&Service::model_config>>},
    GrpcMethod{NEPH_INFERENCE "ModelStatistics", Kind::unary, false, false,
               with_fields<answer_model<&Service::statistics>>},
    GrpcMethod{NEPH_INFERENCE "RepositoryIndex", Kind::unary, false, false, with_fields<answer_index>},
    GrpcMethod{NEPH_INFERENCE "RepositoryModelLoad", Kind::unary, false, true, with_fields<answer_load>},
    GrpcMethod{NEPH_INFERENCE "RepositoryModelUnload", Kind::unary, false, true, with_fields<answer_unload>},
    GrpcMethod{NEPH_INFERENCE "SystemSharedMemoryStatus", Kind::unary, false, false,
               with_fields<answer_regions>},
    GrpcMethod{NEPH_INFERENCE "SystemSharedMemoryRegister", Kind::unary, false, false,
               with_fields<answer_register>},
    GrpcMethod{NEPH_INFERENCE "SystemSharedMemoryUnregister", Kind::unary, false, false,
               with_fields<answer_unregister>},
    GrpcMethod{"/grpc.health.v1.Health/Check", Kind::unary, true, false, with_fields<answer_health>},
    GrpcMethod{"/grpc.health.v1.Health/Watch", Kind::health_watch, true, false, with_fields<answer_watch>},
    GrpcMethod{"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Kind::reflection, true,
               false, answer_reflection},
    GrpcMethod{"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Kind::reflection, true, false,
               answer_reflection}};
#undef NEPH_INFERENCE

}  // namespace

const GrpcMethod* find_method(std::string_view path) {
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [&](const GrpcMethod& method) { return method.path == path; });
  return found == methods.end() ? nullptr : &*found;
}

}  // namespace neph::wire
