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
// A visitor is called as v(name, member, help) or v(name, member, help, traits), where traits are a range,
// what else there is to know of the field, or both: at_least(0) | only_where("mode", "async"). Each consumer
// is one visitor; one that needs no more than the range takes a Range. A struct that is part of several is
// described once, and again within their descriptions: describe(v, s.tls). An enum lists its names once, in
// the order in which help shows them:
//
//   constexpr auto enum_names(Mode) { return std::array{Named{Mode::sync, "sync"}, Named{Mode::async,
//   "async"}}; }
//
// What others call them is understood too where enum_aliases() lists it the same way, and written nowhere.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
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

/// A field means something only where the choice `field` of the same description is one of `values`.
struct Condition {
  std::string_view field;
  std::array<std::string_view, 2> values;  ///< the second may be empty
  constexpr bool holds(std::string_view value) const { return value == values[0] || value == values[1]; }
};

/// What a description says of a field beside its name and its help.
struct Traits {
  Range range;
  bool changes_answers = false;                   ///< results of two values need not be the same
  bool is_prepared = false;                       ///< looked at by what is done once, before all runs
  std::array<Condition, 3> only;                  ///< all must hold; those without a field say nothing
  std::array<std::string_view, 2> earlier_names;  ///< read, but written and shown nowhere

  constexpr Traits() = default;
  constexpr Traits(Range allowed) : range(allowed) {}  // NOLINT: a range alone are traits
  constexpr operator Range() const { return range; }   // NOLINT: and are read as one
};

constexpr Traits operator|(Traits one, const Traits& other) {
  if (other.range.low > one.range.low) one.range.low = other.range.low;
  if (other.range.high < one.range.high) one.range.high = other.range.high;
  one.changes_answers |= other.changes_answers;
  one.is_prepared |= other.is_prepared;
  const auto add = [](auto& list, const auto& more, auto is_empty) {
    std::size_t next = 0;
    for (const auto& each : more) {
      if (is_empty(each)) continue;
      while (!is_empty(list[next])) ++next;
      list[next] = each;
    }
  };
  add(one.only, other.only, [](const Condition& condition) { return condition.field.empty(); });
  add(one.earlier_names, other.earlier_names, [](std::string_view name) { return name.empty(); });
  return one;
}

constexpr Traits changes_answers() {
  Traits traits;
  traits.changes_answers = true;
  return traits;
}
constexpr Traits prepared() {
  Traits traits;
  traits.is_prepared = true;
  return traits;
}
constexpr Traits only_where(std::string_view field, std::string_view value, std::string_view or_value = {}) {
  Traits traits;
  traits.only[0] = {field, {value, or_value.empty() ? value : or_value}};
  return traits;
}
constexpr Traits once_called(std::string_view name, std::string_view or_name = {}) {
  Traits traits;
  traits.earlier_names = {name, or_name};
  return traits;
}

/// A visitor for a part of a description: all of its fields have `traits` too.
template <class Visit>
constexpr auto with(Visit& visit, const Traits& traits) {
  return [&visit, traits](std::string_view name, auto& member, std::string_view help,
                          const Traits& own = {}) { visit(name, member, help, own | traits); };
}

namespace detail {
struct AnyVisitor {
  template <class T>
  void operator()(std::string_view, T&, std::string_view, const Traits& = {}) const {}
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
