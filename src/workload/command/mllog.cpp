#include "workload/command/mllog.hpp"

#include <array>

#include "core/json.hpp"

namespace neph::workload::command {
namespace {

constexpr std::string_view sign = ":::MLLOG ";

struct Part {
  std::string_view key;
  SpanKind kind;
  bool is_begin;
};
/// https://github.com/mlcommons/logging, the keys of training.
constexpr std::array parts{
    Part{"init_start", SpanKind::prepare, true}, Part{"init_stop", SpanKind::prepare, false},
    Part{"epoch_start", SpanKind::epoch, true},  Part{"epoch_stop", SpanKind::epoch, false},
    Part{"eval_start", SpanKind::verify, true},  Part{"eval_stop", SpanKind::verify, false}};

struct Named {
  std::string_view key;
  Value value;
};
constexpr std::array values{Named{"eval_accuracy", Value::test_accuracy},
                            Named{"eval_loss", Value::test_loss}, Named{"train_loss", Value::train_loss},
                            Named{"global_batch_size", Value::samples_per_step}};

}  // namespace

std::optional<Told> read_mllog(std::string_view line, double epoch_at_s) {
  const auto begin = line.find(sign);  // launchers put the rank before it
  if (begin == line.npos) return std::nullopt;
  const auto event = Json::parse(line.substr(begin + sign.size()), nullptr, false);
  if (!event.is_object() || !event.contains("key") || !event["key"].is_string()) return std::nullopt;
  const auto key = event["key"].get<std::string>();
  const auto time = event.find("time_ms");
  Told told{.by = Teller::mllog};
  for (const auto& part : parts) {
    if (key != part.key || time == event.end() || !time->is_number()) continue;
    const double at_s = epoch_at_s + time->get<double>() * 1e-3;
    if (part.is_begin)
      told.what = Begin{part.kind, at_s};
    else
      told.what = End{part.kind, at_s};
    return told;
  }
  for (const auto& each : values) {
    if (key != each.key || !event.contains("value") || !event["value"].is_number()) continue;
    told.what = Figure{each.value, event["value"].get<double>()};
    return told;
  }
  return std::nullopt;
}

}  // namespace neph::workload::command
