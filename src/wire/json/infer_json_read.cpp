#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "core/json.hpp"
#include "core/names.hpp"
#include "wire/json/infer_json.hpp"
#include "wire/parameters.hpp"
#include "wire/tensor_bytes.hpp"

namespace neph::wire {
namespace {

using JsonList = simdjson::dom::array;
using JsonObject = simdjson::dom::object;
using JsonType = simdjson::dom::element_type;
using JsonValue = simdjson::dom::element;

constexpr std::size_t most_nesting = 32;
/// The parser of a longer text is given back: it has up to thirteen times the text's size.
constexpr std::size_t kept_bytes = std::size_t{4} << 20;
/// Of a longer text it is not looked up where it is wrong.
constexpr std::size_t most_looked_at = std::size_t{1} << 20;

/// The fields of a message, request or reply, that the JSON fills.
struct Target {
  std::string& model;
  std::string& version;
  std::string& id;
  Parameters& parameters;
  std::vector<Tensor>& tensors;
  std::vector<RequestedOutput>* requested;  ///< of a request
  bool* binary_outputs;
  std::vector<std::byte>& memory;
  std::string_view tensors_key;
};

/// Where a value stands: `key` of the body, or of an entry of one of its lists.
struct Where {
  std::string_view list;
  std::size_t entry = 0;
  std::string_view key;
  std::string_view parameter;

  /// "inputs[0].shape"
  std::string in_words() const {
    std::string words = list.empty() ? "" : fmt::format("{}[{}].", list, entry);
    words += key;
    return parameter.empty() ? words : fmt::format("{}.{}", words, parameter);
  }
};

std::string_view in_words(JsonType type) {
  switch (type) {
    case JsonType::ARRAY:
      return "a list";
    case JsonType::OBJECT:
      return "an object";
    case JsonType::STRING:
      return "text";
    case JsonType::BOOL:
      return "true or false";
    case JsonType::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

template <class... Args>
tl::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorCode::invalid_argument, format, std::forward<Args>(args)...);
}

tl::unexpected<Error> wrong(const Where& where, JsonValue value) {
  return refuse("{}: {} does not belong there", where.in_words(), in_words(value.type()));
}

/// The byte where the general reader sees what is wrong; none if it sees nothing.
std::optional<std::size_t> wrong_byte(std::string_view text) {
  try {
    [[maybe_unused]] const auto read = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return error.byte - 1;
  } catch (const Json::exception&) {  // a number beyond all doubles
  }
  return std::nullopt;
}

/// Of a text that simdjson refused, without saying where.
tl::unexpected<Error> not_json(std::string_view text, simdjson::error_code code) {
  if (code == simdjson::MEMALLOC)
    return fail(ErrorCode::unavailable, "no memory for a text as large as this");
  if (code == simdjson::DEPTH_ERROR) return refuse("nested deeper than {}", most_nesting);
  const auto byte = text.size() <= most_looked_at ? wrong_byte(text) : std::nullopt;
  if (byte && *byte >= text.size()) return refuse("not JSON at byte {}: the text ends", *byte);
  if (byte) return refuse("not JSON at byte {}: '{}'", *byte, text.substr(*byte, 20));
  if (code == simdjson::NUMBER_ERROR)
    return refuse("a number beyond all doubles, or a whole one beyond 64 bits without point and exponent");
  return refuse("not JSON");
}

/// A text with the room behind it that the parser reads over, and the parser's tables.
struct Parsing {
  std::string text;
  simdjson::dom::parser parser;

  Result<JsonValue> parse(std::string_view given) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    const auto json = given.substr(given.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    text.assign(json).append(simdjson::SIMDJSON_PADDING, ' ');
    auto error = simdjson::SUCCESS;
    if (parser.capacity() < json.size()) error = parser.allocate(json.size(), most_nesting);
    JsonValue value;
    if (error == simdjson::SUCCESS) error = parser.parse(text.data(), json.size(), false).get(value);
    if (error != simdjson::SUCCESS) return not_json(given, error);
    return value;
  }
};

/// simdjson 3.0 makes of half a pair of \u escapes what is not UTF-8.
Result<std::string_view> text_of(JsonValue value) {
  const std::string_view text = value.get_string().value_unsafe();
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
  if (!plain && !simdjson::validate_utf8(text.data(), text.size()))
    return refuse("not JSON: half a pair of \\u escapes");
  return text;
}

/// Calls `take` with what a text, a truth value or a number is.
template <class Take>
Status with_scalar(JsonValue value, const Where& where, Take take) {
  switch (value.type()) {
    case JsonType::DOUBLE:
      return take(value.get_double().value_unsafe());
    case JsonType::UINT64:
      return take(value.get_uint64().value_unsafe());
    case JsonType::INT64: {
      const std::int64_t number = value.get_int64().value_unsafe();
      return number < 0 ? take(number) : take(static_cast<std::uint64_t>(number));
    }
    case JsonType::BOOL:
      return take(value.get_bool().value_unsafe());
    case JsonType::STRING: {
      NEPH_TRY(const auto text, text_of(value));
      return take(text);
    }
    default:
      return wrong(where, value);
  }
}

/// Walks over the document and fills the message as it goes.
class Reader {
 public:
  Reader(const Target& target, BinarySizes& sizes) : target_(target), sizes_(sizes) {}

  Status read(JsonValue body) {
    if (!body.is_object()) return wrong({.key = "the body (an object is expected)"}, body);
    for (const auto [key, value] : JsonObject(body.get_object().value_unsafe()))
      if (!is_absent(value)) NEPH_CHECK(read_field(key, value));
    return point_at_data();
  }

 private:
  /// Servers write null for what is optional and not there.
  bool is_absent(JsonValue value) const { return target_.requested == nullptr && value.is_null(); }

  Status read_field(std::string_view key, JsonValue value) {
    const Where where{.key = key};
    if (key == target_.tensors_key)
      return each_entry(value, where, [&](JsonValue entry) { return read_tensor(entry); });
    if (key == "outputs" && target_.requested != nullptr)
      return each_entry(value, where, [&](JsonValue entry) { return read_requested(entry); });
    if (key == "model_name") return read_text(value, where, target_.model);
    if (key == "model_version") return read_text(value, where, target_.version);
    if (key == "id") return read_text(value, where, target_.id);
    if (key != "parameters") return {};
    return each_parameter(value, where, [&](std::string name, Value given) -> Status {
      if (name == "binary_data_output" && target_.binary_outputs != nullptr)
        return flag_of(name, given).map([&](bool flag) { *target_.binary_outputs = flag; });
      target_.parameters.push_back({std::move(name), std::move(given)});
      return {};
    });
  }

  Status read_tensor(JsonValue value) {
    const auto i = target_.tensors.size();
    if (i == most_tensors) return refuse("{}: more than {}", target_.tensors_key, most_tensors);
    auto& tensor = target_.tensors.emplace_back();
    sizes_.emplace_back();
    parts_.emplace_back();
    std::optional<JsonValue> data;
    bool typed = false;
    const auto read = [&](std::string_view key, JsonValue field) -> Status {
      const Where where{.list = target_.tensors_key, .entry = i, .key = key};
      if (key == "name") return read_text(field, where, tensor.name);
      if (key == "shape") return read_shape(field, where, tensor.shape);
      if (is_absent(field)) return {};
      if (key == "data") data = field;
      if (key == "datatype") {
        if (std::exchange(typed, true)) return refuse("{}: given twice", where.in_words());
        return read_type(field, where, tensor.type);
      }
      if (key != "parameters") return {};
      return each_parameter(field, where, [&](std::string name, Value given) -> Status {
        if (name == "binary_data_size")
          return count_of(name, given).map([&](std::uint64_t bytes) { sizes_[i] = bytes; });
        return take_tensor_parameter(std::move(name), std::move(given), tensor);
      });
    };
    NEPH_CHECK(each_field(value, {.key = target_.tensors_key}, read));
    if (!data) return {};
    if (!typed) return refuse("{}[{}]: no datatype", target_.tensors_key, i);
    return read_data(*data, i);
  }

  Status read_requested(JsonValue value) {
    const auto i = target_.requested->size();
    if (i == most_tensors) return refuse("outputs: more than {}", most_tensors);
    auto& output = target_.requested->emplace_back();
    return each_field(value, {.key = "outputs"}, [&](std::string_view key, JsonValue field) -> Status {
      const Where where{.list = "outputs", .entry = i, .key = key};
      if (key == "name") return read_text(field, where, output.name);
      if (key != "parameters") return {};
      return each_parameter(field, where, [&](const std::string& name, const Value& given) {
        return take_output_parameter(name, given, output);
      });
    });
  }

  static Status read_type(JsonValue value, const Where& where, DataType& type) {
    std::string name;
    NEPH_CHECK(read_text(value, where, name));
    const auto known = enum_value<DataType>(name);
    if (!known)
      return unknown_name(ErrorCode::invalid_argument, "datatype", name, enum_choices<DataType>(),
                          where.in_words());
    type = *known;
    return {};
  }

  static Status read_shape(JsonValue value, const Where& where, Shape& shape) {
    if (shape.rank() > 0) return refuse("{}: given twice", where.in_words());
    return each_entry(value, where, [&](JsonValue entry) -> Status {
      if (entry.is_uint64() && !entry.is_int64())
        return refuse("{}: {} is too large", where.in_words(), entry.get_uint64().value_unsafe());
      if (!entry.is_int64()) return wrong(where, entry);
      if (!shape.push_back(entry.get_int64().value_unsafe()))
        return refuse("{}: more than {} dimensions", where.in_words(), Shape::most);
      return {};
    });
  }

  // ---- A tensor's data

  /// Where in the message's memory it lies, which may still move.
  struct Part {
    bool given = false;
    std::size_t begin = 0, end = 0;
  };

  Status read_data(JsonValue value, std::size_t i) {
    const Where where{.list = target_.tensors_key, .entry = i, .key = "data"};
    if (!value.is_array()) return wrong(where, value);
    const auto begin = target_.memory.size();
    TensorBytes bytes(target_.tensors[i].type, target_.memory);
    NEPH_CHECK(read_row(value.get_array().value_unsafe(), where, bytes));
    parts_[i] = {true, begin, target_.memory.size()};
    return {};
  }

  /// Of a reply a number that JSON cannot write, NaN or an infinity, comes as null.
  Status read_row(JsonList row, const Where& where, TensorBytes& bytes) const {
    const auto type = target_.tensors[where.entry].type;
    const bool may_be_null = type == DataType::f32 || type == DataType::f64;
    for (const JsonValue value : row) {
      if (may_be_null && is_absent(value)) {
        NEPH_CHECK(bytes.add(std::numeric_limits<double>::quiet_NaN()));
        continue;
      }
      if (value.is_array()) {
        NEPH_CHECK(read_row(value.get_array().value_unsafe(), where, bytes));
        continue;
      }
      NEPH_CHECK(with_scalar(value, where, [&](auto element) -> Status {
        const auto added = bytes.add(element);
        return added ? Status{} : refuse("{}: {}", where.in_words(), added.error().message);
      }));
    }
    return {};
  }

  /// When all is read: the memory stays where it is from here on.
  Status point_at_data() {
    for (std::size_t i = 0; i < target_.tensors.size(); ++i)
      if (const auto& part = parts_[i]; part.given)
        target_.tensors[i].data = std::span(target_.memory).subspan(part.begin, part.end - part.begin);
    return {};
  }

  // ---- Values of one kind

  template <class Take>
  static Status each_field(JsonValue value, const Where& where, Take take) {
    if (!value.is_object()) return wrong(where, value);
    for (const auto [key, field] : JsonObject(value.get_object().value_unsafe()))
      NEPH_CHECK(take(key, field));
    return {};
  }

  template <class Take>
  static Status each_entry(JsonValue value, const Where& where, Take take) {
    if (!value.is_array()) return wrong(where, value);
    for (const JsonValue entry : JsonList(value.get_array().value_unsafe())) NEPH_CHECK(take(entry));
    return {};
  }

  static Status read_text(JsonValue value, const Where& where, std::string& to) {
    if (!value.is_string()) return wrong(where, value);
    NEPH_TRY(to, text_of(value));
    return {};
  }

  /// Parameters with a meaning of their own go where they are used. One that is null is absent, of a reply's
  /// tensors too.
  template <class Take>
  Status each_parameter(JsonValue value, const Where& where, Take take) {
    return each_field(value, where, [&](std::string_view name, JsonValue field) -> Status {
      if (field.is_null() && (where.list.empty() || is_absent(field))) return {};
      Where place = where;
      place.parameter = name;
      return with_scalar(field, place, [&](auto scalar) -> Status {
        Value given;
        if constexpr (std::is_same_v<decltype(scalar), std::string_view>)
          given = std::string(scalar);
        else
          given = scalar;
        const auto taken = take(std::string(name), std::move(given));
        return taken ? Status{} : refuse("{}: {}", place.in_words(), taken.error().message);
      });
    });
  }

  const Target target_;
  BinarySizes& sizes_;
  std::vector<Part> parts_;  ///< one per tensor
};

Status read(std::string_view text, const Target& target, BinarySizes& sizes) {
  sizes.clear();
  thread_local Parsing kept;
  std::optional<Parsing> large;
  NEPH_TRY(const auto body, (text.size() <= kept_bytes ? kept : large.emplace()).parse(text));
  return Reader(target, sizes).read(body);
}

}  // namespace

Status read_json(std::string_view text, InferRequest& request, BinarySizes& sizes) {
  return read(text,
              {.model = request.model,
               .version = request.version,
               .id = request.id,
               .parameters = request.parameters,
               .tensors = request.inputs,
               .requested = &request.outputs,
               .binary_outputs = &request.binary_outputs,
               .memory = request.memory,
               .tensors_key = "inputs"},
              sizes);
}

Status read_json(std::string_view text, InferReply& reply, BinarySizes& sizes) {
  return read(text,
              {.model = reply.model,
               .version = reply.version,
               .id = reply.id,
               .parameters = reply.parameters,
               .tensors = reply.outputs,
               .requested = nullptr,
               .binary_outputs = nullptr,
               .memory = reply.memory,
               .tensors_key = "outputs"},
              sizes);
}

}  // namespace neph::wire
