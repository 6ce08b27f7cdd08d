#include "engine/tensorflow/failure.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

struct Cause {
  std::string_view sign;
  ErrorCode code;
  std::string_view advice;
};
constexpr std::string_view no_variables =
    "the SavedModel does not restore its variables: save a Keras 3 model with model.export(folder), not with "
    "tf.saved_model.save()";
constexpr std::string_view newer = "the model needs a custom operator or a newer TensorFlow";
constexpr std::array causes{
    Cause{"Could not find variable", ErrorCode::unsupported, no_variables},
    Cause{"variable was uninitialized", ErrorCode::unsupported, no_variables},
    Cause{"Op type not registered", ErrorCode::unsupported, newer},
    Cause{"NodeDef mentions attr", ErrorCode::unsupported, newer},
    Cause{"No OpKernel was registered", ErrorCode::unsupported, "this TensorFlow cannot run it on a CPU"},
    Cause{"OOM when allocating", ErrorCode::unavailable, "not enough memory"},
    Cause{"Invalid GraphDef", ErrorCode::corrupt, "the file is not a frozen graph, or is cut short"},
    Cause{"Could not find SavedModel", ErrorCode::not_found, ""},
    Cause{"Unable to open table file", ErrorCode::corrupt,
          "files of the folder variables are missing or damaged"}};

/// TF_Code.
ErrorCode code_of(Code code) {
  constexpr Code invalid_argument = 3, not_found = 5, exhausted = 8, unavailable = 14, data_loss = 15;
  switch (code) {
    case invalid_argument:
      return ErrorCode::invalid_argument;
    case not_found:
      return ErrorCode::not_found;
    case exhausted:
    case unavailable:
      return ErrorCode::unavailable;
    case data_loss:
      return ErrorCode::corrupt;
    default:
      return ErrorCode::unsupported;
  }
}

/// The first line, without the name of the function in which it happened; the next lines are stacks.
std::string_view first_line(std::string_view message) {
  if (const auto end = message.find("}} "); message.starts_with("{{function_node") && end != message.npos)
    message.remove_prefix(end + 3);
  constexpr std::size_t max_length = 500;
  return trimmed(message.substr(0, std::min(message.find('\n'), max_length)));
}

}  // namespace

Error explain(std::string_view what, Code code, std::string_view message) {
  const auto* const cause = std::ranges::find_if(
      causes, [&](const Cause& each) { return message.find(each.sign) != std::string_view::npos; });
  Error error{cause == causes.end() ? code_of(code) : cause->code,
              fmt::format("{}: {}", what, first_line(message))};
  if (cause != causes.end() && !cause->advice.empty()) error.add_hint(cause->advice);
  return error;
}

}  // namespace neph::engine::tensorflow_plugin
