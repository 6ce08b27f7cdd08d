// Reasons not to take a number at face value: the closed list of them, with what each does to the verdict.
// docs/method/statistics.md says what each has seen; warnings_test.cpp holds that table to this list.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/describe.hpp"

namespace neph {

/// What a warning does to the verdict: nothing; doubtful; invalid. From light to heavy.
enum class Weight { hint, doubt, voids };
constexpr auto enum_names(Weight) {
  return std::array{Named{Weight::hint, "hint"}, Named{Weight::doubt, "doubt"},
                    Named{Weight::voids, "voids"}};
}

/// unknown: a store of another version has a code that this one does not know. What it says, advises and does
/// to the verdict is kept.
enum class WarningCode {
  unknown,
  few_repeats,
  few_requests,
  wide_interval,
  warmup_unsteady,
  unsteady,
  drift_over_runs,
  outlier_runs,
  stolen,
  busy_machine,
  machines_differ,
  throttled,
  swapped,
  memory_limit_near,
  governor_not_performance,
  cache_not_cold,
  short_batch,
  no_answer,
  pictures_failed,
  answers_differ,
  nodes_fell_back,
  schedule_missed,
  late_wakeups,
  generator_saturated,
  no_rate_found,
  met_then_violated,
  search_limited,
  in_flight_reached,
  overloaded,
  requests_failed,
  stray_replies,
  server_lost,
  stopped_early,
  closed_loop,
  few_samples,
  promise_broken,
  nan_loss,
  few_steps,
  no_steps,
  fewer_cores,
  events_refused,
  left_behind,
  command_output,
  some_runs_failed,
  worker_exit
};

struct WarningKind {
  WarningCode code;
  std::string_view name;
  std::optional<Weight> weight;  ///< empty: it depends on how much was seen
  std::string_view advice{};     ///< empty: it depends on what was seen
};

inline constexpr std::array warning_kinds{
    WarningKind{WarningCode::unknown, "unknown", {}},
    WarningKind{WarningCode::few_repeats, "few_repeats", Weight::doubt, "--repeat 5 or more"},
    WarningKind{WarningCode::few_requests, "few_requests", Weight::doubt,
                "a longer --duration or a higher --count"},
    WarningKind{WarningCode::wide_interval, "wide_interval", Weight::doubt,
                "more repeats, longer runs, or a quieter machine"},
    WarningKind{WarningCode::warmup_unsteady, "warmup_unsteady", Weight::doubt,
                "allow a longer warm-up: --warmup-max-s"},
    WarningKind{WarningCode::unsteady, "unsteady", Weight::doubt},
    WarningKind{WarningCode::drift_over_runs, "drift_over_runs", Weight::doubt,
                "a machine that heats up, or neighbours; comparisons by repeat still hold"},
    WarningKind{WarningCode::outlier_runs, "outlier_runs", Weight::doubt,
                "look at the telemetry of that run; what else did the machine do?"},
    WarningKind{WarningCode::stolen, "stolen", Weight::doubt,
                "repeat at another time, or on a machine with dedicated cores"},
    WarningKind{WarningCode::busy_machine, "busy_machine", Weight::doubt,
                "stop them (top shows them), or repeat when the machine is idle"},
    WarningKind{WarningCode::machines_differ, "machines_differ", Weight::doubt,
                "a difference may be the machines'; compare what ran on one machine, or repeat all on one"},
    WarningKind{WarningCode::throttled, "throttled", Weight::doubt},
    WarningKind{
        WarningCode::swapped, "swapped", Weight::doubt,
        "free memory or use a smaller batch; if the model was read for the first time, warm up longer"},
    WarningKind{
        WarningCode::memory_limit_near, "memory_limit_near", Weight::doubt,
        "raise the limit or use a smaller batch; near it the kernel drops cached files, swaps, or kills"},
    WarningKind{WarningCode::governor_not_performance, "governor_not_performance", Weight::hint,
                "for steadier figures: cpupower frequency-set -g performance"},
    WarningKind{
        WarningCode::cache_not_cold, "cache_not_cold", Weight::doubt,
        "a tmpfs keeps all files, and programs that map files keep theirs; of files that are not yours the "
        "kernel always says that they stayed"},
    WarningKind{WarningCode::short_batch, "short_batch", Weight::doubt},
    WarningKind{WarningCode::no_answer, "no_answer", Weight::doubt,
                "look for weights that are no numbers, or take a wider precision"},
    WarningKind{WarningCode::pictures_failed, "pictures_failed", {}},
    WarningKind{WarningCode::answers_differ, "answers_differ", Weight::doubt},
    WarningKind{WarningCode::nodes_fell_back, "nodes_fell_back", Weight::hint,
                "the figures are those of both; --provider cpu beside it tells what the other is worth"},
    WarningKind{WarningCode::schedule_missed, "schedule_missed", Weight::voids},
    WarningKind{WarningCode::late_wakeups, "late_wakeups", Weight::doubt,
                "service times, from the sending, are without it; a lower rate does not help"},
    WarningKind{WarningCode::generator_saturated, "generator_saturated", Weight::voids},
    WarningKind{WarningCode::no_rate_found, "no_rate_found", Weight::doubt,
                "a longer --duration, or an SLO that the server can meet"},
    WarningKind{WarningCode::met_then_violated, "met_then_violated", Weight::hint,
                "a longer --duration, or look at the telemetry for what changed"},
    WarningKind{WarningCode::search_limited, "search_limited", Weight::doubt,
                "more --threads, or cores of its own for the generator"},
    WarningKind{WarningCode::in_flight_reached, "in_flight_reached", Weight::doubt,
                "a higher --in-flight, or 0 for no limit"},
    WarningKind{WarningCode::overloaded, "overloaded", Weight::doubt,
                "the times depend on the duration; lower the rate"},
    WarningKind{WarningCode::requests_failed,
                "requests_failed",
                {},
                "percentiles are those of the answered ones; goodput and late_share count all"},
    WarningKind{WarningCode::stray_replies, "stray_replies", Weight::voids,
                "a server or proxy that answers twice; which reply is whose is not known"},
    WarningKind{WarningCode::server_lost, "server_lost", Weight::voids,
                "why it ended is in the server's log"},
    WarningKind{WarningCode::stopped_early, "stopped_early", Weight::doubt},
    WarningKind{WarningCode::closed_loop, "closed_loop", Weight::hint,
                "--rate measures what independent users see"},
    WarningKind{WarningCode::few_samples, "few_samples", Weight::hint,
                "a longer --duration or a higher --count"},
    WarningKind{WarningCode::promise_broken, "promise_broken", Weight::hint,
                "--find-max-rate looks for the highest rate that meets the SLO"},
    WarningKind{
        WarningCode::nan_loss, "nan_loss", Weight::doubt,
        "a lower --learning-rate, or --precision f32; the times are those of steps on numbers that are none"},
    WarningKind{WarningCode::few_steps, "few_steps", Weight::doubt,
                "--steps 50 or more, so that the whole training's time gets an interval"},
    WarningKind{WarningCode::no_steps, "no_steps", Weight::hint},
    WarningKind{WarningCode::fewer_cores, "fewer_cores", Weight::doubt,
                "ask for at most as many --threads as there are cores"},
    WarningKind{WarningCode::events_refused, "events_refused", Weight::doubt,
                "docs/EVENTS.md says what a line may be"},
    WarningKind{WarningCode::left_behind, "left_behind", Weight::doubt,
                "what they did after the command's end is in no figure; let the command wait for them"},
    WarningKind{WarningCode::command_output, "command_output", Weight::hint,
                "the command line of the run repeats it"},
    WarningKind{WarningCode::some_runs_failed, "some_runs_failed", Weight::doubt,
                "the figures are those of the runs that did well"},
    WarningKind{WarningCode::worker_exit, "worker_exit", Weight::doubt,
                "its numbers are whole; see what it said on standard error"}};

constexpr auto enum_names(WarningCode) {
  std::array<Named<WarningCode>, warning_kinds.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {warning_kinds[i].code, warning_kinds[i].name};
  return names;
}
/// A name that is not known is no error here: stores outlive versions.
template <>
constexpr std::optional<WarningCode> enum_value<WarningCode>(std::string_view name) {
  for (const auto& kind : warning_kinds)
    if (kind.name == name) return kind.code;
  return WarningCode::unknown;
}

constexpr const WarningKind& kind_of(WarningCode code) {
  return warning_kinds[static_cast<std::size_t>(code)];
}

struct Warning {
  WarningCode code = WarningCode::unknown;
  std::string message{};  ///< what was seen, with the figures
  std::string advice{};   ///< what to do about it
  Weight weight = Weight::doubt;
};

template <class Visit, Describes<Warning> Self>
void describe(Visit&& v, Self& s) {
  v("code", s.code, "one of a closed list");
  v("message", s.message, "what was seen");
  v("advice", s.advice, "what to do about it");
  v("weight", s.weight, "what it does to the verdict: hint, nothing; doubt, doubtful; voids, invalid");
}

/// With the advice of its kind, and the weight of its kind; where that depends on what was seen, a doubt.
inline Warning make_warning(WarningCode code, std::string message) {
  const auto& kind = kind_of(code);
  return {code, std::move(message), std::string(kind.advice), kind.weight.value_or(Weight::doubt)};
}
inline Warning make_warning(WarningCode code, std::string message, std::string advice) {
  auto made = make_warning(code, std::move(message));
  made.advice = std::move(advice);
  return made;
}

}  // namespace neph
