// From a parsed ONNX model to a Network.
#pragma once

#include <filesystem>

#include "net/net.hpp"
#include "net/onnx_proto.hpp"

namespace neph::net {

/// `folder`: where external data lies; null: it is not looked for. Errors: those of read_onnx.
Result<Network> network_of(const onnx::ModelProto& model, std::int64_t opset,
                           const std::filesystem::path* folder, const ReadOptions& options);

}  // namespace neph::net
