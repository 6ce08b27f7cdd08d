// Whether the rows of a batch are strangers to each other. A model whose first dimension is open may as well
// be one over a sequence (attention, a softmax over axis 0), whose answers change with what else is in the
// batch; no file says which, so it is tried.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/aligned.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/result.hpp"
#include "engine/engine.hpp"

namespace neph::engine {
namespace {

/// Small tensors agree by chance: ones of a few integers are drawn again, as long as that takes no time.
constexpr int most_draws = 8;
constexpr auto time_for_draws = std::chrono::milliseconds(50);

/// Kernels for other batch sizes sum in another order. Relative to the value, and to the largest of its row:
/// that part is small, because boxes of 640 and scores below 1 may stand in one tensor.
struct Rounding {
  double own = 0, largest = 0;
};
constexpr Rounding rounding_f32{2e-3, 1e-4};
constexpr Rounding rounding_less{5e-2, 1e-2};  ///< half precisions and i8

using Memory = std::vector<AlignedFloats>;

Result<Memory> memory_for(const std::vector<Port>& ports) {
  Memory memory;
  for (const auto& port : ports) {
    memory.push_back(allocate_floats(port.bytes() / sizeof(float) + 1));
    if (!memory.back()) return fail(ErrorCode::unavailable, "no memory for '{}'", port.name);
  }
  return memory;
}

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
  }
  return 0;
}

/// Floats from [0, 1), integers 0 or 1: what every vocabulary, mask and index has.
void fill_randomly(const Port& port, void* to, Random& random) {
  const auto width = element_bytes(port.element);
  auto* at = static_cast<std::byte*>(to);
  const auto put = [&](auto value) { std::memcpy(at, &value, sizeof(value)); };
  for (auto left = port.bytes() / width; left > 0; --left, at += width) {
    std::memset(at, 0, width);
    switch (port.element) {
      case Element::f32:
        put(static_cast<float>(random.bits() >> 40) * 0x1p-24F);
        break;
      case Element::f64:
        put(random.uniform());
        break;
      case Element::f16:  // 0, or from [0.5, 1)
        put(static_cast<std::uint16_t>(random.below(2) * (0x3800 | random.below(1024))));
        break;
      case Element::bf16:
        put(static_cast<std::uint16_t>(random.below(2) * (0x3F00 | random.below(128))));
        break;
      default:
        *at = static_cast<std::byte>(random.below(2));
    }
  }
}

Rounding rounding(Element element, const Session& session) {
  if (!is_float(element)) return {};
  const auto used = get(session.facts(), fact::precision);
  const bool full = element != Element::f16 && element != Element::bf16 && (!used || *used == "f32");
  return full ? rounding_f32 : rounding_less;
}

/// Bound once; rows of the batch on one side, one row on the other.
class Comparison {
 public:
  Comparison(Session& alone, Session& together, std::int64_t rows)
      : alone_(alone), together_(together), rows_(static_cast<std::size_t>(rows)) {}

  Status prepare() {
    NEPH_CHECK(open(alone_, one_));
    return open(together_, all_);
  }

  /// Whether any output of a row has changed with the row: else its answers prove nothing.
  bool has_seen_change() const { return has_seen_change_; }

  /// One draw. Empty: no difference.
  Result<std::string> draw(Random& random) {
    const auto& inputs = together_.inputs();
    for (std::size_t port = 0; port < inputs.size(); ++port)
      fill_randomly(inputs[port], all_.inputs[port].get(), random);
    NEPH_CHECK(all_.request->infer());
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t port = 0; port < inputs.size(); ++port)
        std::memcpy(one_.inputs[port].get(), row_of(all_.inputs[port], inputs[port], row),
                    inputs[port].bytes() / rows_);
      NEPH_CHECK(one_.request->infer());
      look_for_change();
      for (std::size_t port = 0; port < together_.outputs().size(); ++port)
        if (auto difference = compare(port, row); !difference.empty()) return difference;
    }
    return std::string();
  }

 private:
  struct Side {
    Memory inputs, outputs;
    std::unique_ptr<Request> request;  ///< last: it uses the memory
  };

  static Status open(Session& session, Side& side) {
    NEPH_TRY(side.inputs, memory_for(session.inputs()));
    NEPH_TRY(side.outputs, memory_for(session.outputs()));
    NEPH_TRY(side.request, session.make_request());
    for (std::size_t i = 0; i < side.inputs.size(); ++i)
      NEPH_CHECK(side.request->bind_input(i, side.inputs[i].get(), session.inputs()[i].bytes()));
    for (std::size_t i = 0; i < side.outputs.size(); ++i)
      NEPH_CHECK(side.request->bind_output(i, side.outputs[i].get(), session.outputs()[i].bytes()));
    return {};
  }

  const std::byte* row_of(const AlignedFloats& memory, const Port& port, std::size_t row) const {
    return reinterpret_cast<const std::byte*>(memory.get()) + row * (port.bytes() / rows_);
  }

  /// Against the first row that was ever run alone.
  void look_for_change() {
    const auto& ports = together_.outputs();
    const bool is_first = first_.empty();
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const auto* values = one_.outputs[port].get();
      const auto count = ports[port].bytes() / rows_ / element_bytes(ports[port].element);
      if (is_first) first_.emplace_back();
      for (std::size_t i = 0; i < count; ++i) {
        const double value = element_value(ports[port].element, values, i);
        if (is_first) first_[port].push_back(value);
        has_seen_change_ = has_seen_change_ || (std::isfinite(value) && value != first_[port][i]);
      }
    }
  }

  std::string compare(std::size_t number, std::size_t row) const {
    const auto& port = together_.outputs()[number];
    const auto count = port.bytes() / rows_ / element_bytes(port.element);
    const auto* apart = one_.outputs[number].get();
    const auto* joined = row_of(all_.outputs[number], port, row);
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (const double a = element_value(port.element, apart, i); std::isfinite(a))
        largest = std::max(largest, std::abs(a));
    const auto allowed = rounding(port.element, together_);
    for (std::size_t i = 0; i < count; ++i) {
      const double a = element_value(port.element, apart, i);
      const double b = element_value(port.element, joined, i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      const double off = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : HUGE_VAL;
      if (off > allowed.own * std::abs(a) + allowed.largest * largest) worst = std::max(worst, off);
    }
    if (worst == 0) return {};
    return fmt::format("output '{}' of a row changes by up to {:.3g} with the other rows in the batch",
                       port.name, worst);
  }

  Session& alone_;
  Session& together_;
  const std::size_t rows_;
  Side one_, all_;
  std::vector<std::vector<double>> first_;  ///< by output
  bool has_seen_change_ = false;
};

}  // namespace

Result<std::string> rows_that_differ(Session& alone, Session& together, std::int64_t rows) {
  Comparison comparison(alone, together, rows);
  NEPH_CHECK(comparison.prepare());
  const SteadyClock clock;
  const auto begin = clock.now();
  Random random(1);
  std::string difference;
  for (int draw = 0; draw < most_draws && difference.empty(); ++draw) {
    if (draw > 0 && clock.now() - begin > time_for_draws) break;
    NEPH_TRY(difference, comparison.draw(random));
  }
  if (difference.empty() && !comparison.has_seen_change())
    return std::string("no output changes with random inputs, so that they tell nothing of its rows");
  return difference;
}

}  // namespace neph::engine
