#include "engine/openvino/error_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <new>
#include <vector>

namespace neph::engine {
namespace {

constexpr std::string_view missing_rule = "No conversion rule found for operations: ";

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Lines that say where in OpenVINO it happened, or that a more telling line follows.
bool is_wrapping(std::string_view line) {
  constexpr std::array prefixes{
      "Exception from ",       "FrontEnd API failed with", "Summary:", "-- ", "Model wasn't fully converted",
      "While validating node", "Loading input model"};
  for (const std::string_view prefix : prefixes)
    if (line.starts_with(prefix)) return true;
  return holds(line, "' failed at src/") || line.find_first_not_of(" \t") == std::string_view::npos;
}

/// "com.example.Frobnicate" and "Gemm-17" (operator and opset) as messages name them.
std::string operators(std::string_view list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool version =
        list[i] == '-' && i + 1 < list.size() && std::isdigit(static_cast<unsigned char>(list[i + 1]));
    text += version ? std::string(" of opset ") : std::string(1, list[i]);
  }
  return text;
}

std::string sentence(std::string_view text) {
  for (const auto line : lines_of(text))
    if (!is_wrapping(line)) return std::string(line);
  return "OpenVINO gives no reason";
}

/// What stands between the two; empty: they do not.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const auto begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return text.substr(0, std::min(text.find(after), text.size()));
}

/// "node 'y' (MatMul): " of "While validating ONNX node '<Node(MatMul): y>'"; empty: no node is named.
std::string node_of(std::string_view text) {
  const auto node = between(text, "While validating ONNX node '<Node(", ">'");
  const auto end = node.find("): ");
  if (end == std::string_view::npos) return {};
  return fmt::format("node '{}' ({}): ", node.substr(end + 3), node.substr(0, end));
}

ErrorCode code_of(std::string_view text) {
  if (holds(text, "Failed to allocate")) return ErrorCode::unavailable;
  for (const std::string_view sign : {"not supported", "nsupported", "not implemented", "Not Implemented"})
    if (holds(text, sign)) return ErrorCode::unsupported;
  return ErrorCode::corrupt;
}

}  // namespace

Error explain(std::string_view subject, std::string_view text) {
  if (const auto at = text.find(missing_rule); at != std::string_view::npos) {
    auto list = text.substr(at + missing_rule.size());
    list = list.substr(0, list.find('\n'));
    const char* many = list.find(',') == std::string_view::npos ? "" : "s";
    Error error{ErrorCode::unsupported,
                fmt::format("{}: OpenVINO does not know the operator{} {}", subject, many, operators(list))};
    if (subject.ends_with(".onnx")) error.hint = "ONNX Runtime may: --engine onnxruntime";
    return error;
  }
  if (const auto file = between(text, "externally stored data in file (", ","); !file.empty())
    return {ErrorCode::not_found,
            fmt::format("{}: its weights in {}, which belongs beside the model, are missing or cut short",
                        subject, file)};
  if (const auto name = between(text, "Unsupported value_info type: ", "\n"); !name.empty())
    return {ErrorCode::unsupported, fmt::format("{}: '{}' is no tensor but a sequence or map", subject, name),
            "ONNX Runtime takes maps of ZipMap: --engine onnxruntime"};
  const auto reason = sentence(text);
  return {code_of(reason), fmt::format("{}: {}{}", subject, node_of(text), reason)};
}

Error explain_current(std::string_view subject) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::unavailable, fmt::format("{}: not enough memory", subject)};
  } catch (const std::exception& error) {
    return explain(subject, error.what());
  } catch (...) {
    return {ErrorCode::internal,
            fmt::format("{}: OpenVINO threw something that is no std::exception", subject)};
  }
}

}  // namespace neph::engine
