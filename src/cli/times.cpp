#include "cli/times.hpp"

#include "core/lists.hpp"
#include "core/seconds.hpp"
#include "core/values.hpp"

namespace neph::cli {

Result<std::string> plain_seconds(const std::string& text, const std::string& path) {
  std::string plain;
  for (const auto part : split_at(text, ',')) {
    const auto time = parse_seconds(part);
    const bool is_plain = part.find_first_not_of("0123456789.+-*eE") == part.npos;  // or a range
    if (!is_plain && !time) return detail::about(path, fail_in(path, time.error()));
    plain +=
        (plain.empty() ? "" : ",") + (is_plain ? std::string(part) : fmt::format("{:.12g}", time->value));
  }
  return plain;
}

Status keep_seconds(Json& fields, const std::vector<std::string>& known) {
  for (const auto& name : known) {
    const std::string stem(name_of_time(name));
    if (stem.empty() || !fields.is_object()) continue;
    if (!fields.contains(name)) detail::rename(fields, stem, name);
    const auto found = fields.find(name);
    if (found == fields.end()) continue;
    Json values = found->is_array() ? *found : Json::array({*found});
    for (auto& value : values) {
      if (!value.is_string()) continue;
      NEPH_TRY(const auto plain, plain_seconds(value.get<std::string>(), name));
      value = value_as_json<double>(plain);
    }
    *found = found->is_array() ? values : values[0];
  }
  return {};
}

}  // namespace neph::cli
