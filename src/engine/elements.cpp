#include "engine/elements.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace neph::engine {
namespace {

template <class T>
double value_at(const void* data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double brain_value(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  return value_at<float>(&wide, 0);
}

std::uint16_t half_bits(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::abs(value);
  if (std::isnan(value)) return 0x7E00;
  if (size >= 65520) return sign | 0x7C00;
  if (size < 0x1p-14) return static_cast<std::uint16_t>(sign | std::lround(std::ldexp(size, 24)));
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);  // a carry of the rounding goes to the exponent
  return static_cast<std::uint16_t>(sign |
                                    (((exponent + 14) << 10) + std::lround((2 * fraction - 1) * 1024)));
}

std::uint16_t brain_bits(double value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

}  // namespace

double element_value(Element element, const void* data, std::size_t i) {
  switch (element) {
    case Element::f32:
      return value_at<float>(data, i);
    case Element::f64:
      return value_at<double>(data, i);
    case Element::f16:
      return half_value(static_cast<std::uint16_t>(value_at<std::uint16_t>(data, i)));
    case Element::bf16:
      return brain_value(static_cast<std::uint16_t>(value_at<std::uint16_t>(data, i)));
    case Element::u8:
    case Element::boolean:
      return value_at<std::uint8_t>(data, i);
    case Element::i8:
      return value_at<std::int8_t>(data, i);
    case Element::u16:
      return value_at<std::uint16_t>(data, i);
    case Element::u32:
      return value_at<std::uint32_t>(data, i);
    case Element::u64:
      return value_at<std::uint64_t>(data, i);
    case Element::i16:
      return value_at<std::int16_t>(data, i);
    case Element::i32:
      return value_at<std::int32_t>(data, i);
    case Element::i64:
      return value_at<std::int64_t>(data, i);
    case Element::text:
      break;
  }
  return 0;
}

void set_element(Element element, void* data, std::size_t i, double value) {
  const auto width = element_bytes(element);
  auto* at = static_cast<std::byte*>(data) + i * width;
  const auto put = [&](auto number) { std::memcpy(at, &number, width); };
  switch (element) {
    case Element::f32:
      return put(static_cast<float>(value));
    case Element::f64:
      return put(value);
    case Element::f16:
      return put(half_bits(value));
    case Element::bf16:
      return put(brain_bits(value));
    default:
      return put(static_cast<std::uint64_t>(value));
  }
}

}  // namespace neph::engine
