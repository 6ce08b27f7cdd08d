// What a workload's description says of its fields, as lists: where they mean nothing, what they touch.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/json.hpp"
#include "core/values.hpp"
#include "record/experiment.hpp"

namespace neph::workload {

/// Names of the fields whose traits have it, in the order of the description.
template <Described Spec>
std::vector<std::string> fields_with(bool Traits::*trait) {
  std::vector<std::string> names;
  Spec spec{};
  describe(
      [&](std::string_view name, auto&, std::string_view, const Traits& traits = {}) {
        if (traits.*trait) names.emplace_back(name);
      },
      spec);
  return names;
}

/// Each choice of the description that has values where other fields mean nothing, with those fields.
template <Described Spec>
std::vector<Idle> idle_fields() {
  std::vector<Idle> all;
  std::map<std::string_view, std::vector<std::pair<std::string, Condition>>> conditions;  // by the choice
  Spec spec{};
  describe(
      [&](std::string_view name, auto&, std::string_view, const Traits& traits = {}) {
        for (const auto& condition : traits.only)
          if (!condition.field.empty()) conditions[condition.field].emplace_back(name, condition);
      },
      spec);
  describe(
      [&](std::string_view name, auto& member, std::string_view, const Traits& = {}) {
        using Member = std::remove_reference_t<decltype(member)>;
        if constexpr (NamedEnum<Member>)
          for (const auto& choice : enum_names(Member{})) {
            Idle idle{.field = std::string(name), .value = std::string(choice.name), .fields = {}};
            for (const auto& [field, condition] : conditions[name])
              if (!condition.holds(choice.name)) idle.fields.push_back(field);
            if (!idle.fields.empty()) all.push_back(std::move(idle));
          }
      },
      spec);
  return all;
}

/// What says nothing where it stands is a misunderstanding, and is not passed over. `given`: the fields that
/// were; `spec`: with all of them. Error: invalid_argument with both options, and what the field goes with.
template <Described Spec>
Status check_applicable(const Json& given, const Spec& spec) {
  const auto values = to_json(spec);
  Status status;
  describe(
      [&](std::string_view name, const auto&, std::string_view, const Traits& traits = {}) {
        if (!status || !given.contains(name)) return;
        for (const auto& [field, goes_with] : traits.only) {
          if (field.empty()) continue;
          const auto value = value_as_text(values[std::string(field)]);
          if (value != goes_with[0] && value != goes_with[1])
            status = fail(ErrorCode::invalid_argument, "{} means nothing with {} {}; it goes with {}",
                          option_name(name), option_name(field), value, goes_with[0]);
        }
      },
      spec);
  return status;
}

}  // namespace neph::workload
