// The fields of one message of a pbtxt, taken one by one. Only for files of this module.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/result.hpp"

namespace neph::serve {

/// Of a message as parse_pbtxt() gives it. A field that is there twice counts as protocol buffers have it:
/// the last of a single value, all of a list. Errors: invalid_argument, with the place in the file.
class PbtxtFields {
 public:
  /// `path` is what messages call it: "config.pbtxt: input[0]".
  PbtxtFields(const Json& message, std::string path) : message_(message), path_(std::move(path)) {}

  bool has(const char* name) { return find(name) != nullptr; }

  Result<std::string> text(const char* name) {
    const auto* values = find(name);
    if (values == nullptr) return std::string();
    if (!values->back().is_string()) return wrong(name, values->back(), "text");
    return values->back().get<std::string>();
  }

  Result<bool> flag(const char* name) {
    const auto* values = find(name);
    if (values == nullptr) return false;
    if (!values->back().is_boolean()) return wrong(name, values->back(), "true or false");
    return values->back().get<bool>();
  }

  Result<std::vector<std::int64_t>> wholes(const char* name, std::int64_t least) {
    std::vector<std::int64_t> numbers;
    const auto* values = find(name);
    if (values == nullptr) return numbers;
    for (const auto& value : *values) {
      if (!fits(value) || value.get<std::int64_t>() < least)
        return wrong(name, value, fmt::format("a whole number from {} up", least));
      numbers.push_back(value.get<std::int64_t>());
    }
    return numbers;
  }

  Result<std::optional<std::int64_t>> whole(const char* name, std::int64_t least) {
    NEPH_TRY(const auto numbers, wholes(name, least));
    return numbers.empty() ? std::nullopt : std::optional(numbers.back());
  }

  Result<std::vector<PbtxtFields>> messages(const char* name) {
    std::vector<PbtxtFields> all;
    const auto* values = find(name);
    if (values == nullptr) return all;
    for (std::size_t i = 0; i < values->size(); ++i) {
      if (!values->at(i).is_object()) return wrong(name, values->at(i), "{ ... }");
      all.emplace_back(values->at(i), fmt::format("{}{}[{}]", prefix(), name, i));
    }
    return all;
  }

  /// Those that nobody asked for.
  std::vector<std::string> rest() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : message_.items())
      if (!asked_.contains(name)) names.push_back(prefix() + name);
    return names;
  }

  const std::string& path() const { return path_; }

 private:
  std::string prefix() const { return path_.empty() ? "" : path_ + "."; }

  /// Null where nothing is given to it.
  const Json* find(const char* name) {
    asked_.insert(name);
    const auto found = message_.find(name);
    return found == message_.end() || found->empty() ? nullptr : &*found;
  }

  static bool fits(const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= INT64_MAX;
    return value.is_number_integer();
  }

  tl::unexpected<Error> wrong(const char* name, const Json& value, std::string_view expected) const {
    return fail(ErrorCode::invalid_argument, "{}{} is {}, and should be {}", prefix(), name,
                dump_json(value).substr(0, 100), expected);
  }

  const Json& message_;
  std::string path_;
  std::set<std::string> asked_;
};

}  // namespace neph::serve
