#include "record/event.hpp"

#include "core/json.hpp"

namespace neph {
namespace {

template <class T>
constexpr std::string_view tag = "error";
template <>
constexpr std::string_view tag<Began> = "began";
template <>
constexpr std::string_view tag<Ended> = "ended";
template <>
constexpr std::string_view tag<Phase> = "phase";
template <>
constexpr std::string_view tag<Progress> = "progress";
template <>
constexpr std::string_view tag<Note> = "note";
template <>
constexpr std::string_view tag<Warning> = "warning";
template <>
constexpr std::string_view tag<RunResult> = "result";

Json body(const Error& error) {
  return {
      {"code", std::string(to_string(error.code))}, {"message", error.text()}, {"subject", error.subject}};
}
template <Described T>
Json body(const T& value) {
  return to_json(value);
}

template <class T>
Result<Event> decode_as(const Json& json) {
  NEPH_TRY(T value, from_json<T>(json, std::string(tag<T>)));
  return Event(std::move(value));
}

Result<Event> decode_error(const Json& json) {
  Error error{ErrorCode::internal, json.value("message", ""), {}, json.value("subject", "")};
  const auto name = json.value("code", "");
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i)
    if (to_string(static_cast<ErrorCode>(i)) == name) error.code = static_cast<ErrorCode>(i);
  return Event(std::move(error));
}

}  // namespace

std::string encode_event(const Event& event) {
  return std::visit(
      [](const auto& value) {
        Json line = {{"event", std::string(tag<std::decay_t<decltype(value)>>)}};
        line.update(body(value));
        return dump_json(line);
      },
      event);
}

Result<Event> decode_event(std::string_view line) {
  NEPH_TRY(Json json, parse_json(line, "event"));
  const auto found = json.is_object() ? json.find("event") : json.end();
  if (found == json.end() || !found->is_string())
    return fail(ErrorCode::corrupt, "event: no \"event\" in the line");
  const auto kind = found->template get<std::string>();
  json.erase("event");
  try {
    if (kind == tag<Began>) return decode_as<Began>(json);
    if (kind == tag<Ended>) return decode_as<Ended>(json);
    if (kind == tag<Phase>) return decode_as<Phase>(json);
    if (kind == tag<Progress>) return decode_as<Progress>(json);
    if (kind == tag<Note>) return decode_as<Note>(json);
    if (kind == tag<Warning>) return decode_as<Warning>(json);
    if (kind == tag<RunResult>) return decode_as<RunResult>(json);
    if (kind == tag<Error>) return decode_error(json);
  } catch (const Json::exception&) {
    return fail(ErrorCode::corrupt, "event '{}': a field of a wrong type", kind);
  }
  return fail(ErrorCode::corrupt, "event: unknown kind '{}'", kind);
}

}  // namespace neph
