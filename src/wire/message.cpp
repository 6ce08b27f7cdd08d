#include "wire/message.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace neph::wire {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 48;

}  // namespace

std::size_t element_bytes(DataType type) {
  switch (type) {
    case DataType::boolean:
    case DataType::u8:
    case DataType::i8:
      return 1;
    case DataType::u16:
    case DataType::i16:
    case DataType::f16:
    case DataType::bf16:
      return 2;
    case DataType::u32:
    case DataType::i32:
    case DataType::f32:
      return 4;
    case DataType::u64:
    case DataType::i64:
    case DataType::f64:
      return 8;
    case DataType::bytes:
      return 0;
  }
  return 0;
}

Shape::Shape(std::initializer_list<std::int64_t> sizes) {
  for (const auto size : sizes) push_back(size);
}

bool Shape::push_back(std::int64_t size) {
  if (rank_ == most) return false;
  sizes_[rank_++] = size;
  return true;
}

bool operator==(const Shape& a, const Shape& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::optional<std::int64_t> elements(const Shape& shape) {
  std::int64_t product = 1;
  bool is_empty = false;
  for (const auto size : shape) {
    is_empty = is_empty || size == 0;
    if (size < 0 || product > most_elements / std::max<std::int64_t>(size, 1)) return std::nullopt;
    product *= std::max<std::int64_t>(size, 1);
  }
  return is_empty ? 0 : product;
}

const Value* find(const Parameters& parameters, std::string_view name) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &found->value;
}

std::optional<std::int64_t> find_integer(const Parameters& parameters, std::string_view name) {
  const auto* value = find(parameters, name);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(value))
    if (*number <= static_cast<std::uint64_t>(INT64_MAX)) return static_cast<std::int64_t>(*number);
  return std::nullopt;
}

std::optional<Moment> deadline_after(Moment received, std::optional<std::int64_t> microseconds) {
  constexpr std::int64_t a_year = std::int64_t{365} * 24 * 3600 * 1'000'000;
  if (!microseconds || *microseconds <= 0 || *microseconds > a_year) return std::nullopt;
  return received + std::chrono::microseconds(*microseconds);
}

void InferRequest::clear() {
  model.clear();
  version.clear();
  id.clear();
  parameters.clear();
  inputs.clear();
  outputs.clear();
  binary_outputs = false;
  binary_inputs = true;
  raw = false;
  memory.clear();
}

void InferReply::clear() {
  model.clear();
  version.clear();
  id.clear();
  parameters.clear();
  outputs.clear();
  memory.clear();
}

Status check_tensor(const Tensor& tensor) {
  const auto count = elements(tensor.shape);
  if (!count)
    return fail(ErrorCode::invalid_argument,
                "tensor '{}': the shape [{}] has a negative size or too many elements", tensor.name,
                fmt::join(tensor.shape, ", "));
  if (tensor.shared) return {};
  if (tensor.type == DataType::bytes) {
    std::int64_t found = 0;
    if (!for_each_bytes(tensor.data, [&](auto) { ++found; }))
      return fail(ErrorCode::invalid_argument,
                  "tensor '{}': the lengths of its BYTES do not fit its {} bytes", tensor.name,
                  tensor.data.size());
    if (found != *count)
      return fail(ErrorCode::invalid_argument, "tensor '{}': {} element{} for the shape [{}]", tensor.name,
                  found, found == 1 ? "" : "s", fmt::join(tensor.shape, ", "));
    return {};
  }
  return check_bytes(tensor, tensor.data.size());
}

Status check_bytes(const Tensor& tensor, std::uint64_t bytes) {
  const auto wanted =
      static_cast<std::uint64_t>(elements(tensor.shape).value_or(0)) * element_bytes(tensor.type);
  if (bytes == wanted || tensor.type == DataType::bytes) return {};
  return fail(ErrorCode::invalid_argument, "tensor '{}': {} bytes of data; {} [{}] has {}", tensor.name,
              bytes, enum_name(tensor.type), fmt::join(tensor.shape, ", "), wanted);
}

Status check_outputs(const InferReply& reply, std::string_view text) {
  constexpr std::size_t most_quoted = 120;
  if (!reply.outputs.empty()) return {};
  std::string quoted(text);
  for (const auto& [name, value] : reply.parameters)
    if (const auto* words = std::get_if<std::string>(&value); words != nullptr && text.empty())
      quoted += fmt::format("{}{}: {}", quoted.empty() ? "" : ", ", name, *words);
  if (quoted.size() > most_quoted) quoted.replace(most_quoted, std::string::npos, "...");
  return fail(ErrorCode::corrupt, "the reply has no outputs{}{}{}", quoted.empty() ? "" : ": '", quoted,
              quoted.empty() ? "" : "'");
}

}  // namespace neph::wire
