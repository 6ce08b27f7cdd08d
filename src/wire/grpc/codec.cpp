#include "wire/grpc/codec.hpp"

#include <utility>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <inference.pb.h>

#include "core/names.hpp"
#include "wire/parameters.hpp"
#include "wire/tensor_bytes.hpp"

namespace neph::wire {
namespace {

using ProtoParameters = google::protobuf::Map<std::string, inference::InferParameter>;

Status read_value(const std::string& name, const inference::InferParameter& from, Value& value) {
  using Choice = inference::InferParameter;
  switch (from.parameter_choice_case()) {
    case Choice::kBoolParam:
      value = from.bool_param();
      return {};
    case Choice::kInt64Param:
      value = std::int64_t{from.int64_param()};
      return {};
    case Choice::kStringParam:
      value = from.string_param();
      return {};
    case Choice::kDoubleParam:
      value = from.double_param();
      return {};
    case Choice::kUint64Param:
      value = std::uint64_t{from.uint64_param()};
      return {};
    case Choice::PARAMETER_CHOICE_NOT_SET:
      break;
  }
  return fail(ErrorCode::invalid_argument, "parameter '{}' has no value", name);
}

Status read_parameters(const ProtoParameters& from, Parameters& to) {
  for (const auto& [name, given] : from)
    NEPH_CHECK(read_value(name, given, to.emplace_back(Parameter{name}).value));
  return {};
}

/// Name, type, shape and parameters of an input or output tensor.
template <class ProtoTensor>
Status read_tensor(const ProtoTensor& from, Tensor& to) {
  to.name = from.name();
  const auto type = enum_value<DataType>(from.datatype());
  if (!type)
    return fail_in(
        fmt::format("tensor '{}'", to.name),
        unknown_name(ErrorCode::invalid_argument, "datatype", from.datatype(), enum_choices<DataType>())
            .value());
  to.type = *type;
  for (const auto size : from.shape())
    if (!to.shape.push_back(size))
      return fail(ErrorCode::invalid_argument, "tensor '{}': more than {} dimensions", to.name, Shape::most);
  for (const auto& [name, given] : from.parameters()) {
    Value value;
    NEPH_CHECK(read_value(name, given, value));
    NEPH_CHECK(take_tensor_parameter(name, std::move(value), to));
  }
  return {};
}

// ---- Typed contents, made bytes

template <class Values>
Status append_all(const Values& values, const Tensor& tensor, std::vector<std::byte>& memory) {
  TensorBytes bytes(tensor.type, memory);
  for (const auto& value : values)
    if (const auto status = bytes.add(value); !status)
      return fail(ErrorCode::invalid_argument, "tensor '{}': {}", tensor.name, status.error().message);
  return {};
}

Status append_contents(const inference::InferTensorContents& from, const Tensor& tensor,
                       std::vector<std::byte>& memory) {
  switch (tensor.type) {
    case DataType::boolean:
      return append_all(from.bool_contents(), tensor, memory);
    case DataType::u8:
    case DataType::u16:
    case DataType::u32:
      return append_all(from.uint_contents(), tensor, memory);
    case DataType::u64:
      return append_all(from.uint64_contents(), tensor, memory);
    case DataType::i8:
    case DataType::i16:
    case DataType::i32:
      return append_all(from.int_contents(), tensor, memory);
    case DataType::i64:
      return append_all(from.int64_contents(), tensor, memory);
    case DataType::f32:
      return append_all(from.fp32_contents(), tensor, memory);
    case DataType::f64:
      return append_all(from.fp64_contents(), tensor, memory);
    case DataType::bytes:
      return append_all(from.bytes_contents(), tensor, memory);
    case DataType::f16:
    case DataType::bf16:
      break;
  }
  return fail(ErrorCode::invalid_argument, "tensor '{}': {} has no typed contents; send it as raw contents",
              tensor.name, enum_name(tensor.type));
}

bool has_contents(const inference::InferTensorContents& contents) { return contents.ByteSizeLong() > 0; }

/// Tensors with their data: raw contents, one per tensor that is not in shared memory, or typed ones, but not
/// both.
template <class ProtoTensors, class Raw>
Status read_tensors(const ProtoTensors& from, const Raw& raw, std::vector<Tensor>& to,
                    std::vector<std::byte>& memory) {
  struct Numbers {
    std::size_t begin, end;
  };
  if (static_cast<std::size_t>(from.size()) > most_tensors)
    return fail(ErrorCode::invalid_argument, "more than {} tensors", most_tensors);
  std::vector<Numbers> numbers;
  int next_raw = 0;
  for (const auto& given : from) {
    auto& tensor = to.emplace_back();
    NEPH_CHECK(read_tensor(given, tensor));
    const auto begin = memory.size();
    if (!raw.empty()) {
      if (given.has_contents() && has_contents(given.contents()))
        return fail(ErrorCode::invalid_argument, "tensor '{}': typed contents beside raw contents",
                    tensor.name);
      if (!tensor.shared) {
        if (next_raw == raw.size())
          return fail(ErrorCode::invalid_argument, "tensor '{}': {} raw contents are too few", tensor.name,
                      raw.size());
        tensor.data = bytes_of(raw[next_raw++]);
      }
    } else if (!tensor.shared) {
      NEPH_CHECK(append_contents(given.contents(), tensor, memory));
    }
    numbers.push_back({begin, memory.size()});
  }
  if (next_raw < raw.size())
    return fail(ErrorCode::invalid_argument, "{} raw contents for {} tensors", raw.size(), next_raw);
  for (std::size_t i = 0; i < to.size(); ++i) {  // the memory stays where it is from here on
    if (raw.empty() && !to[i].shared)
      to[i].data = std::span(memory).subspan(numbers[i].begin, numbers[i].end - numbers[i].begin);
    NEPH_CHECK(check_tensor(to[i]));
  }
  return {};
}

// ---- Writing

void write_value(const Value& from, inference::InferParameter& to) {
  std::visit(
      [&](const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>)
          to.set_bool_param(value);
        else if constexpr (std::is_same_v<T, std::string>)
          to.set_string_param(value);
        else if constexpr (std::is_same_v<T, double>)
          to.set_double_param(value);
        else if constexpr (std::is_same_v<T, std::uint64_t>)
          to.set_uint64_param(value);
        else
          to.set_int64_param(value);
      },
      from);
}

void write_parameters(const Parameters& from, ProtoParameters& to) {
  for (const auto& parameter : from) write_value(parameter.value, to[parameter.name]);
}

void write_shared(const std::optional<SharedPart>& shared, ProtoParameters& to) {
  if (!shared) return;
  to["shared_memory_region"].set_string_param(shared->region);
  to["shared_memory_byte_size"].set_int64_param(static_cast<std::int64_t>(shared->bytes));
  if (shared->offset != 0)
    to["shared_memory_offset"].set_int64_param(static_cast<std::int64_t>(shared->offset));
}

template <class ProtoTensor>
void write_tensor(const Tensor& from, ProtoTensor& to) {
  to.set_name(from.name);
  to.set_datatype(std::string(enum_name(from.type)));
  for (const auto size : from.shape) to.add_shape(size);
  write_parameters(from.parameters, *to.mutable_parameters());
}

}  // namespace

Status read_message(const inference::ModelInferResponse& from, InferReply& reply) {
  reply.model = from.model_name();
  reply.version = from.model_version();
  reply.id = from.id();
  NEPH_CHECK(read_parameters(from.parameters(), reply.parameters));
  return read_tensors(from.outputs(), from.raw_output_contents(), reply.outputs, reply.memory);
}

std::string raw_field_head(std::size_t bytes) {
  constexpr auto length_delimited = 2;
  std::string head(1, static_cast<char>(inference::ModelInferRequest::kRawInputContentsFieldNumber << 3 |
                                        length_delimited));
  google::protobuf::io::StringOutputStream text(&head);
  google::protobuf::io::CodedOutputStream(&text).WriteVarint64(bytes);
  return head;
}

void write_head(const InferRequest& request, inference::ModelInferRequest& to) {
  to.set_model_name(request.model);
  to.set_model_version(request.version);
  to.set_id(request.id);
  write_parameters(request.parameters, *to.mutable_parameters());
  for (const auto& input : request.inputs) {
    auto& tensor = *to.add_inputs();
    write_tensor(input, tensor);
    write_shared(input.shared, *tensor.mutable_parameters());
  }
  for (const auto& output : request.outputs) {
    auto& asked = *to.add_outputs();
    asked.set_name(output.name);
    if (output.classification > 0)
      (*asked.mutable_parameters())["classification"].set_int64_param(output.classification);
    write_shared(output.shared, *asked.mutable_parameters());
  }
}

}  // namespace neph::wire
