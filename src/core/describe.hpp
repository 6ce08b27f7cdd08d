// One description per fact. A struct that crosses a border of the program (command line, TOML, JSON, CSV,
// --help, the store) is described once, next to its definition:
//
//   struct LoadSpec { double rate_per_s = 0; std::int64_t duration_s = 30; };
//   template <class Visit, Describes<LoadSpec> Self>
//   void describe(Visit&& v, Self& s) {
//     v("rate_per_s", s.rate_per_s, "arrivals of the open loop", at_least(0));
//     v("duration_s", s.duration_s, "measured window");
//   }
//
// A visitor is called as v(name, member, help) or v(name, member, help, range), and each consumer is one
// visitor. An enum lists its names once, in the order in which help shows them:
//
//   constexpr auto enum_names(Mode) { return std::array{Named{Mode::sync, "sync"}, Named{Mode::async,
//   "async"}}; }
//
// What others call them is understood too where enum_aliases() lists it the same way, and written nowhere.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace neph {

template <class Self, class T>
concept Describes = std::same_as<std::remove_const_t<Self>, T>;

/// The values a number may take; the borders belong to it.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  constexpr bool holds(double value) const { return value >= low && value <= high; }
};
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }

namespace detail {
struct AnyVisitor {
  template <class T>
  void operator()(std::string_view, T&, std::string_view, Range = {}) const {}
};
}  // namespace detail

template <class T>
concept Described = requires(T& value) {
  describe(detail::AnyVisitor{}, value);
};

template <class E>
struct Named {
  E value;
  std::string_view name;
};
template <class E>
Named(E, std::string_view) -> Named<E>;  // clang deduces it by itself only from version 17 on

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) {
  enum_names(value);
};

template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
  for (const auto& entry : enum_names(E{}))
    if (entry.value == value) return entry.name;
  return "?";
}

template <NamedEnum E>
constexpr std::optional<E> enum_value(std::string_view name) {
  for (const auto& entry : enum_names(E{}))
    if (entry.name == name) return entry.value;
  if constexpr (requires { enum_aliases(E{}); })
    for (const auto& entry : enum_aliases(E{}))
      if (entry.name == name) return entry.value;
  return std::nullopt;
}

template <NamedEnum E>
std::vector<std::string> enum_choices() {
  std::vector<std::string> names;
  for (const auto& entry : enum_names(E{})) names.emplace_back(entry.name);
  return names;
}

/// Names of all fields of T, in the order of the description.
template <Described T>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  T value{};
  describe([&](std::string_view name, auto&, std::string_view, Range = {}) { names.emplace_back(name); },
           value);
  return names;
}

}  // namespace neph
