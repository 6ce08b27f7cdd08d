#include "wire/http2/methods.hpp"

#include <algorithm>
#include <array>

#include "core/protobuf.hpp"
#include "core/text.hpp"

namespace neph::wire {
namespace {

using protobuf::Field;
using protobuf::put_field;
using protobuf::put_number;

constexpr std::string_view inference_service = "inference.GRPCInferenceService";

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

void put_text(std::string& to, std::uint64_t number, std::string_view text) {
  if (!text.empty()) put_field(to, number, printable(text));
}
void put_nonzero(std::string& to, std::uint64_t number, std::uint64_t value) {
  if (value != 0) put_number(to, number, value);
}
template <class Numbers>
void put_packed(std::string& to, std::uint64_t number, const Numbers& numbers) {
  std::string packed;
  for (const auto value : numbers) protobuf::put_varint(packed, static_cast<std::uint64_t>(value));
  if (!packed.empty()) put_field(to, number, packed);
}

// ---- Messages

std::string encode(const ServerMetadata& from) {
  std::string to;
  put_text(to, 1, from.name);
  put_text(to, 2, from.version);
  for (const auto& extension : from.extensions) put_text(to, 3, extension);
  return to;
}

std::string encode(const TensorMetadata& from) {
  std::string to;
  put_text(to, 1, from.name);
  put_text(to, 2, from.datatype);
  put_packed(to, 3, from.shape);
  return to;
}

std::string encode(const ModelMetadata& from) {
  std::string to;
  put_text(to, 1, from.name);
  for (const auto& version : from.versions) put_text(to, 2, version);
  put_text(to, 3, from.platform);
  for (const auto& input : from.inputs) put_field(to, 4, encode(input));
  for (const auto& output : from.outputs) put_field(to, 5, encode(output));
  return to;
}

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
  put_text(to, 1, from.name);
  put_nonzero(to, 2, index_of(from.data_type, types));
  put_packed(to, dims_number, from.dims);
  return to;
}

std::string encode(const ModelConfig::InstanceGroup& from) {
  static constexpr std::array<std::string_view, 4> kinds{"KIND_AUTO", "KIND_GPU", "KIND_CPU", "KIND_MODEL"};
  std::string to;
  put_text(to, 1, from.name);
  put_nonzero(to, 2, static_cast<std::uint64_t>(from.count));
  put_nonzero(to, 4, index_of(from.kind, kinds));
  return to;
}

std::string encode(const ModelConfig& from) {
  std::string config, to;
  put_text(config, 1, from.name);
  put_text(config, 2, from.platform);
  put_nonzero(config, 4, static_cast<std::uint64_t>(from.max_batch_size));
  for (const auto& input : from.input) put_field(config, 5, encode(input, 4));
  for (const auto& output : from.output) put_field(config, 6, encode(output, 3));
  for (const auto& group : from.instance_group) put_field(config, 7, encode(group));
  if (from.dynamic_batching) {
    std::string batching;
    put_packed(batching, 1, from.dynamic_batching->preferred_batch_size);
    put_nonzero(batching, 2, static_cast<std::uint64_t>(from.dynamic_batching->max_queue_delay_microseconds));
    put_field(config, 11, batching);
  }
  put_text(config, 17, from.backend);
  put_field(to, 1, config);
  return to;
}

std::string encode(const StatisticDuration& from) {
  std::string to;
  put_nonzero(to, 1, from.count);
  put_nonzero(to, 2, from.ns);
  return to;
}

std::string encode(const ModelStatistics& from) {
  std::string to, requests;
  put_text(to, 1, from.name);
  put_text(to, 2, from.version);
  put_nonzero(to, 3, from.last_inference);
  put_nonzero(to, 4, from.inference_count);
  put_nonzero(to, 5, from.execution_count);
  const auto& all = from.inference_stats;
  std::uint64_t number = 0;
  for (const auto* each :
       {&all.success, &all.fail, &all.queue, &all.compute_input, &all.compute_infer, &all.compute_output})
    put_field(requests, ++number, encode(*each));
  put_field(to, 6, requests);
  for (const auto& size : from.batch_stats) {
    std::string batches;
    put_nonzero(batches, 1, size.batch_size);
    put_field(batches, 2, encode(size.compute_input));
    put_field(batches, 3, encode(size.compute_infer));
    put_field(batches, 4, encode(size.compute_output));
    put_field(to, 7, batches);
  }
  return to;
}

std::string encode(const std::vector<ModelStatistics>& from) {
  std::string to;
  for (const auto& model : from) put_field(to, 1, encode(model));
  return to;
}

std::string encode(const std::vector<RepositoryEntry>& from) {
  std::string to;
  for (const auto& entry : from) {
    std::string model;
    put_text(model, 1, entry.name);
    put_text(model, 2, entry.version);
    put_text(model, 3, entry.state);
    put_text(model, 4, entry.reason);
    put_field(to, 1, model);
  }
  return to;
}

std::string encode(const std::vector<SharedRegion>& from) {
  std::string to;
  for (const auto& region : from) {
    std::string status, entry;
    put_text(status, 1, region.name);
    put_text(status, 2, region.key);
    put_nonzero(status, 3, region.offset);
    put_nonzero(status, 4, region.byte_size);
    put_text(entry, 1, region.name);
    put_field(entry, 2, status);
    put_field(to, 1, entry);
  }
  return to;
}

// ---- Methods

template <class From>
Status take(const Result<From>& from, std::string& reply) {
  if (!from) return tl::unexpected(from.error());
  reply = encode(*from);
  return {};
}

template <bool (Service::*state)() const>
Status answer_state(Service& service, std::string_view, std::string& reply) {
  put_nonzero(reply, 1, (service.*state)() ? 1 : 0);
  return {};
}

/// A model that is not there is not ready: Triton's clients count on it.
Status answer_model_ready(Service& service, std::string_view request, std::string& reply) {
  NEPH_TRY(const auto fields, read_fields(request));
  put_nonzero(reply, 1, service.model_ready(fields.texts[1], fields.texts[2]).value_or(false) ? 1 : 0);
  return {};
}

Status answer_metadata(Service& service, std::string_view, std::string& reply) {
  reply = encode(service.metadata());
  return {};
}

/// A method whose request is a model's name and version.
template <auto described>
Status answer_model(Service& service, std::string_view request, std::string& reply) {
  NEPH_TRY(const auto fields, read_fields(request));
  return take((service.*described)(fields.texts[1], fields.texts[2]), reply);
}

Status answer_index(Service& service, std::string_view request, std::string& reply) {
  NEPH_TRY(const auto fields, read_fields(request));
  reply = encode(service.repository(fields.numbers[2] != 0));
  return {};
}

Status answer_load(Service& service, std::string_view request, std::string&) {
  NEPH_TRY(const auto fields, read_fields(request));
  if (!fields.texts[3].empty())  // an entry of the map of parameters
    return tl::unexpected(no_parameter_of_load(protobuf::content_of(fields.texts[3], 1).value_or("")));
  return service.load(fields.texts[2]);
}

Status answer_unload(Service& service, std::string_view request, std::string&) {
  NEPH_TRY(const auto fields, read_fields(request));
  return service.unload(fields.texts[2]);
}

Status answer_regions(Service& service, std::string_view request, std::string& reply) {
  NEPH_TRY(const auto fields, read_fields(request));
  return take(service.shared_regions(fields.texts[1]), reply);
}

Status answer_register(Service& service, std::string_view request, std::string&) {
  NEPH_TRY(const auto fields, read_fields(request));
  return service.register_region({fields.texts[1], fields.texts[2], fields.numbers[3], fields.numbers[4]});
}

Status answer_unregister(Service& service, std::string_view request, std::string&) {
  NEPH_TRY(const auto fields, read_fields(request));
  return service.unregister_region(fields.texts[1]);
}

Status answer_health(Service& service, std::string_view request, std::string& reply) {
  NEPH_TRY(const auto name, read_health_request(request));
  const auto status = serving_status(service, name);
  if (status == ServingStatus::unknown) return fail(ErrorCode::not_found, "no service or model of that name");
  reply = encode_serving_status(status);
  return {};
}

using Kind = GrpcMethod::Kind;
#define NEPH_INFERENCE "/inference.GRPCInferenceService/"
constexpr std::array methods{
    GrpcMethod{NEPH_INFERENCE "ModelInfer", Kind::infer},
    GrpcMethod{NEPH_INFERENCE "ModelStreamInfer", Kind::infer_stream},
    GrpcMethod{NEPH_INFERENCE "ServerLive", Kind::unary, true, false, answer_state<&Service::live>},
    GrpcMethod{NEPH_INFERENCE "ServerReady", Kind::unary, true, false, answer_state<&Service::ready>},
    GrpcMethod{NEPH_INFERENCE "ModelReady", Kind::unary, false, false, answer_model_ready},
    GrpcMethod{NEPH_INFERENCE "ServerMetadata", Kind::unary, false, false, answer_metadata},
    GrpcMethod{NEPH_INFERENCE "ModelMetadata", Kind::unary, false, false,
               answer_model<&Service::model_metadata>},
    GrpcMethod{NEPH_INFERENCE "ModelConfig", Kind::unary, false, false, answer_model<&Service::model_config>},
    GrpcMethod{NEPH_INFERENCE "ModelStatistics", Kind::unary, false, false,
               answer_model<&Service::statistics>},
    GrpcMethod{NEPH_INFERENCE "RepositoryIndex", Kind::unary, false, false, answer_index},
    GrpcMethod{NEPH_INFERENCE "RepositoryModelLoad", Kind::unary, false, true, answer_load},
    GrpcMethod{NEPH_INFERENCE "RepositoryModelUnload", Kind::unary, false, true, answer_unload},
    GrpcMethod{NEPH_INFERENCE "SystemSharedMemoryStatus", Kind::unary, false, false, answer_regions},
    GrpcMethod{NEPH_INFERENCE "SystemSharedMemoryRegister", Kind::unary, false, false, answer_register},
    GrpcMethod{NEPH_INFERENCE "SystemSharedMemoryUnregister", Kind::unary, false, false, answer_unregister},
    GrpcMethod{"/grpc.health.v1.Health/Check", Kind::unary, true, false, answer_health},
    GrpcMethod{"/grpc.health.v1.Health/Watch", Kind::health_watch, true},
    GrpcMethod{"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Kind::reflection, true},
    GrpcMethod{"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Kind::reflection, true}};
#undef NEPH_INFERENCE

}  // namespace

const GrpcMethod* find_method(std::string_view path) {
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [&](const GrpcMethod& method) { return method.path == path; });
  return found == methods.end() ? nullptr : &*found;
}

Result<std::string> read_health_request(std::string_view request) {
  NEPH_TRY(auto fields, read_fields(request));
  return std::move(fields.texts[1]);
}

ServingStatus serving_status(const Service& service, const std::string& name) {
  using enum ServingStatus;
  if (name.empty() || name == inference_service) return service.ready() ? serving : not_serving;
  const auto ready = service.model_ready(name, "");
  if (!ready && ready.error().code == ErrorCode::not_found) return unknown;
  return ready && *ready ? serving : not_serving;
}

std::string encode_serving_status(ServingStatus status) {
  std::string to;
  put_number(to, 1, static_cast<std::uint64_t>(status));
  return to;
}

}  // namespace neph::wire
