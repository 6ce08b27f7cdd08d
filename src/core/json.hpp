// Described structs to and from JSON.
//
// Writing: fields in the order of the description; an empty optional and a number that is not finite become
// null. Reading is strict: an unknown key is refused with the nearest known one, a wrong type or a value out
// of its range is refused with the path to it ("spec.batch: 0 is below 1"). A missing key keeps the struct's
// default; null is not a number where the number has a range.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/describe.hpp"
#include "core/json_fwd.hpp"
#include "core/names.hpp"
#include "core/result.hpp"
#include "core/seconds.hpp"

namespace neph {

/// Parses text; the error names the line and column of the fault. `what` is the file or source in messages.
Result<Json> parse_json(std::string_view text, std::string_view what);

/// One line, or indented by two spaces. Bytes that are not UTF-8 are replaced, never thrown at.
std::string dump_json(const Json& value, bool indent = false);

template <class T>
Json to_json(const T& value);

/// Fills `out` from `json`; `path` is what messages call it.
template <class T>
Status from_json(const Json& json, T& out, const std::string& path);

namespace detail {
template <NamedEnum E>
void take_own_name(Json& value) {
  if (value.is_array())
    for (auto& element : value) take_own_name<E>(element);
  else if (const auto known = value.is_string() ? enum_value<E>(value.get<std::string>()) : std::nullopt)
    value = std::string(enum_name(*known));
}

/// A key of an object, in place; nothing where it is not there, or where the new one is.
void rename(Json& object, std::string_view from, std::string_view to);
}  // namespace detail

/// Fields of T as they were given, one value or a list of them: what others call a choice (enum_aliases), and
/// what a field was called before, by its own name, so that the same is written the same. What makes no sense
/// stays.
template <Described T>
Json with_own_names(Json fields) {
  T defaults{};
  describe(
      [&](std::string_view name, auto& member, std::string_view, const Traits& traits = {}) {
        using Member = std::remove_reference_t<decltype(member)>;
        for (const auto earlier : traits.earlier_names) detail::rename(fields, earlier, name);
        const auto found = fields.find(std::string(name));
        if constexpr (NamedEnum<Member>)
          if (found != fields.end()) detail::take_own_name<Member>(*found);
      },
      defaults);
  return fields;
}

template <class T>
Result<T> from_json(const Json& json, const std::string& path) {
  T out{};
  NEPH_CHECK(from_json(json, out, path));
  return out;
}

namespace detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

/// The error, with the path as its subject; so all below.
tl::unexpected<Error> about(const std::string& path, tl::unexpected<Error> error);
tl::unexpected<Error> wrong_type(const Json& json, std::string_view expected, const std::string& path);
tl::unexpected<Error> no_number(const Json& json, const std::string& path);
Status check_range(double value, Range range, const std::string& path);
Status read_seconds(const Json& json, Seconds& out, const std::string& path);
Result<std::int64_t> whole_number(const Json& json, const std::string& path, std::int64_t low,
                                  std::uint64_t high);

/// A field's value, within the range that its description gives.
template <class T>
Status read_field(const Json& json, T& out, Range range, const std::string& path) {
  if (auto status = from_json(json, out, path); !status) return status;
  if constexpr (std::is_arithmetic_v<T>) return check_range(static_cast<double>(out), range, path);
  if constexpr (std::is_same_v<T, Seconds>) return check_range(out.value, range, path);
  return {};
}

template <class T>
Status read_struct(const Json& json, T& out, const std::string& path) {
  if (!json.is_object()) return wrong_type(json, "an object", path);
  Status status;
  std::size_t known = 0;
  describe(
      [&](std::string_view name, auto& member, std::string_view, const Traits& traits = {}) {
        auto found = json.find(std::string(name));
        for (const auto earlier : traits.earlier_names)
          if (found == json.end() && !earlier.empty()) found = json.find(std::string(earlier));
        if (!status || found == json.end()) return;
        ++known;
        status = read_field(*found, member, traits.range,
                            path.empty() ? std::string(name) : fmt::format("{}.{}", path, name));
      },
      out);
  if (!status || known == json.size()) return status;
  const auto names = field_names<T>();
  for (const auto& [key, value] : json.items())
    if (std::find(names.begin(), names.end(), key) == names.end())
      return unknown_name(ErrorCode::invalid_argument, "key", key, names, path);
  return {};
}

}  // namespace detail

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (NamedEnum<T>) {
    return std::string(enum_name(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (std::is_same_v<T, Seconds>) {
    return seconds_text(value);
  } else if constexpr (detail::IsOptional<T>::value) {
    return value ? to_json(*value) : Json(nullptr);
  } else if constexpr (detail::IsVector<T>::value) {
    Json array = Json::array();
    for (const auto& element : value) array.push_back(to_json(element));
    return array;
  } else if constexpr (detail::IsMap<T>::value) {
    Json object = Json::object();
    for (const auto& [key, element] : value) object[key] = to_json(element);
    return object;
  } else if constexpr (Described<const T>) {
    Json object = Json::object();
    describe([&](std::string_view name, const auto& member, std::string_view,
                 Range = {}) { object[std::string(name)] = to_json(member); },
             value);
    return object;
  } else {
    return Json(value);
  }
}

template <class T>
Status from_json(const Json& json, T& out, const std::string& path) {
  if constexpr (std::is_same_v<T, Json>) {
    out = json;
  } else if constexpr (NamedEnum<T>) {
    if (!json.is_string()) return detail::wrong_type(json, "a name", path);
    const auto name = json.get<std::string>();
    const auto value = enum_value<T>(name);
    if (!value)
      return detail::about(path,
                           unknown_name(ErrorCode::invalid_argument, "value", name, enum_choices<T>(), path));
    out = *value;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return detail::wrong_type(json, "true or false", path);
    out = json.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    auto number =
        detail::whole_number(json, path, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    if (!number) return tl::unexpected(number.error());
    out = static_cast<T>(*number);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (json.is_null()) {
      out = std::numeric_limits<T>::quiet_NaN();
    } else {
      if (!json.is_number()) return detail::no_number(json, path);
      out = json.get<T>();
    }
  } else if constexpr (std::is_same_v<T, Seconds>) {
    return detail::read_seconds(json, out, path);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return detail::wrong_type(json, "text", path);
    out = json.get<std::string>();
  } else if constexpr (detail::IsOptional<T>::value) {
    if (json.is_null()) {
      out.reset();
    } else {
      return from_json(json, out.emplace(), path);
    }
  } else if constexpr (detail::IsVector<T>::value) {
    if (!json.is_array()) return detail::wrong_type(json, "a list", path);
    out.clear();
    out.reserve(json.size());
    for (const auto& element : json) {
      typename T::value_type item{};
      NEPH_CHECK(from_json(element, item, fmt::format("{}[{}]", path, out.size())));
      out.push_back(std::move(item));
    }
  } else if constexpr (detail::IsMap<T>::value) {
    if (!json.is_object()) return detail::wrong_type(json, "an object", path);
    out.clear();
    for (const auto& [key, element] : json.items())
      NEPH_CHECK(from_json(element, out[key], fmt::format("{}.{}", path, key)));
  } else {
    static_assert(Described<T>, "describe() is missing for this type");
    return detail::read_struct(json, out, path);
  }
  return {};
}

}  // namespace neph
