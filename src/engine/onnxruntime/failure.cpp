#include <array>
#include <new>
#include <string_view>

#include "core/text.hpp"
#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

ErrorCode code_of(OrtErrorCode code) {
  switch (code) {
    case ORT_NO_SUCHFILE:
      return ErrorCode::not_found;
    case ORT_INVALID_PROTOBUF:
      return ErrorCode::corrupt;
    case ORT_INVALID_ARGUMENT:
      return ErrorCode::invalid_argument;
    default:
      return ErrorCode::unsupported;
  }
}

/// Without the places in ONNX Runtime's sources that it begins with, and in one line.
std::string in_short(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  constexpr std::array<std::string_view, 2> noise{"Non-zero status code returned while running ",
                                                  "Load model from "};
  for (const auto words : noise)
    if (line.starts_with(words)) line.erase(0, words.size());
  return std::string(trimmed(line));
}

bool is_of_memory(std::string_view text) {
  return text.find("Failed to allocate memory") != std::string_view::npos ||
         text.find("bad allocation") != std::string_view::npos;
}

}  // namespace

Error explain_current(const std::string& what) {
  try {
    throw;
  } catch (const Ort::Exception& error) {
    const auto code = is_of_memory(error.what()) ? ErrorCode::unavailable : code_of(error.GetOrtErrorCode());
    return {code, what + ": " + in_short(error.what())};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::unavailable, what + ": there is not enough memory"};
  } catch (const std::exception& error) {
    return {ErrorCode::unsupported, what + ": " + in_short(error.what())};
  }
}

}  // namespace neph::engine::onnxruntime_plugin
