// What is calculated from small constants: arithmetic, comparisons, casts, choices, reductions.
#include <algorithm>
#include <cmath>

#include "net/numbers.hpp"

namespace neph::net {
namespace {

/// Floats are rounded as an engine rounds them: a size is the floor of a product of two.
double rounded(int type, double real) {
  const bool fits = std::abs(real) <= static_cast<double>(std::numeric_limits<float>::max());
  return type == kFloat && fits ? static_cast<double>(static_cast<float>(real)) : real;
}

std::int64_t whole(double real) {
  return std::abs(real) < 9e18 ? static_cast<std::int64_t>(real) : kOpen;  // NaN is open too
}

double real_of(std::int64_t value) { return value == kOpen ? std::nan("") : static_cast<double>(value); }

bool is_real(int type) { return type == kFloat || type == kDouble || type == kFloat16 || type == kBfloat16; }

/// What is left of a whole number in a narrower type: the lower bits, as engines and NumPy have it.
std::int64_t narrowed(int type, std::int64_t value) {
  const int bits = element_bits(type);
  if (value == kOpen || bits <= 0 || bits >= 64) return value;
  const auto low = static_cast<std::uint64_t>(value) << (64 - bits);
  return is_unsigned(type) ? static_cast<std::int64_t>(low >> (64 - bits))
                           : static_cast<std::int64_t>(low) >> (64 - bits);
}

/// Of a float, which no standard tells what to make of where it does not fit.
std::int64_t fitting(int type, std::int64_t value) { return narrowed(type, value) == value ? value : kOpen; }

std::int64_t as_flag(std::int64_t value) { return value == kOpen ? kOpen : std::int64_t{value != 0}; }
std::int64_t as_flag(double real) { return std::isnan(real) ? kOpen : std::int64_t{real != 0}; }

void cast(const Call& call, Effect& effect) {
  const Tensor& from = call.input(0);
  Tensor& to = effect.outputs[0];
  const bool flags = to.type == kBool;
  if (!small_count(to.shape)) return;
  if (is_real(to.type)) {
    to.reals = from.reals;
    if (from.values) to.reals.emplace();
    for (const auto value : from.values.value_or(Integers{}))
      to.reals->push_back(rounded(to.type, real_of(value)));
    return;
  }
  if (has_numbers(from)) to.values.emplace();
  for (const auto value : from.values.value_or(Integers{}))
    to.values->push_back(flags ? as_flag(value) : narrowed(to.type, value));
  for (const auto real : from.reals.value_or(Reals{}))
    to.values->push_back(flags ? as_flag(real) : fitting(to.type, whole(real)));
}

using IntegerFunction = std::int64_t (*)(std::int64_t, std::int64_t);
using RealFunction = double (*)(double, double);

std::int64_t divided(std::int64_t a, std::int64_t b) {
  return b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min()) ? kOpen : a / b;
}

std::int64_t remainder(std::int64_t a, std::int64_t b) {  // of the divisor's sign, as in Python
  if (b == 0 || b == -1) return b == 0 ? kOpen : 0;
  const auto rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t smaller(std::int64_t a, std::int64_t b) { return std::min(a, b); }
std::int64_t larger(std::int64_t a, std::int64_t b) { return std::max(a, b); }
double smaller_real(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double larger_real(double a, double b) { return std::isnan(a) || a > b ? a : b; }
std::int64_t sum(std::int64_t a, std::int64_t b) { return __builtin_add_overflow(a, b, &a) ? kOpen : a; }
std::int64_t product(std::int64_t a, std::int64_t b) { return __builtin_mul_overflow(a, b, &a) ? kOpen : a; }
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return __builtin_sub_overflow(a, b, &a) ? kOpen : a;
}

std::int64_t both(std::int64_t a, std::int64_t b) {  // one that is false tells, whatever the other is
  if (a == 0 || b == 0) return 0;
  return a == kOpen || b == kOpen ? kOpen : 1;
}

std::int64_t any(std::int64_t a, std::int64_t b) {  // one that is true tells
  if ((a != 0 && a != kOpen) || (b != 0 && b != kOpen)) return 1;
  return a == kOpen || b == kOpen ? kOpen : 0;
}

/// A function of two numbers; of one it takes the first.
struct Arithmetic {
  std::string_view op;
  IntegerFunction integers = nullptr;
  RealFunction reals = nullptr;
  bool takes_open = false;  ///< else an open number makes the result open
};

constexpr std::array kPairwise{
    Arithmetic{"Add", sum, [](double a, double b) { return a + b; }},
    Arithmetic{"Sub", difference, [](double a, double b) { return a - b; }},
    Arithmetic{"Mul", product, [](double a, double b) { return a * b; }},
    Arithmetic{"Div", divided, [](double a, double b) { return a / b; }},
    Arithmetic{"Mod", remainder},
    Arithmetic{"Pow", nullptr, [](double a, double b) { return std::pow(a, b); }},
    Arithmetic{"Min", smaller, smaller_real},
    Arithmetic{"Max", larger, larger_real},
    Arithmetic{"And", both, nullptr, true},
    Arithmetic{"Or", any, nullptr, true},
    Arithmetic{"Xor", [](std::int64_t a, std::int64_t b) { return std::int64_t{(a != 0) != (b != 0)}; }},
    Arithmetic{"Equal", [](std::int64_t a, std::int64_t b) { return std::int64_t{a == b}; }},
    Arithmetic{"Less", [](std::int64_t a, std::int64_t b) { return std::int64_t{a < b}; }},
    Arithmetic{"LessOrEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a <= b}; }},
    Arithmetic{"Greater", [](std::int64_t a, std::int64_t b) { return std::int64_t{a > b}; }},
    Arithmetic{"GreaterOrEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a >= b}; }},
};

/// Mod with fmod=1: of the dividend's sign, as in C.
constexpr Arithmetic kRemainderAsInC{"Mod",
                                     [](std::int64_t a, std::int64_t b) {
                                       return b == 0 ? kOpen : b == -1 ? 0 : a % b;
                                     },
                                     [](double a, double b) { return std::fmod(a, b); }};

constexpr std::array kUnary{
    Arithmetic{"Not", [](std::int64_t a, std::int64_t) { return std::int64_t{a == 0}; }},
    Arithmetic{"Neg", [](std::int64_t a, std::int64_t) { return difference(0, a); },
               [](double a, double) { return -a; }},
    Arithmetic{"Abs", [](std::int64_t a, std::int64_t) { return a < 0 ? difference(0, a) : a; },
               [](double a, double) { return std::abs(a); }},
    Arithmetic{"Reciprocal", nullptr, [](double a, double) { return 1 / a; }},
    Arithmetic{"Floor", nullptr, [](double a, double) { return std::floor(a); }},
    Arithmetic{"Ceil", nullptr, [](double a, double) { return std::ceil(a); }},
    Arithmetic{"Round", nullptr, [](double a, double) { return std::nearbyint(a); }},
    Arithmetic{"Sqrt", nullptr, [](double a, double) { return std::sqrt(a); }},
};

/// Of what a whole axis, or all of a tensor, is made one number.
constexpr std::array kReductions{
    Arithmetic{"ReduceProd", product, [](double a, double b) { return a * b; }},
    Arithmetic{"ReduceSum", sum, [](double a, double b) { return a + b; }},
    Arithmetic{"ReduceMin", smaller, smaller_real},
    Arithmetic{"ReduceMax", larger, larger_real},
};

std::int64_t applied(const Arithmetic& function, int, std::int64_t a, std::int64_t b) {
  const bool told = function.takes_open || (a != kOpen && b != kOpen);
  return told ? function.integers(a, b) : kOpen;
}
double applied(const Arithmetic& function, int type, double a, double b) {
  return rounded(type, function.reals(a, b));
}

template <std::size_t size>
const Arithmetic* function_in(const std::array<Arithmetic, size>& table, std::string_view op) {
  const auto found = std::find_if(table.begin(), table.end(), [op](auto& entry) { return entry.op == op; });
  return found == table.end() ? nullptr : &*found;
}

/// The input's numbers as they are broadcast to the output's shape.
template <class T>
std::optional<T> spread(const Tensor& from, std::optional<T> Tensor::*numbers, const Tensor& to) {
  const auto source = [&](const Shape& at) { return broadcast_source(*from.shape, at); };
  const auto places = places_of(from, to, source);
  return places ? chosen(from.*numbers, *places) : std::nullopt;
}

template <class T>
void combine(const Arithmetic& function, const Call& call, std::optional<T> Tensor::*numbers, Tensor& to) {
  auto result = spread(call.input(0), numbers, to);
  if (!result) return;
  const bool unary = call.input_count() == 1;
  for (std::size_t i = unary ? 0 : 1; i < call.input_count(); ++i) {
    const auto other = spread(call.input(i), numbers, to);
    if (!other) return;
    for (std::size_t k = 0; k < result->size(); ++k)
      (*result)[k] = applied(function, to.type, (*result)[k], (*other)[k]);
  }
  to.*numbers = std::move(result);
}

void calculate(const Arithmetic& function, const Call& call, Tensor& to) {
  if (function.integers) combine(function, call, &Tensor::values, to);
  if (function.reals) combine(function, call, &Tensor::reals, to);
}

/// A choice that is open is still told where both numbers are the same.
template <class T>
void choose(const Call& call, std::optional<T> Tensor::*numbers, T open, Tensor& to) {
  const auto condition = spread(call.input(0), &Tensor::values, to);
  const auto yes = spread(call.input(1), numbers, to), no = spread(call.input(2), numbers, to);
  if (!condition || !yes || !no) return;
  T result;
  for (std::size_t k = 0; k < yes->size(); ++k) {
    const bool told = (*condition)[k] != kOpen || (*yes)[k] == (*no)[k];
    result.push_back(!told ? open[0] : (*condition)[k] != 0 ? (*yes)[k] : (*no)[k]);
  }
  to.*numbers = std::move(result);
}

void where(const Call& call, Effect& effect) {
  choose(call, &Tensor::values, Integers{kOpen}, effect.outputs[0]);
  choose(call, &Tensor::reals, Reals{std::nan("")}, effect.outputs[0]);
}

/// Of one axis or all: a tensor of one dimension is all that exporters reduce in shapes.
template <class T>
void reduce(const Arithmetic& function, const Call& call, std::optional<T> Tensor::*numbers, Tensor& to) {
  const auto& from = call.input(0).*numbers;
  if (!from || from->empty() || small_count(to.shape) != 1U) return;
  auto result = from->front();
  for (std::size_t k = 1; k < from->size(); ++k) result = applied(function, to.type, result, (*from)[k]);
  to.*numbers = T{result};
}

void counted_up(const Call& call, Effect& effect) {
  Tensor& to = effect.outputs[0];
  const auto count = small_count(to.shape);
  if (!count || !call.input(0).values || !call.input(2).values) return;
  to.values.emplace();
  for (std::size_t i = 0; i < *count; ++i)
    to.values->push_back(sum(call.input(0).values->front(),
                             product(static_cast<std::int64_t>(i), call.input(2).values->front())));
}

}  // namespace

bool fold_arithmetic(const Call& call, Effect& effect) {
  const auto op = call.op();
  Tensor& to = effect.outputs[0];
  if (op == "Cast" || op == "CastLike") {
    cast(call, effect);
  } else if (op == "Where") {
    where(call, effect);
  } else if (op == "Range") {
    counted_up(call, effect);
  } else if (op == "Mod" && call.integer("fmod", 0) == 1) {
    calculate(kRemainderAsInC, call, to);
  } else if (const auto* pairwise = function_in(kPairwise, op)) {
    calculate(*pairwise, call, to);
  } else if (const auto* unary = function_in(kUnary, op)) {
    calculate(*unary, call, to);
  } else if (const auto* reduction = function_in(kReductions, op)) {
    reduce(*reduction, call, &Tensor::values, to);
    reduce(*reduction, call, &Tensor::reals, to);
  } else {
    return false;
  }
  return true;
}

}  // namespace neph::net
