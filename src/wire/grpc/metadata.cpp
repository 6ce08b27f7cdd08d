#include "wire/grpc/metadata.hpp"

namespace neph::wire {
namespace {

template <class List>
void write_ports(const std::vector<TensorMetadata>& from, List& to) {
  for (const auto& port : from) {
    auto& written = *to.Add();
    written.set_name(port.name);
    written.set_datatype(port.datatype);
    for (const auto size : port.shape) written.add_shape(size);
  }
}

template <class List>
void write_ports(const std::vector<ModelConfig::Port>& from, List& to) {
  for (const auto& port : from) {
    auto& written = *to.Add();
    written.set_name(port.name);
    inference::DataType type = inference::TYPE_INVALID;
    inference::DataType_Parse(port.data_type, &type);  // an unknown name leaves it invalid
    written.set_data_type(type);
    for (const auto size : port.dims) written.add_dims(size);
  }
}

void write(const StatisticDuration& from, inference::StatisticDuration& to) {
  to.set_count(from.count);
  to.set_ns(from.ns);
}

}  // namespace

void write_message(const ServerMetadata& from, inference::ServerMetadataResponse& to) {
  to.set_name(from.name);
  to.set_version(from.version);
  for (const auto& extension : from.extensions) to.add_extensions(extension);
}

void write_message(const ModelMetadata& from, inference::ModelMetadataResponse& to) {
  to.set_name(from.name);
  for (const auto& version : from.versions) to.add_versions(version);
  to.set_platform(from.platform);
  write_ports(from.inputs, *to.mutable_inputs());
  write_ports(from.outputs, *to.mutable_outputs());
}

void write_message(const ModelConfig& from, inference::ModelConfigResponse& reply) {
  auto& to = *reply.mutable_config();
  to.set_name(from.name);
  to.set_platform(from.platform);
  to.set_backend(from.backend);
  to.set_max_batch_size(static_cast<std::int32_t>(from.max_batch_size));
  write_ports(from.input, *to.mutable_input());
  write_ports(from.output, *to.mutable_output());
  for (const auto& group : from.instance_group) {
    auto& written = *to.add_instance_group();
    written.set_name(group.name);
    written.set_count(static_cast<std::int32_t>(group.count));
    inference::ModelInstanceGroup::Kind kind = inference::ModelInstanceGroup::KIND_AUTO;
    inference::ModelInstanceGroup::Kind_Parse(group.kind, &kind);
    written.set_kind(kind);
  }
  if (!from.dynamic_batching) return;
  auto& batching = *to.mutable_dynamic_batching();
  for (const auto size : from.dynamic_batching->preferred_batch_size)
    batching.add_preferred_batch_size(static_cast<std::int32_t>(size));
  batching.set_max_queue_delay_microseconds(
      static_cast<std::uint64_t>(from.dynamic_batching->max_queue_delay_microseconds));
}

void write_message(const std::vector<ModelStatistics>& from, inference::ModelStatisticsResponse& to) {
  for (const auto& model : from) {
    auto& written = *to.add_model_stats();
    written.set_name(model.name);
    written.set_version(model.version);
    written.set_last_inference(model.last_inference);
    written.set_inference_count(model.inference_count);
    written.set_execution_count(model.execution_count);
    auto& requests = *written.mutable_inference_stats();
    write(model.inference_stats.success, *requests.mutable_success());
    write(model.inference_stats.fail, *requests.mutable_fail());
    write(model.inference_stats.queue, *requests.mutable_queue());
    write(model.inference_stats.compute_input, *requests.mutable_compute_input());
    write(model.inference_stats.compute_infer, *requests.mutable_compute_infer());
    write(model.inference_stats.compute_output, *requests.mutable_compute_output());
    for (const auto& size : model.batch_stats) {
      auto& batches = *written.add_batch_stats();
      batches.set_batch_size(size.batch_size);
      write(size.compute_input, *batches.mutable_compute_input());
      write(size.compute_infer, *batches.mutable_compute_infer());
      write(size.compute_output, *batches.mutable_compute_output());
    }
  }
}

void write_message(const std::vector<RepositoryEntry>& from, inference::RepositoryIndexResponse& to) {
  for (const auto& entry : from) {
    auto& written = *to.add_models();
    written.set_name(entry.name);
    written.set_version(entry.version);
    written.set_state(entry.state);
    written.set_reason(entry.reason);
  }
}

void write_message(const std::vector<SharedRegion>& from, inference::SystemSharedMemoryStatusResponse& to) {
  for (const auto& region : from) {
    auto& written = (*to.mutable_regions())[region.name];
    written.set_name(region.name);
    written.set_key(region.key);
    written.set_offset(region.offset);
    written.set_byte_size(region.byte_size);
  }
}

}  // namespace neph::wire
