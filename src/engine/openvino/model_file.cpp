#include "engine/openvino/model_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>

#include <fcntl.h>
#include <unistd.h>

namespace neph::engine {
namespace {

namespace fs = std::filesystem;

// Field numbers of the outermost message. ONNX: onnx.proto3, ModelProto. TensorFlow: graph.proto, GraphDef.
constexpr std::array<std::uint64_t, 11> onnx_fields{1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25};
constexpr std::array<std::uint64_t, 5> graph_def_fields{1, 2, 3, 4, 5};

struct File {
  const fs::path& path;
  std::ifstream stream;
  std::uint64_t size;
  std::uint64_t at = 0;
};

/// A base-128 number of the protobuf encoding; nothing at the end of the file or if it is longer than 64
/// bits.
std::optional<std::uint64_t> read_varint(File& file) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int byte = file.stream.get();
    if (byte == std::ifstream::traits_type::eof()) return std::nullopt;
    ++file.at;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

/// Walks the fields of the outermost message from length to length: they must be known and end where the file
/// ends.
Status check_protobuf(File& file, std::span<const std::uint64_t> fields, const std::string& title) {
  const auto no_model = [&] {
    return fail(ErrorCode::corrupt, "{} is not {} model", file.path.string(), title);
  };
  while (file.at < file.size) {
    const auto tag = read_varint(file);
    if (!tag || std::find(fields.begin(), fields.end(), *tag >> 3) == fields.end()) return no_model();
    std::uint64_t length = 0;
    switch (*tag & 7) {
      case 0:
        if (!read_varint(file)) return no_model();
        break;
      case 2: {
        const auto announced = read_varint(file);
        if (!announced) return no_model();
        length = *announced;
        break;
      }
      default:
        return no_model();
    }
    if (length > file.size - file.at)
      return fail(ErrorCode::corrupt,
                  "{} is cut short: {} bytes should follow byte {}, but the file ends at {}",
                  file.path.string(), length, file.at, file.size);
    file.at += length;
    file.stream.seekg(static_cast<std::streamoff>(file.at));
  }
  return {};
}

Status check_flatbuffer(File& file) {
  std::array<char, 8> head{};
  file.stream.read(head.data(), head.size());
  if (std::string_view(head.data(), head.size()).substr(4) != "TFL3")
    return fail(ErrorCode::corrupt, "{} is not a TensorFlow Lite model", file.path.string());
  return {};
}

Status check_xml(File& file) {
  char first = 0;
  file.stream >> first;
  if (first != '<')
    return fail(ErrorCode::corrupt, "{} is not an OpenVINO model: it should be XML", file.path.string());
  return {};
}

Result<ModelFormat> recognise_folder(const fs::path& path) {
  if (fs::exists(path / "saved_model.pb")) return model_formats().back();
  return fail(ErrorCode::corrupt, "{} is a folder without saved_model.pb, so it is no TensorFlow SavedModel",
              path.string());
}

}  // namespace

const std::vector<ModelFormat>& model_formats() {
  static const std::vector<ModelFormat> formats{{".onnx", "onnx", "an ONNX"},
                                                {".xml", "ir", "an OpenVINO"},
                                                {".pb", "tf", "a frozen TensorFlow"},
                                                {".tflite", "tflite", "a TensorFlow Lite"},
                                                {"", "tf", "a TensorFlow SavedModel"}};
  return formats;
}

Result<ModelFormat> recognise_model(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) {
    if (error && error.value() != ENOENT)
      return tl::unexpected(system_error("cannot read model " + path.string(), error.value()));
    return fail(ErrorCode::not_found, "model {} does not exist", path.string());
  }
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0)
    return tl::unexpected(system_error("cannot read model " + path.string(), errno));
  if (fs::is_directory(status)) return recognise_folder(path);

  const auto& formats = model_formats();
  const auto format = std::find_if(formats.begin(), formats.end(), [&](const ModelFormat& known) {
    return !known.suffix.empty() && path.extension() == known.suffix;
  });
  if (format == formats.end())
    return fail(
        ErrorCode::unsupported,
        "{} has a suffix that OpenVINO does not read; it reads .onnx, .xml, .pb, .tflite and folders with a "
        "TensorFlow SavedModel",
        path.string());
  File file{path, std::ifstream(path, std::ios::binary), fs::file_size(path, error)};
  if (!file.stream || error) return fail(ErrorCode::io, "cannot read model {}", path.string());
  if (file.size == 0) return fail(ErrorCode::corrupt, "model {} is empty", path.string());
  if (format->suffix == ".onnx") NEPH_CHECK(check_protobuf(file, onnx_fields, format->title));
  if (format->suffix == ".pb") NEPH_CHECK(check_protobuf(file, graph_def_fields, format->title));
  if (format->suffix == ".tflite") NEPH_CHECK(check_flatbuffer(file));
  if (format->suffix == ".xml") NEPH_CHECK(check_xml(file));
  return *format;
}

}  // namespace neph::engine
