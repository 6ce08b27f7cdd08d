// The bytes of a tensor whose elements come one by one, as JSON values or as typed contents of gRPC.
#pragma once

#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "wire/message.hpp"

namespace neph::wire {

/// Appends elements of one type to `memory`. Errors: invalid_argument (a value that the type does not hold).
class TensorBytes {
 public:
  TensorBytes(DataType type, std::vector<std::byte>& memory) : type_(type), memory_(&memory) {}

  Status add(std::string_view text) {
    if (type_ != DataType::bytes) return wrong_kind("text");
    if (!std::in_range<std::uint32_t>(text.size()))
      return fail(ErrorCode::invalid_argument, "an element of over 4 GiB");
    append(static_cast<std::uint32_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    memory_->insert(memory_->end(), bytes.begin(), bytes.end());
    return {};
  }

  Status add(bool value) {
    if (type_ != DataType::boolean) return wrong_kind("true or false");
    append(static_cast<std::uint8_t>(value));
    return {};
  }

  template <class Number>
  requires(std::integral<Number> || std::floating_point<Number>) Status add(Number value) {
    switch (type_) {
      case DataType::boolean:
        if (value != 0 && value != 1) return beyond(value);
        return add(value != 0);
      case DataType::u8:
        return add_as<std::uint8_t>(value);
      case DataType::u16:
        return add_as<std::uint16_t>(value);
      case DataType::u32:
        return add_as<std::uint32_t>(value);
      case DataType::u64:
        return add_as<std::uint64_t>(value);
      case DataType::i8:
        return add_as<std::int8_t>(value);
      case DataType::i16:
        return add_as<std::int16_t>(value);
      case DataType::i32:
        return add_as<std::int32_t>(value);
      case DataType::i64:
        return add_as<std::int64_t>(value);
      case DataType::f32:
        return add_as<float>(value);
      case DataType::f64:
        return add_as<double>(value);
      case DataType::f16:
      case DataType::bf16:
        return fail(ErrorCode::invalid_argument, "{} comes as binary data only", enum_name(type_));
      case DataType::bytes:
        break;
    }
    return wrong_kind("a number");
  }

 private:
  template <class T>
  void append(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    memory_->insert(memory_->end(), bytes.begin(), bytes.end());
  }

  template <class T, class Number>
  Status add_as(Number value) {
    if constexpr (std::integral<T> && std::integral<Number>)
      if (!std::in_range<T>(value)) return beyond(value);
    if constexpr (std::integral<T> && std::floating_point<Number>) {
      constexpr double exact = std::int64_t{1} << 53;  // from there on not every whole number is a double
      if (std::trunc(value) != value)
        return fail(ErrorCode::invalid_argument, "{} is not a whole number, and the type is {}", value,
                    enum_name(type_));
      using Limits = std::numeric_limits<T>;
      if (value < static_cast<double>(Limits::lowest()) || value > static_cast<double>(Limits::max()))
        return beyond(value);
      if (std::abs(value) >= exact)
        return fail(ErrorCode::invalid_argument, "{} may be rounded; write all digits, without . and e",
                    value);
    }
    if constexpr (std::floating_point<T> && std::floating_point<Number>)
      if (std::isfinite(value) && !std::isfinite(static_cast<T>(value))) return beyond(value);
    append(static_cast<T>(value));
    return {};
  }

  template <class Number>
  tl::unexpected<Error> beyond(Number value) const {
    return fail(ErrorCode::invalid_argument, "{} is beyond {}", value, enum_name(type_));
  }
  tl::unexpected<Error> wrong_kind(std::string_view kind) const {
    return fail(ErrorCode::invalid_argument, "{} does not fit {}", kind, enum_name(type_));
  }

  DataType type_;
  std::vector<std::byte>* memory_;
};

}  // namespace neph::wire
