// The trained weights as a file: safetensors, which PyTorch's users read, or ONNX, which runtimes do.
//
// What it does not do: keep the optimizer's state; such a file is what is used, not what is trained on.
// Cost: a copy of all weights in memory while the file is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::workload {

using Weights = std::map<std::string, std::vector<float>, std::less<>>;
using Shapes = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

/// The safetensors format (github.com/huggingface/safetensors, "Format"): the header's length as 8 bytes,
/// little-endian; the header as JSON, padded with spaces to a multiple of 8; all tensors, one after the
/// other. A tensor without a shape is a list. Errors: internal (a shape of another number of elements).
Result<std::string> safetensors(const Weights& weights, const Shapes& shapes);

/// Whether such a file can be written: its ending. Errors: invalid_argument.
Status check_checkpoint(const std::filesystem::path& path);

/// Writes `path` by its ending. `source`: the model file that the weights are of, for an .onnx. Errors: those
/// of check_checkpoint, write_file and net::write_trained; unsupported (an .onnx of a model that is none).
Status write_checkpoint(const std::filesystem::path& path, const Weights& weights, const Shapes& shapes,
                        const std::filesystem::path& source);

}  // namespace neph::workload
