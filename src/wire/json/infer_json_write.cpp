#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/json.hpp"
#include "wire/json/infer_json.hpp"

namespace neph::wire {
namespace {

/// Whether the character stands for itself in a JSON string, whatever is beside it: printable ASCII.
constexpr bool is_plain(char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; }

/// Quoted, with what JSON wants escaped; false when it is not UTF-8. Plain ASCII, as nearly all names are, is
/// copied.
bool append_text(std::string_view value, std::string& text) {
  if (std::all_of(value.begin(), value.end(), is_plain)) {
    text += '"';
    text += value;
    text += '"';
    return true;
  }
  try {
    text += Json(value).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

template <class T>
void append_number(T value, std::string& text) {
  char digits[32];
  char* const first = std::begin(digits);
  char* end = std::to_chars(first, std::end(digits), value).ptr;
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T beyond_64_bits = 9.2e18F;  // without an exponent it is a whole number to many, and too large
    if (std::abs(value) > beyond_64_bits)
      end = std::to_chars(first, std::end(digits), value, std::chars_format::scientific).ptr;
  }
  text.append(first, end);
  if constexpr (std::is_floating_point_v<T>)
    if (value == 0 && std::signbit(value))
      text += ".0";  // "-0" is a whole number to many, and loses its sign
}

/// A list of key-value pairs in braces: knows where commas go.
class Object {
 public:
  explicit Object(std::string& text) : text_(text) { text_ += '{'; }
  std::string& key(std::string_view name) {
    text_ += any_ ? ",\"" : "\"";
    any_ = true;
    text_ += name;
    text_ += "\":";
    return text_;
  }
  /// A key that comes from outside, and may be any text; false when it is not UTF-8.
  bool given_key(std::string_view name) {
    if (any_) text_ += ',';
    any_ = true;
    const bool utf8 = append_text(name, text_);
    text_ += ':';
    return utf8;
  }
  void end() { text_ += '}'; }

 private:
  std::string& text_;
  bool any_ = false;
};

Status append_value(const Value& value, std::string& text) {
  return std::visit(
      [&](const auto& given) -> Status {
        using T = std::remove_cvref_t<decltype(given)>;
        if constexpr (std::is_same_v<T, bool>) {
          text += given ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::string>) {
          if (!append_text(given, text)) return fail(ErrorCode::unsupported, "a parameter is not UTF-8 text");
        } else {
          if constexpr (std::is_same_v<T, double>)
            if (!std::isfinite(given)) return fail(ErrorCode::unsupported, "a parameter is no finite number");
          append_number(given, text);
        }
        return {};
      },
      value);
}

Status append_entries(const Parameters& parameters, Object& object, std::string& text) {
  for (const auto& parameter : parameters) {
    if (!object.given_key(parameter.name))
      return fail(ErrorCode::unsupported, "a parameter's name is not UTF-8 text");
    NEPH_CHECK(append_value(parameter.value, text));
  }
  return {};
}

Status append_shared(const std::optional<SharedPart>& shared, Object& object) {
  if (!shared) return {};
  if (!append_text(shared->region, object.key("shared_memory_region")))
    return fail(ErrorCode::unsupported, "a shared memory region's name is not UTF-8 text");
  append_number(shared->bytes, object.key("shared_memory_byte_size"));
  if (shared->offset != 0) append_number(shared->offset, object.key("shared_memory_offset"));
  return {};
}

template <class T, class As = T>
Status append_numbers(const Tensor& tensor, std::string& text) {
  for (std::size_t at = 0; at + sizeof(T) <= tensor.data.size(); at += sizeof(T)) {
    if (at > 0) text += ',';
    T value;
    std::memcpy(&value, tensor.data.data() + at, sizeof(T));
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(value))
        return fail(ErrorCode::unsupported,
                    "tensor '{}' holds a number that JSON has not (nan or infinity); ask for "
                    "binary data",
                    tensor.name);
    append_number(static_cast<As>(value), text);
  }
  return {};
}

Status append_strings(const Tensor& tensor, std::string& text) {
  bool first = true, utf8 = true;
  for_each_bytes(tensor.data, [&](std::span<const std::byte> element) {
    if (!first) text += ',';
    first = false;
    utf8 = append_text({reinterpret_cast<const char*>(element.data()), element.size()}, text) && utf8;
  });
  if (!utf8)
    return fail(ErrorCode::unsupported, "tensor '{}' holds BYTES that are not UTF-8; ask for binary data",
                tensor.name);
  return {};
}

Status append_booleans(const Tensor& tensor, std::string& text) {
  for (std::size_t i = 0; i < tensor.data.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_integer<int>(tensor.data[i]) != 0 ? "true" : "false";
  }
  return {};
}

Status append_data(const Tensor& tensor, std::string& text) {
  switch (tensor.type) {
    case DataType::boolean:
      return append_booleans(tensor, text);
    case DataType::u8:
      return append_numbers<std::uint8_t, unsigned>(tensor, text);
    case DataType::u16:
      return append_numbers<std::uint16_t>(tensor, text);
    case DataType::u32:
      return append_numbers<std::uint32_t>(tensor, text);
    case DataType::u64:
      return append_numbers<std::uint64_t>(tensor, text);
    case DataType::i8:
      return append_numbers<std::int8_t, int>(tensor, text);
    case DataType::i16:
      return append_numbers<std::int16_t>(tensor, text);
    case DataType::i32:
      return append_numbers<std::int32_t>(tensor, text);
    case DataType::i64:
      return append_numbers<std::int64_t>(tensor, text);
    case DataType::f32:
      return append_numbers<float>(tensor, text);
    case DataType::f64:
      return append_numbers<double>(tensor, text);
    case DataType::bytes:
      return append_strings(tensor, text);
    case DataType::f16:
    case DataType::bf16:
      break;
  }
  return fail(ErrorCode::unsupported, "tensor '{}': {} has no JSON numbers; ask for binary data", tensor.name,
              enum_name(tensor.type));
}

/// Whose tensors are written. A reply does not say what lies in shared memory, and where: its client chose
/// the place, and Triton's client takes whatever parameters there are for those of binary data.
enum class Message { request, reply };

Status append_tensor(const Tensor& tensor, bool binary, Message message, std::string& text) {
  Object object(text);
  if (!append_text(tensor.name, object.key("name")))
    return fail(ErrorCode::unsupported, "a tensor's name is not UTF-8 text");
  append_text(enum_name(tensor.type), object.key("datatype"));
  object.key("shape");
  for (std::size_t i = 0; i < tensor.shape.rank(); ++i) {
    text += i == 0 ? '[' : ',';
    append_number(tensor.shape[i], text);
  }
  text += tensor.shape.rank() == 0 ? "[]" : "]";
  const bool tells_place = tensor.shared && message == Message::request;
  if (binary || tells_place || !tensor.parameters.empty()) {
    object.key("parameters");
    Object parameters(text);
    if (binary) append_number(tensor.data.size(), parameters.key("binary_data_size"));
    if (tells_place) NEPH_CHECK(append_shared(tensor.shared, parameters));
    NEPH_CHECK(append_entries(tensor.parameters, parameters, text));
    parameters.end();
  }
  if (!binary && !tensor.shared) {
    object.key("data") += '[';
    NEPH_CHECK(append_data(tensor, text));
    text += ']';
  }
  object.end();
  return {};
}

Status append_tensors(const std::vector<Tensor>& tensors, const std::vector<bool>& binary, Message message,
                      std::string& text) {
  text += '[';
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) text += ',';
    NEPH_CHECK(append_tensor(tensors[i], binary[i], message, text));
  }
  text += ']';
  return {};
}

Status append_requested(const RequestedOutput& output, std::string& text) {
  Object object(text);
  if (!append_text(output.name, object.key("name")))
    return fail(ErrorCode::unsupported, "an output's name is not UTF-8 text");
  object.key("parameters");
  Object parameters(text);
  if (output.binary && !output.shared) parameters.key("binary_data") += *output.binary ? "true" : "false";
  if (output.classification > 0) append_number(output.classification, parameters.key("classification"));
  NEPH_CHECK(append_shared(output.shared, parameters));
  parameters.end();
  object.end();
  return {};
}

Status append_optional_text(std::string_view name, const std::string& value, Object& object) {
  if (!value.empty() && !append_text(value, object.key(name)))
    return fail(ErrorCode::unsupported, "the {} is not UTF-8 text", name);
  return {};
}

}  // namespace

Status write_json(const InferRequest& request, const std::vector<bool>& binary, std::string& text) {
  Object object(text);
  NEPH_CHECK(append_optional_text("id", request.id, object));
  if (request.binary_outputs || !request.parameters.empty()) {
    object.key("parameters");
    Object parameters(text);
    if (request.binary_outputs) parameters.key("binary_data_output") += "true";
    NEPH_CHECK(append_entries(request.parameters, parameters, text));
    parameters.end();
  }
  object.key("inputs");
  NEPH_CHECK(append_tensors(request.inputs, binary, Message::request, text));
  if (!request.outputs.empty()) {
    object.key("outputs") += '[';
    for (std::size_t i = 0; i < request.outputs.size(); ++i) {
      if (i > 0) text += ',';
      NEPH_CHECK(append_requested(request.outputs[i], text));
    }
    text += ']';
  }
  object.end();
  return {};
}

Status write_json(const InferReply& reply, const std::vector<bool>& binary, std::string& text) {
  Object object(text);
  NEPH_CHECK(append_optional_text("id", reply.id, object));
  NEPH_CHECK(append_optional_text("model_name", reply.model, object));
  NEPH_CHECK(append_optional_text("model_version", reply.version, object));
  if (!reply.parameters.empty()) {
    object.key("parameters");
    Object parameters(text);
    NEPH_CHECK(append_entries(reply.parameters, parameters, text));
    parameters.end();
  }
  object.key("outputs");
  NEPH_CHECK(append_tensors(reply.outputs, binary, Message::reply, text));
  object.end();
  return {};
}

}  // namespace neph::wire
