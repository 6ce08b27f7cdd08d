#include <algorithm>

#include <fmt/format.h>

#include "compare/source.hpp"
#include "core/lists.hpp"
#include "core/names.hpp"

namespace neph::compare {
namespace {

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

std::string label_of(const Json& factors) {
  std::string label;
  for (const auto& [name, value] : factors.items())
    label += fmt::format("{}{} {}", label.empty() ? "" : ", ", name, text_of(value));
  return label.empty() ? "all" : label;
}

/// Each once, in their order.
std::vector<std::string> values_of(const Source& source, const std::string& factor) {
  std::vector<std::string> values;
  for (const auto& each : source.configurations)
    if (each.factors.contains(factor))
      if (auto value = text_of(each.factors[factor]); std::ranges::find(values, value) == values.end())
        values.push_back(std::move(value));
  return values;
}

Status keep(Source& source, const std::string& factor, const std::string& value) {
  const auto known = values_of(source, factor);
  if (known.empty())
    return fail(ErrorCode::invalid_argument, "{}: no factor '{}'; neph show lists them", source.name, factor);
  if (std::ranges::find(known, value) == known.end())
    return unknown_name(ErrorCode::invalid_argument, factor, value, known, source.name);
  std::erase_if(source.configurations, [&](const auto& each) {
    return !each.factors.contains(factor) || text_of(each.factors[factor]) != value;
  });
  for (auto& each : source.configurations) each.factors.erase(factor);
  return {};
}

}  // namespace

Result<Source> only(Source source, std::string_view conditions) {
  if (conditions.empty()) return source;
  for (const auto& condition : split_at(conditions, ',')) {
    const auto equals = condition.find('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::invalid_argument, "'{}': say FACTOR=VALUE", condition);
    NEPH_CHECK(
        keep(source, std::string(condition.substr(0, equals)), std::string(condition.substr(equals + 1))));
  }
  for (auto& each : source.configurations) each.label = label_of(each.factors);
  source.name += fmt::format(" ({})", conditions);
  return source;
}

}  // namespace neph::compare
