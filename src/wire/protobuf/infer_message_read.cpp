#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/names.hpp"
#include "core/protobuf.hpp"
#include "core/text.hpp"
#include "wire/parameters.hpp"
#include "wire/protobuf/infer_message.hpp"
#include "wire/tensor_bytes.hpp"

namespace neph::wire {
namespace {

using protobuf::Field;

/// The bytes are no such message; the caller knows which.
tl::unexpected<Error> malformed() { return fail(ErrorCode::corrupt, "malformed"); }

template <class Visit>
Status each_field(std::string_view message, Visit visit) {
  while (!message.empty()) {
    const auto field = protobuf::take_field(message);
    if (!field || field->number == 0) return malformed();
    NEPH_CHECK(visit(*field));
  }
  return {};
}

Status read_text(const Field& field, std::string& to) {
  if (field.wire != protobuf::delimited) return malformed();
  if (!is_utf8(field.content)) return fail(ErrorCode::invalid_argument, "a text that is not UTF-8");
  to = field.content;
  return {};
}

template <class T>
T number_of(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// ---- Parameters

Status read_value(const Field& field, std::optional<Value>& value) {
  switch (field.number) {
    case 1:
      if (field.wire == protobuf::varint) value = field.value != 0;
      return {};
    case 2:
      if (field.wire == protobuf::varint) value = static_cast<std::int64_t>(field.value);
      return {};
    case 3: {
      std::string text;
      NEPH_CHECK(read_text(field, text));
      value = std::move(text);
      return {};
    }
    case 4:
      if (field.wire != protobuf::eight_bytes) return malformed();
      value = number_of<double>(field.content);
      return {};
    case 5:
      if (field.wire == protobuf::varint) value = field.value;
      return {};
    default:
      return {};
  }
}

/// Counts the parameters of one message.
class ParameterReader {
 public:
  /// An entry of a map<string, InferParameter>.
  Result<Parameter> read(const Field& entry) {
    if (++count_ > most_parameters)
      return fail(ErrorCode::invalid_argument, "more than {} parameters", most_parameters);
    Parameter parameter;
    std::optional<Value> value;
    NEPH_CHECK(each_field(entry.content, [&](const Field& field) -> Status {
      if (field.number == 1) return read_text(field, parameter.name);
      if (field.number != 2) return {};
      return each_field(field.content, [&](const Field& choice) { return read_value(choice, value); });
    }));
    if (!value) return fail(ErrorCode::invalid_argument, "parameter '{}' has no value", parameter.name);
    parameter.value = *std::move(value);
    return parameter;
  }

 private:
  std::size_t count_ = 0;
};

// ---- Tensors

/// Typed contents of a tensor: a view of its InferTensorContents.
struct Typed {
  std::string_view contents;
  std::size_t begin = 0, end = 0;  ///< decoded, in the request's memory
};

Status read_shape(const Field& field, Tensor& tensor) {
  const auto add = [&](std::uint64_t size) -> Status {
    if (tensor.shape.push_back(static_cast<std::int64_t>(size))) return {};
    return fail(ErrorCode::invalid_argument, "tensor '{}': more than {} dimensions", tensor.name,
                Shape::most);
  };
  if (field.wire == protobuf::varint) return add(field.value);
  for (auto packed = field.content; !packed.empty();) {
    const auto size = protobuf::take_varint(packed);
    if (!size) return malformed();
    NEPH_CHECK(add(*size));
  }
  return {};
}

Status read_datatype(std::string_view name, Tensor& tensor) {
  const auto type = enum_value<DataType>(name);
  if (!type)
    return fail_in(
        fmt::format("tensor '{}'", tensor.name),
        unknown_name(ErrorCode::invalid_argument, "datatype", name, enum_choices<DataType>()).value());
  tensor.type = *type;
  return {};
}

/// An input of a request, or an output of a reply.
Status read_tensor(std::string_view message, ParameterReader& parameters, Tensor& tensor, Typed& typed) {
  bool has_type = false;
  NEPH_CHECK(each_field(message, [&](const Field& field) -> Status {
    switch (field.number) {
      case 1:
        return read_text(field, tensor.name);
      case 2:
        has_type = true;
        return read_datatype(field.content, tensor);
      case 3:
        return read_shape(field, tensor);
      case 4: {
        NEPH_TRY(auto parameter, parameters.read(field));
        return take_tensor_parameter(std::move(parameter.name), std::move(parameter.value), tensor);
      }
      case 5:
        if (!typed.contents.empty())
          return fail(ErrorCode::invalid_argument, "tensor '{}': contents twice", tensor.name);
        typed.contents = field.content;
        return {};
      default:
        return {};
    }
  }));
  return has_type ? Status() : read_datatype("", tensor);
}

Status read_output(std::string_view message, ParameterReader& parameters, RequestedOutput& output) {
  return each_field(message, [&](const Field& field) -> Status {
    if (field.number == 1) return read_text(field, output.name);
    if (field.number != 2) return {};
    NEPH_TRY(auto parameter, parameters.read(field));
    return take_output_parameter(parameter.name, parameter.value, output);
  });
}

// ---- Typed contents, made bytes

/// The field of InferTensorContents that has the elements of a type; 0: none has.
std::uint64_t contents_field(DataType type) {
  switch (type) {
    case DataType::boolean:
      return 1;
    case DataType::i8:
    case DataType::i16:
    case DataType::i32:
      return 2;
    case DataType::i64:
      return 3;
    case DataType::u8:
    case DataType::u16:
    case DataType::u32:
      return 4;
    case DataType::u64:
      return 5;
    case DataType::f32:
      return 6;
    case DataType::f64:
      return 7;
    case DataType::bytes:
      return 8;
    case DataType::f16:
    case DataType::bf16:
      return 0;
  }
  return 0;
}

Status add_varint(std::uint64_t field, std::uint64_t value, TensorBytes& bytes) {
  switch (field) {
    case 1:
      return bytes.add(value != 0);
    case 2:
      return bytes.add(static_cast<std::int32_t>(value));
    case 3:
      return bytes.add(static_cast<std::int64_t>(value));
    case 4:
      return bytes.add(static_cast<std::uint32_t>(value));
    default:
      return bytes.add(value);
  }
}

/// Elements of one field of the contents: many at once (packed), or one. Ends where the memory is larger than
/// `limit`: such a tensor is refused.
Status add_elements(const Field& field, std::size_t limit, TensorBytes& bytes,
                    std::vector<std::byte>& memory) {
  const std::size_t width = field.number == 6 ? 4 : field.number == 7 ? 8 : 0;
  if (width > 0) {  // as they lie on the wire
    if (field.wire == protobuf::varint || field.content.size() % width != 0) return malformed();
    const auto content = bytes_of(field.content.substr(0, limit - memory.size() + width));
    memory.insert(memory.end(), content.begin(), content.end());
    return {};
  }
  if (field.number == 8) return field.wire == protobuf::delimited ? bytes.add(field.content) : malformed();
  if (field.wire == protobuf::varint) return add_varint(field.number, field.value, bytes);
  if (field.wire != protobuf::delimited) return malformed();
  for (auto packed = field.content; !packed.empty() && memory.size() <= limit;) {
    const auto value = protobuf::take_varint(packed);
    if (!value) return malformed();
    NEPH_CHECK(add_varint(field.number, *value, bytes));
  }
  return {};
}

/// Bytes of the decoded contents of a tensor, at most: what its shape wants, as far as it can be there (an
/// element takes a byte at least), or for BYTES what there is.
std::uint64_t decoded_bytes(const Tensor& tensor, std::string_view contents) {
  if (const auto width = element_bytes(tensor.type); width > 0)
    return width * std::min<std::uint64_t>(static_cast<std::uint64_t>(elements(tensor.shape).value_or(0)),
                                           contents.size());
  std::uint64_t sum = 0;
  protobuf::each_field(contents, [&](const Field& field) {
    if (field.number == 8) sum += sizeof(std::uint32_t) + field.content.size();
  });
  return sum;
}

Status decode(const Tensor& tensor, Typed& typed, std::vector<std::byte>& memory) {
  const auto wanted = contents_field(tensor.type);
  if (wanted == 0)
    return fail(ErrorCode::invalid_argument, "tensor '{}': {} has no typed contents; send it as raw contents",
                tensor.name, enum_name(tensor.type));
  typed.begin = memory.size();
  const auto limit = typed.begin + decoded_bytes(tensor, typed.contents);
  TensorBytes bytes(tensor.type, memory);
  NEPH_CHECK(each_field(typed.contents, [&](const Field& field) -> Status {
    if (field.number != wanted || memory.size() > limit) return {};
    auto status = add_elements(field, limit, bytes, memory);
    return status ? Status() : fail_in(fmt::format("tensor '{}'", tensor.name), std::move(status).error());
  }));
  typed.end = memory.size();
  return {};
}

/// The fields that a request and a reply have in common, by the same numbers but for the raw contents.
struct Target {
  std::string& model;
  std::string& version;
  std::string& id;
  Parameters& parameters;
  std::vector<Tensor>& tensors;
  std::vector<RequestedOutput>* requested;  ///< null: of a reply
  std::vector<std::byte>& memory;
};

/// Points each tensor at its data: raw contents, one per tensor that is not in shared memory, or typed ones,
/// but not both.
Status take_data(const std::vector<std::string_view>& raw, std::vector<Typed>& typed,
                 std::uint64_t most_decoded, const Target& to) {
  auto& tensors = to.tensors;
  auto& memory = to.memory;
  std::size_t next_raw = 0;
  if (raw.empty()) {
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (!tensors[i].shared) wanted += decoded_bytes(tensors[i], typed[i].contents);
    if (wanted > most_decoded)
      return fail(ErrorCode::invalid_argument,
                  "typed contents of {} bytes when decoded are more than the limit leaves", wanted);
    memory.reserve(wanted + sizeof(std::uint64_t));  // one element more, and it is refused
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (raw.empty()) {
      if (!tensors[i].shared) NEPH_CHECK(decode(tensors[i], typed[i], memory));
      continue;
    }
    if (!typed[i].contents.empty())
      return fail(ErrorCode::invalid_argument, "tensor '{}': typed contents beside raw contents",
                  tensors[i].name);
    if (tensors[i].shared) continue;
    if (next_raw == raw.size())
      return fail(ErrorCode::invalid_argument, "tensor '{}': {} raw contents are too few", tensors[i].name,
                  raw.size());
    tensors[i].data = bytes_of(raw[next_raw++]);
  }
  if (next_raw < raw.size())
    return fail(ErrorCode::invalid_argument, "{} raw contents for {} tensors", raw.size(), next_raw);
  for (std::size_t i = 0; i < tensors.size(); ++i) {  // the memory stays where it is from here on
    if (raw.empty() && !tensors[i].shared)
      tensors[i].data = std::span(memory).subspan(typed[i].begin, typed[i].end - typed[i].begin);
    NEPH_CHECK(check_tensor(tensors[i]));
  }
  return {};
}

Status read_message(std::string_view from, std::uint64_t most_decoded, const Target& to) {
  const std::uint64_t raw_contents = to.requested != nullptr ? 7 : 6;
  ParameterReader parameters;
  std::vector<std::string_view> raw;
  std::vector<Typed> typed;
  const auto too_many = [] {
    return fail(ErrorCode::invalid_argument, "more than {} tensors", most_tensors);
  };
  NEPH_CHECK(each_field(from, [&](const Field& field) -> Status {
    if (field.number <= raw_contents && field.wire != protobuf::delimited) return malformed();
    if (field.number == raw_contents) {
      if (raw.size() == most_tensors) return too_many();
      raw.push_back(field.content);
      return {};
    }
    switch (field.number) {
      case 1:
        return read_text(field, to.model);
      case 2:
        return read_text(field, to.version);
      case 3:
        return read_text(field, to.id);
      case 4: {
        NEPH_TRY(auto parameter, parameters.read(field));
        to.parameters.push_back(std::move(parameter));
        return {};
      }
      case 5:
        if (to.tensors.size() == most_tensors) return too_many();
        return read_tensor(field.content, parameters, to.tensors.emplace_back(), typed.emplace_back());
      case 6:
        if (to.requested->size() == most_tensors) return too_many();
        return read_output(field.content, parameters, to.requested->emplace_back());
      default:
        return {};
    }
  }));
  return take_data(raw, typed, most_decoded, to);
}

}  // namespace

Status read_infer_request(std::string_view from, std::uint64_t most_bytes, InferRequest& request) {
  auto status = read_message(from, most_bytes - std::min<std::uint64_t>(most_bytes, from.size()),
                             {request.model, request.version, request.id, request.parameters, request.inputs,
                              &request.outputs, request.memory});
  if (!status && status.error().code == ErrorCode::corrupt)
    return fail(ErrorCode::invalid_argument, "the message is not a ModelInferRequest");
  return status;
}

Status read_infer_reply(std::string_view from, InferReply& reply) {
  auto status = read_message(
      from, UINT64_MAX,
      {reply.model, reply.version, reply.id, reply.parameters, reply.outputs, nullptr, reply.memory});
  if (!status && status.error().code == ErrorCode::corrupt)
    return fail(ErrorCode::corrupt, "the reply is not a ModelInferResponse");
  return status;
}

}  // namespace neph::wire
