// Tables that a model looks its integers up in: a number outside is an error, or ends the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace neph::workload {

/// By input of an ONNX model: entries of the smallest table that a Gather takes it into, on its own or cast
/// or brought to another shape. Empty: no ONNX file, or it cannot be read.
std::map<std::string, std::int64_t> vocabularies(const std::filesystem::path& file);

}  // namespace neph::workload
