// Everything but inference as messages of gRPC.
#pragma once

#include <inference.pb.h>

#include "wire/service.hpp"

namespace neph::wire {

void write_message(const ServerMetadata& from, inference::ServerMetadataResponse& to);
void write_message(const ModelMetadata& from, inference::ModelMetadataResponse& to);
void write_message(const ModelConfig& from, inference::ModelConfigResponse& to);
void write_message(const std::vector<ModelStatistics>& from, inference::ModelStatisticsResponse& to);
void write_message(const std::vector<RepositoryEntry>& from, inference::RepositoryIndexResponse& to);
void write_message(const std::vector<SharedRegion>& from, inference::SystemSharedMemoryStatusResponse& to);

}  // namespace neph::wire
