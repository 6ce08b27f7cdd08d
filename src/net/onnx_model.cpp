#include "net/onnx_model.hpp"

#include <array>

#include <google/protobuf/stubs/logging.h>

namespace neph::net {
namespace {

constexpr std::int64_t kNewestIr = 14;  // of the file format, in ONNX 1.23
/// Formats of models by the bytes with which, or a few bytes behind which, their files begin.
struct Format {
  std::string_view name;
  std::size_t at;
  std::string_view mark;
};
constexpr std::array kFormats{
    Format{"a TensorFlow Lite model", 4, "TFL3"},
    Format{"a GGUF model", 0, "GGUF"},
    Format{"an HDF5 file, as Keras writes", 0, "\x89HDF"},
    Format{"a zip archive, as PyTorch and Keras write", 0, "PK\x03\x04"},
    Format{"an ONNX Runtime model (ORT format)", 4, "ORTM"},
};

/// What a file is that is no ONNX model but another model; empty: none that is known here.
std::string_view other_format(std::string_view bytes) {
  for (const auto& format : kFormats)
    if (bytes.size() > format.at && bytes.substr(format.at).starts_with(format.mark)) return format.name;
  const auto start = bytes.substr(0, 4096);
  const bool xml = start.substr(0, 64).find("<?xml") != std::string_view::npos || start.starts_with("<net");
  if (xml && start.find("<net") != std::string_view::npos) return "an OpenVINO model";
  return {};
}

/// Other formats are protobuf messages too, and begin as an ONNX model may: their files' names tell.
std::string_view format_by_name(std::string_view source) {
  if (source.ends_with(".pb")) return "a TensorFlow model";
  return source.ends_with(".mlmodel") ? "a Core ML model" : "";
}

/// One line that a terminal shows as it is.
std::string printable(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  constexpr std::size_t kLongest = 400;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace

Result<onnx::ModelProto> parse_model(std::string_view bytes, std::string_view source) {
  if (bytes.empty()) return fail(ErrorCode::corrupt, "the file is empty");
  if (bytes.size() > kMostModelBytes)
    return fail(ErrorCode::unsupported, "larger than 2 GiB; save the weights as external data");
  if (const auto other = other_format(bytes); !other.empty())
    return fail(ErrorCode::unsupported, "this is {}, and only ONNX files are read here", other);
  const google::protobuf::LogSilencer silence;  // it would talk on stderr; our errors say what is wrong
  onnx::ModelProto model;
  const bool parsed = model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (const auto other = format_by_name(source); !parsed && !other.empty())
    return fail(ErrorCode::unsupported, "by its name this is {}, and only ONNX files are read here", other);
  constexpr char kFirstField = 8;  // ir_version, with which files of every exporter begin
  if (!parsed && bytes[0] == kFirstField)
    return fail(ErrorCode::corrupt, "the ONNX model is cut short or damaged; fetch or export it again");
  if (!parsed || !model.has_graph() || model.graph().node_size() + model.graph().output_size() == 0)
    return fail(ErrorCode::corrupt, "not an ONNX model, or one without a graph");
  if (model.ir_version() > kNewestIr)
    return fail(ErrorCode::unsupported, "the file's format (IR version {}) is newer than the {} known here",
                model.ir_version(), kNewestIr);
  return model;
}

std::int64_t opset_of(const onnx::ModelProto& model) {
  for (const auto& import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx") return import.version();
  return 1;  // files from before operator sets were versioned
}

tl::unexpected<Error> fail_in_model(std::string_view source, const Error& error) {
  return tl::unexpected(Error{error.code, printable(fmt::format("{}: {}", source, error.message)),
                              error.hint.empty() ? "" : printable(error.hint)});
}

bool is_own(const onnx::NodeProto& proto) { return proto.domain().empty() || proto.domain() == "ai.onnx"; }

}  // namespace neph::net
