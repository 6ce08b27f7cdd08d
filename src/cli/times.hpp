// Times that fields keep as a number of seconds, such as timeout_s: people give them with their unit,
// --timeout 5s; the field's own name and plain seconds, --timeout-s 5, are taken too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace neph::cli {

/// "timeout" of "timeout_s"; empty where the field is no such time.
constexpr std::string_view name_of_time(std::string_view field) {
  return field.ends_with("_s") && !field.ends_with("per_s") ? field.substr(0, field.size() - 2)
                                                            : std::string_view();
}

/// "0.5,2" of "500ms,2"; plain numbers as they are. Errors: of parse_seconds(), about the option or key
/// `path`.
Result<std::string> plain_seconds(const std::string& text, const std::string& path);

/// The same of a file's fields: timeout = "5s" is timeout_s = 5.
Status keep_seconds(Json& fields, const std::vector<std::string>& known);

}  // namespace neph::cli
