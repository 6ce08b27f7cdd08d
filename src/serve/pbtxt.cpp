#include "serve/pbtxt.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

namespace neph::serve {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr int most_nesting = 32;

/// 'Message type "triton.ModelInput" has no field named "x".' as "'ModelInput' has no field named 'x'".
std::string in_words(std::string text) {
  for (const std::string_view noise : {"Message type ", "triton."})
    if (const auto at = text.find(noise); at != text.npos) text.erase(at, noise.size());
  std::ranges::replace(text, '"', '\'');
  if (text.ends_with('.')) text.pop_back();
  if (text.ends_with("got: ")) text += "the end of the file";
  if (text.front() >= 'A' && text.front() <= 'Z') text.front() = static_cast<char>(text.front() + 'a' - 'A');
  return text;
}

struct Faults final : google::protobuf::io::ErrorCollector {
  std::string first;
  std::vector<std::string> unknown;

  void AddError(int line, int column, const std::string& text) override {
    if (first.empty()) first = fmt::format("line {}, column {}: {}", line + 1, column + 1, in_words(text));
  }
  /// Of a field that is not known.
  void AddWarning(int line, int, const std::string& text) override {
    unknown.push_back(fmt::format("line {}: {}", line + 1, in_words(text)));
  }
};

}  // namespace

Result<std::vector<std::string>> parse_pbtxt(std::string_view text, std::string_view what,
                                             google::protobuf::Message& message) {
  if (text.size() > most_bytes)
    return fail(ErrorCode::invalid_argument, "{}: {} bytes; a model's configuration has at most {}", what,
                text.size(), most_bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // as some editors begin files
  Faults faults;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&faults);
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(most_nesting);
  if (!parser.ParseFromString(std::string(text), &message))
    return fail(ErrorCode::invalid_argument, "{}, {}", what, faults.first);
  return std::move(faults.unknown);
}

}  // namespace neph::serve
