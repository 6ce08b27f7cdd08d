#define TOML_EXCEPTIONS 0
#include "core/toml.hpp"

#include <sstream>

#include <toml++/toml.h>

namespace neph {
namespace {

Json as_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = as_json(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const auto& value : *array) list.push_back(as_json(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  std::ostringstream date;
  if (const auto* value = node.as_date()) date << *value;
  if (const auto* value = node.as_time()) date << *value;
  if (const auto* value = node.as_date_time()) date << *value;
  return date.str();
}

}  // namespace

Result<Json> parse_toml(std::string_view text, std::string_view what) {
  const auto parsed = toml::parse(text);
  if (parsed) return as_json(parsed.table());
  const auto& where = parsed.error().source().begin;
  return fail(ErrorCode::corrupt, "{}:{}:{}: not valid TOML: {}", what, where.line, where.column,
              parsed.error().description());
}

}  // namespace neph
