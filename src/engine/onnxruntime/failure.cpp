#include <algorithm>
#include <array>
#include <cctype>
#include <new>
#include <optional>
#include <string_view>

#include "core/text.hpp"
#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

/// What ONNX Runtime says of one cause, and what helps.
struct Cause {
  std::string_view sign;
  ErrorCode code;
  std::string_view advice;
};
constexpr std::string_view newer =
    "the model is of a newer ONNX than this ONNX Runtime knows; export it with an older opset, or take a "
    "newer "
    "onnxruntime";
constexpr std::string_view custom =
    "a custom operator, whose library neph does not load; export the model without it";
constexpr std::string_view beside =
    "its weights lie in a file of their own, which belongs beside the model, whole and by that name";
constexpr std::string_view contradictory = "the file's shapes contradict its graph; export the model again";
constexpr std::string_view broken = "the graph is broken; export the model again";
constexpr std::array causes{
    Cause{"is under development and support for this is limited", ErrorCode::unsupported, newer},
    Cause{"Unsupported model IR version", ErrorCode::unsupported, newer},
    Cause{"is not a registered function/op", ErrorCode::unsupported, custom},
    Cause{"No Op registered for", ErrorCode::unsupported,
          "this ONNX Runtime does not have the operator: a custom one, or one of another opset"},
    Cause{"External data path", ErrorCode::not_found, beside},
    Cause{"External initializer", ErrorCode::corrupt, beside},
    Cause{"external data", ErrorCode::not_found, beside},
    Cause{"cannot get file size", ErrorCode::not_found, beside},
    Cause{"Protobuf parsing failed", ErrorCode::corrupt, "it is cut short, or no ONNX model"},
    Cause{"No graph was found in the protobuf", ErrorCode::corrupt, "it is empty, or no ONNX model"},
    Cause{"does not have a graph", ErrorCode::corrupt, "it is empty, or no ONNX model"},
    Cause{"ShapeInferenceError", ErrorCode::corrupt, contradictory},
    Cause{"TypeInferenceError", ErrorCode::corrupt,
          "the file's types contradict its graph; export the model again"},
    Cause{"Type Error", ErrorCode::corrupt, "the file's types contradict its graph; export the model again"},
    Cause{"is not a graph input, initializer, or output", ErrorCode::corrupt, broken},
    Cause{"the graph is not acyclic", ErrorCode::corrupt, broken},
    Cause{"two nodes with same node name", ErrorCode::corrupt, broken},
    Cause{"Duplicate definition of name", ErrorCode::corrupt, broken},
    Cause{"Failed to construct locale", ErrorCode::unsupported,
          "this machine lacks the locale that the model asks for; install it"},
    Cause{"Failed to allocate memory", ErrorCode::unavailable, "there is not enough memory"},
    Cause{"bad allocation", ErrorCode::unavailable, "there is not enough memory"}};

ErrorCode code_of(OrtErrorCode code) {
  switch (code) {
    case ORT_NO_SUCHFILE:
      return ErrorCode::not_found;
    case ORT_INVALID_PROTOBUF:
    case ORT_INVALID_GRAPH:
      return ErrorCode::corrupt;
    case ORT_INVALID_ARGUMENT:
      return ErrorCode::invalid_argument;
    default:
      return ErrorCode::unsupported;
  }
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Behind the ")" of the "(" at `open`; the end where there is none.
std::size_t behind_parentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

/// Behind the function that follows a place in the sources: "Name ", or "type ns::Name(arguments)::<lambda()>
/// ".
std::size_t behind_function(std::string_view text, std::size_t at) {
  const auto word = std::min(text.find(' ', at), text.size());
  const auto open = text.find('(', at);
  const auto scope = text.find("::", at);
  const bool is_signature = scope != std::string_view::npos && open != std::string_view::npos &&
                            scope < open && text.find(": ", at) > open;
  const auto end = is_signature ? text.find(' ', behind_parentheses(text, open)) : word;
  return end == std::string_view::npos ? text.size() : end + (end < text.size() ? 1 : 0);
}

/// Takes "/path/in/sources.cc:12 function " out, where it stands; whether it did.
bool take_place_out(std::string& text) {
  for (const std::string_view ending : {".cc:", ".h:", ".cpp:"}) {
    const auto found = text.find(ending);
    if (found == std::string::npos) continue;
    auto end = found + ending.size();
    if (end >= text.size() || !is_digit(text[end])) continue;
    while (end < text.size() && is_digit(text[end])) ++end;
    auto begin = found;
    while (begin > 0 && (is_of_name(text[begin - 1]) || text[begin - 1] == '/' || text[begin - 1] == '-'))
      --begin;
    const auto rest = behind_function(text, std::min(end + 1, text.size()));
    text.erase(begin, rest - begin);
    return true;
  }
  return false;
}

}  // namespace

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  for (int i = 0; i < 4 && take_place_out(line); ++i) {
  }
  constexpr std::array<std::string_view, 6> noise{
      "Non-zero status code returned while running ",
      "Exception during initialization: ",
      "This is an invalid model. ",
      "Invalid model. ",
      "ONNX Runtime only *guarantees* support for models stamped with official released onnx opset "
      "versions. ",
      " The operator schemas and or other functionality may change before next ONNX release and in this case "
      "ONNX Runtime will not guarantee backward compatibility."};
  for (const auto words : noise)
    if (const auto at = line.find(words); at != std::string::npos) line.erase(at, words.size());
  if (const auto at = line.find(" failed:"); line.starts_with("Load model from ") && at != std::string::npos)
    line.erase(0, at + std::string_view(" failed:").size());
  return std::string(trimmed(line));
}

Error explain(const std::string& what, OrtErrorCode code, std::string_view said) {
  const auto cause = std::ranges::find_if(
      causes, [&](const auto& each) { return said.find(each.sign) != std::string_view::npos; });
  Error error{cause == causes.end() ? code_of(code) : cause->code, what + ": " + in_one_line(said)};
  if (cause != causes.end()) error.message += fmt::format(" ({})", cause->advice);
  return error;
}

Error explain_current(const std::string& what) {
  try {
    throw;
  } catch (const Ort::Exception& error) {
    return explain(what, error.GetOrtErrorCode(), error.what());
  } catch (const std::bad_alloc&) {
    return {ErrorCode::unavailable, what + ": there is not enough memory"};
  } catch (const std::exception& error) {
    return {ErrorCode::unsupported, what + ": " + in_one_line(error.what())};
  }
}

}  // namespace neph::engine::onnxruntime_plugin
