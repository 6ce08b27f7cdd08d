// The figures of a run (record/run.hpp), by name: what measures them and what shows them take the name from
// here. A name's ending is its unit; `unit` says it in words. docs/method says how each is measured.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/describe.hpp"
#include "record/metric.hpp"
#include "record/run.hpp"

namespace neph {

/// What becomes of one request. unavailable: refused for now (full, stopping), or no connection. failed: any
/// other error. abandoned: given up by the generator, because the run was over.
enum class RequestOutcome : std::uint8_t { answered, unavailable, timed_out, failed, abandoned };
constexpr auto enum_names(RequestOutcome) {
  return std::array{Named{RequestOutcome::answered, "answered"},
                    Named{RequestOutcome::unavailable, "unavailable"},
                    Named{RequestOutcome::timed_out, "timed_out"}, Named{RequestOutcome::failed, "failed"},
                    Named{RequestOutcome::abandoned, "abandoned"}};
}

namespace metric {

// Of infer.
inline constexpr Metric images_per_s{"images_per_s", "images per second", "images/s", "second"};
inline constexpr Metric sequences_per_s{"sequences_per_s", "sequences per second", "sequences/s", "second"};
inline constexpr Metric tokens_per_s{"tokens_per_s", "tokens per second", "tokens/s", "second"};
inline constexpr Metric engine_busy{"engine_busy", "share of the time with an inference in flight",
                                    "engine busy", "measured time"};
inline constexpr Metric server_busy{"server_busy", "share of the time with a request in flight",
                                    "server busy", "measured time"};
inline constexpr Metric loaders_busy{"loaders_busy", "share of the loader threads' time", "loaders busy",
                                     "measured time"};
inline constexpr Metric first_answer_s{"first_answer_s", "seconds from the start of the measurement",
                                       "first answer", "run"};
inline constexpr Metric read_bytes_per_s{"read_bytes_per_s", "bytes per second", "bytes read/s", "second"};
inline constexpr Metric pictures_failed{"pictures_failed", "images", "images failed", "run"};

// Of load.
inline constexpr Metric requests_per_s{"requests_per_s", "answered requests per second", "answered/s",
                                       "second"};
inline constexpr Metric offered_per_s{"offered_per_s", "requests of the schedule per second", "offered/s",
                                      "second"};
inline constexpr Metric inferences_per_s{"inferences_per_s", "samples answered per second", "inferences/s",
                                         "second"};
inline constexpr Metric goodput_per_s{
    "goodput_per_s", "requests per second that were answered within the limit", "goodput/s", "second"};
inline constexpr Metric sustained_per_s{"sustained_per_s", "requests per second that meet the SLO",
                                        "sustained/s", "second"};
inline constexpr Metric late_share{
    "late_share", "share of the requests that were not answered within the limit", "late", "request"};
inline constexpr Metric requests_late{"requests_late", "requests", "late", "run"};
inline constexpr Metric unexplained_share{
    "unexplained_share", "share of the response time that no stage explains", "unexplained", "response time"};
inline constexpr Metric issue_delay_p99_ms{
    "issue_delay_p99_ms", "milliseconds from the scheduled moment to the client", "p99 send lag", "request"};
inline constexpr Metric issue_delay_max_ms{"issue_delay_max_ms", "milliseconds", "longest send lag",
                                           "request"};
inline constexpr Metric in_flight_mean{"in_flight_mean", "requests", "mean in flight", "run"};
inline constexpr Metric in_flight_max{"in_flight_max", "requests", "most in flight", "run"};
inline constexpr Metric generator_busy{"generator_busy",
                                       "share of the time that the busiest worker was on a core",
                                       "generator busy", "measured time"};
inline constexpr Metric generator_cpu_us{"generator_cpu_us",
                                         "microseconds of the generator's CPU time per request",
                                         "generator CPU time", "request"};

// Of train; of infer too. A time that was not measured to its end is extrapolated: docs/method/training.md.
inline constexpr Metric samples_per_s{"samples_per_s", "samples per second", "samples/s", "second"};
inline constexpr Metric step_s{"step_s", "seconds of learning", "step time", "step"};
inline constexpr Metric epoch_s{"epoch_s", "seconds of learning", "epoch time", "epoch"};
inline constexpr Metric verify_s{"verify_s", "seconds of verifying", "verifying time", "epoch"};
inline constexpr Metric training_s{"training_s", "seconds of all epochs with their verifying",
                                   "training time", "run"};
inline constexpr Metric train_loss{"train_loss", "mean loss of the last epoch's steps", "training loss",
                                   "sample"};
inline constexpr Metric test_loss{"test_loss", "mean loss after the last epoch", "test loss", "test sample"};
inline constexpr Metric test_accuracy{
    "test_accuracy", "share of the test samples that are classified rightly after the last epoch",
    "test accuracy", "test sample"};
inline constexpr Metric checkpoint_bytes{"checkpoint_bytes", "bytes", "checkpoint", "run"};

// Of a command, which also has those of train that are told.
inline constexpr Metric command_s{"command_s", "seconds from the command's start to its end", "whole time",
                                  "run"};
inline constexpr Metric cpu_s{"cpu_s", "seconds of CPU time of the command and all that it started",
                              "CPU time", "run"};

// Of a run by itself; its configuration has them in telemetry and latency_ms. Of load they are the server's,
// where it tells.
inline constexpr Metric peak_memory_bytes{"peak_memory_bytes", "bytes", "peak memory", "run"};
inline constexpr Metric cpu_ms_per_item{"cpu_ms_per_item", "milliseconds of CPU time", "CPU time per item",
                                        "image, sequence, sample or request"};

// Of each where the machine has a price, in its currency; of a bill, rounded as the machine is billed.
inline constexpr Metric cost_per_million{"cost_per_million", "money while a million items are done",
                                         "cost of a million", "million items"};
inline constexpr Metric cost_per_epoch{"cost_per_epoch", "money while an epoch is learnt", "cost of an epoch",
                                       "epoch"};
inline constexpr Metric cost_of_training{
    "cost_of_training", "money of a bill of all epochs with their verifying", "cost of the training", "run"};
inline constexpr Metric cost_of_run{"cost_of_run", "money of a bill of one run on a machine started for it",
                                    "cost of a run", "run"};

// Of load, families: these begin their names. A time has a figure for each statistic (time_metric()); those
// of requests that were not answered begin with their outcome.
inline constexpr Metric response{"response",
                                 "milliseconds from the scheduled moment to the reply's last byte",
                                 "response time", "request"};
inline constexpr Metric service{"service", "milliseconds from the sending to the reply's last byte",
                                "service time", "request"};
/// Of a batch or a step of one run, where it has no response times.
inline constexpr Metric latency{"latency", "milliseconds from handing a batch to the engine to its answers",
                                "latency", "batch"};
constexpr Metric not_answered(RequestOutcome outcome) {
  return {enum_name(outcome), "milliseconds from the scheduled moment to the end", enum_name(outcome),
          "request"};
}
/// All, families left out.
inline constexpr std::array all{images_per_s,
                                sequences_per_s,
                                tokens_per_s,
                                engine_busy,
                                server_busy,
                                loaders_busy,
                                first_answer_s,
                                read_bytes_per_s,
                                pictures_failed,
                                requests_per_s,
                                offered_per_s,
                                inferences_per_s,
                                goodput_per_s,
                                sustained_per_s,
                                late_share,
                                requests_late,
                                unexplained_share,
                                issue_delay_p99_ms,
                                issue_delay_max_ms,
                                in_flight_mean,
                                in_flight_max,
                                generator_busy,
                                generator_cpu_us,
                                samples_per_s,
                                step_s,
                                epoch_s,
                                verify_s,
                                training_s,
                                train_loss,
                                test_loss,
                                test_accuracy,
                                checkpoint_bytes,
                                command_s,
                                cpu_s,
                                peak_memory_bytes,
                                cpu_ms_per_item,
                                cost_per_million,
                                cost_per_epoch,
                                cost_of_training,
                                cost_of_run};

/// How many requests ended so: outcome_name().
inline constexpr std::string_view requests = "requests";

}  // namespace metric

namespace statistic {

inline constexpr std::string_view p50 = "p50";
inline constexpr std::string_view p90 = "p90";
inline constexpr std::string_view p95 = "p95";
inline constexpr std::string_view p99 = "p99";
inline constexpr std::string_view p999 = "p999";
inline constexpr std::string_view mean = "mean";
inline constexpr std::string_view min = "min";
inline constexpr std::string_view max = "max";

}  // namespace statistic

/// Those that every latency is told in; percentile_of() has their numbers.
inline constexpr std::array usual_percentiles{statistic::p50, statistic::p90, statistic::p95, statistic::p99,
                                              statistic::p999};

inline Figure figure(const Metric& metric, const Estimate& estimate) {
  return {std::string(metric.name), std::string(metric.unit), estimate};
}

/// "response_p99_ms".
inline std::string time_name(const Metric& time, std::string_view statistic) {
  return std::string(time.name) + "_" + std::string(statistic) + "_ms";
}
inline Figure time_figure(const Metric& time, std::string_view statistic, const Estimate& estimate) {
  return {time_name(time, statistic), std::string(time.unit), estimate};
}

/// What tables and sentences call a figure: "images/s", "p99 response time"; its name in words where it has
/// no label.
std::string label_of(std::string_view figure);
/// Any name of this folder as people read it: "process_start" as "process start". Names that results have
/// kept from earlier versions are read in the words of today: "picture_scan" as "image scan".
std::string in_words(std::string_view name);

/// "requests_answered".
inline std::string outcome_name(RequestOutcome outcome) {
  return std::string(metric::requests) + "_" + std::string(enum_name(outcome));
}
inline Figure outcome_figure(RequestOutcome outcome, const Estimate& estimate) {
  return {outcome_name(outcome), std::string(metric::requests), estimate};
}

}  // namespace neph
