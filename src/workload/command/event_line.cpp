#include "workload/command/event_line.hpp"

#include <cmath>

#include "core/json.hpp"

namespace neph::workload::command {
namespace {

constexpr double clock_slack_s = 0.01;
constexpr double most_whole = 9e15;

tl::unexpected<Error> wrong(std::string_view what) { return fail(ErrorCode::invalid_argument, "{}", what); }

Result<double> number(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end() || !found->is_number()) return wrong(fmt::format("'{}' is no number", key));
  return found->get<double>();
}

/// 0: not told.
Result<std::int64_t> whole(const Json& event, const char* key) {
  if (!event.contains(key)) return 0;
  NEPH_TRY(const double value, number(event, key));
  if (!(value >= 0 && value <= most_whole)) return wrong(fmt::format("'{}' is no count", key));
  return static_cast<std::int64_t>(value);
}

Status check_moment(double at_s, const Lifetime& life) {
  if (at_s >= life.begin_s - clock_slack_s && at_s <= life.now_s + clock_slack_s) return {};
  return wrong(fmt::format("{} s is not of this run; moments are seconds of CLOCK_MONOTONIC", at_s));
}

Result<double> moment(const Json& event, const char* key, const Lifetime& life) {
  if (!event.contains(key)) return life.now_s;
  NEPH_TRY(const double at_s, number(event, key));
  NEPH_CHECK(check_moment(at_s, life));
  return at_s;
}

template <class Choice>
Result<Choice> choice(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end() || !found->is_string()) return wrong(fmt::format("'{}' is no name", key));
  const auto name = found->get<std::string>();
  if (const auto value = enum_value<Choice>(name)) return *value;
  return unknown_name(ErrorCode::invalid_argument, key, name, enum_choices<Choice>());
}

Result<Told> read_step(const Json& event, Told told, const Lifetime& life) {
  NEPH_TRY(const double at_s, moment(event, "at_s", life));
  NEPH_TRY(const auto stream, whole(event, "stream"));
  told.what = Steps{stream, {at_s}};
  return told;
}

Result<Told> read_steps(const Json& event, Told told, const Lifetime& life) {
  Steps steps;
  NEPH_TRY(steps.stream, whole(event, "stream"));
  const auto moments = event.find("at_s");
  if (moments == event.end() || !moments->is_array()) return wrong("'at_s' is no list of moments");
  for (const auto& each : *moments) {
    if (!each.is_number()) return wrong("'at_s' has what is no number");
    steps.ends_s.push_back(each.get<double>());
    NEPH_CHECK(check_moment(steps.ends_s.back(), life));
  }
  told.what = std::move(steps);
  return told;
}

Result<Told> read_span(const Json& event, Told told, const Lifetime& life) {
  Span span;
  NEPH_TRY(span.kind, choice<SpanKind>(event, "phase"));
  NEPH_TRY(span.begin_s, number(event, "begin_s"));
  NEPH_TRY(span.end_s, number(event, "end_s"));
  NEPH_CHECK(check_moment(span.begin_s, life));
  NEPH_CHECK(check_moment(span.end_s, life));
  if (span.end_s < span.begin_s) return wrong("it ends before it begins");
  NEPH_TRY(span.steps, whole(event, "steps"));
  NEPH_TRY(span.samples, whole(event, "samples"));
  NEPH_TRY(span.bytes, whole(event, "bytes"));
  NEPH_TRY(const auto drawn, whole(event, "drawn"));
  NEPH_TRY(const auto batches, whole(event, "batches"));
  span.is_whole = batches == 0 || drawn >= batches;
  told.what = span;
  return told;
}

Result<Told> read_border(const Json& event, Told told, const Lifetime& life, bool is_begin) {
  NEPH_TRY(const auto kind, choice<SpanKind>(event, "phase"));
  NEPH_TRY(const double at_s, moment(event, "at_s", life));
  if (is_begin)
    told.what = Begin{kind, at_s};
  else
    told.what = End{kind, at_s};
  return told;
}

/// Not finite: JSON has no word for it, and "nan" stands for it.
Result<Told> read_value(const Json& event, Told told) {
  NEPH_TRY(const auto value, choice<Value>(event, "name"));
  const auto found = event.find("value");
  if (found != event.end() && (found->is_null() || *found == "nan")) {
    told.what = Figure{value, std::nan("")};
    return told;
  }
  NEPH_TRY(const double what, number(event, "value"));
  told.what = Figure{value, what};
  return told;
}

Teller teller_of(const Json& event) {
  const auto from = event.find("from");
  if (from == event.end()) return Teller::events;
  if (*from == "torch") return Teller::torch;
  return *from == "keras" ? Teller::keras : Teller::events;
}

}  // namespace

Result<Told> read_event(std::string_view line, const Lifetime& life) {
  const auto event = Json::parse(line, nullptr, false);
  if (!event.is_object()) return fail(ErrorCode::corrupt, "it is no JSON object");
  Told told{.by = teller_of(event)};
  NEPH_TRY(told.pid, whole(event, "pid"));
  const auto kind = event.find("event");
  const auto name = kind != event.end() && kind->is_string() ? kind->get<std::string>() : "";
  if (name == "step") return read_step(event, std::move(told), life);
  if (name == "steps") return read_steps(event, std::move(told), life);
  if (name == "span") return read_span(event, std::move(told), life);
  if (name == "begin" || name == "end") return read_border(event, std::move(told), life, name == "begin");
  if (name == "value") return read_value(event, std::move(told));
  if (name != "hello")
    return unknown_name(ErrorCode::invalid_argument, "event", name,
                        {"step", "steps", "span", "begin", "end", "value"});
  const auto from = event.find("from");
  told.what = Hello{from != event.end() && from->is_string() ? from->get<std::string>() : ""};
  return told;
}

}  // namespace neph::workload::command
