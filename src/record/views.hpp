// What the results of each workload are about: its main metric, what an item is, and the words for both.
// Whoever judges or shows results takes them from here, and knows no workload by name. What a report shows of
// each: report/views/.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "record/experiment.hpp"
#include "record/metrics.hpp"

namespace neph {

/// Of a workload. Of configurations that compete `main` has one metric, or one for each kind of items: a run
/// has one of these.
struct View {
  std::string_view workload;         ///< its name
  std::string_view activity;         ///< in titles
  std::string_view item, items;      ///< what is done: its main metric and stages count these
  std::string_view sample, samples;  ///< a row of the raw samples
  std::string_view latency;          ///< the time of a sample
  std::string_view stage_time;       ///< what the stages of an item add up
  std::string_view rate;             ///< the main metric's unit behind a number
  std::span<const Metric> main;      ///< a run is judged by the first of them that it has
  /// By which direction of main.front() configurations compete; empty: they ask different things, and do not.
  std::optional<Better> better{};
};

namespace view {

inline constexpr std::array main_of_infer{metric::images_per_s, metric::sequences_per_s,
                                          metric::samples_per_s};
inline constexpr View infer{.workload = "infer",
                            .activity = "inference",
                            .item = "image",
                            .items = "images",
                            .sample = "batch",
                            .samples = "batches",
                            .latency = "batch time",
                            .stage_time = "thread time per image",
                            .rate = "images/s",
                            .main = main_of_infer,
                            .better = Better::higher};

inline constexpr std::array main_of_sequences{metric::sequences_per_s, metric::images_per_s,
                                              metric::samples_per_s};
inline constexpr View infer_sequences{.workload = "infer",
                                      .activity = "inference",
                                      .item = "sequence",
                                      .items = "sequences",
                                      .sample = "batch",
                                      .samples = "batches",
                                      .latency = "batch time",
                                      .stage_time = "thread time per sequence",
                                      .rate = "sequences/s",
                                      .main = main_of_sequences,
                                      .better = Better::higher};

inline constexpr std::array main_of_samples{metric::samples_per_s, metric::images_per_s,
                                            metric::sequences_per_s};
inline constexpr View infer_samples{.workload = "infer",
                                    .activity = "inference",
                                    .item = "sample",
                                    .items = "samples",
                                    .sample = "batch",
                                    .samples = "batches",
                                    .latency = "batch time",
                                    .stage_time = "thread time per sample",
                                    .rate = "samples/s",
                                    .main = main_of_samples,
                                    .better = Better::higher};

inline constexpr std::array main_of_load{metric::sustained_per_s, metric::requests_per_s};
inline constexpr View load{.workload = "load",
                           .activity = "load",
                           .item = "request",
                           .items = "requests",
                           .sample = "request",
                           .samples = "requests",
                           .latency = "response time",
                           .stage_time = "time per request",
                           .rate = "requests/s",
                           .main = main_of_load};

inline constexpr std::array main_of_train{metric::samples_per_s};
inline constexpr View train{.workload = "train",
                            .activity = "training",
                            .item = "sample",
                            .items = "samples",
                            .sample = "step",
                            .samples = "steps",
                            .latency = "step time",
                            .stage_time = "time per sample",
                            .rate = "samples/s",
                            .main = main_of_train,
                            .better = Better::higher};

inline constexpr std::array main_of_command{metric::command_s};
inline constexpr View command{.workload = "command",
                              .activity = "a command",
                              .item = "step",
                              .items = "steps",
                              .sample = "step",
                              .samples = "steps",
                              .latency = "step time",
                              .stage_time = "time per step",
                              .rate = "s",
                              .main = main_of_command,
                              .better = Better::lower};

}  // namespace view

inline constexpr std::array views{view::infer, view::load, view::train, view::command};

/// Of a name that is none of theirs, the first.
constexpr const View& view_of(std::string_view workload) {
  for (const auto& view : views)
    if (view.workload == workload) return view;
  return views.front();
}

/// Of results: that of what was done, where a workload does several kinds of items.
const View& view_of(std::string_view workload, std::span<const CellSummary> cells);

/// The main metric over the repeats; an Estimate without a value when no run ended well.
Estimate speed_of(const View& view, const CellSummary& cell);
/// Of one run; empty: it did not end well, or has no such number.
std::optional<double> speed_of(const View& view, const Run& run);

}  // namespace neph
