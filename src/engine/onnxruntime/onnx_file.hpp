// What an ONNX file says of shapes, read and changed in its bytes: protobuf's encoding, walked from length to
// length (onnx.proto3: ModelProto, GraphProto, ValueInfoProto). ONNX Runtime takes the dimensions that a file
// fixes as they are, and a file that says others in their place is the way to have them changed.
//
// Cost: asking touches what is not weights; changing reads the file whole and makes a second one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/aligned.hpp"
#include "core/result.hpp"
#include "engine/engine.hpp"

namespace neph::engine::onnxruntime_plugin {

/// By name of an input.
using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

/// A file in memory as long as this lives, mapped or read; empty where it cannot be had. Reading throws where
/// there is no memory, or the file becomes shorter.
class FileBytes {
 public:
  FileBytes(const std::filesystem::path& file, Weights weights);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  std::string_view bytes() const { return bytes_; }

 private:
  AlignedFloats read_;  ///< null: mapped
  std::string_view bytes_;
};

/// The graph's inputs of which not even the rank is said, which ONNX Runtime tells as it does scalars. Of a
/// file that is no ONNX model: none.
std::set<std::string> inputs_of_any_rank(std::string_view model);

/// The model with these inputs of these shapes (-1: open). What it says of the shapes of outputs and of what
/// is between is left open, so that it follows from the inputs. Errors: corrupt.
Result<std::string> with_input_shapes(std::string_view model, const InputShapes& shapes);

/// That of a file. Errors: also those of reading, unsupported (another form than ONNX's, over 2 GiB).
Result<std::string> with_input_shapes(const std::filesystem::path& file, const InputShapes& shapes);

}  // namespace neph::engine::onnxruntime_plugin
