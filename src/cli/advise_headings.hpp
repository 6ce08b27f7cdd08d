// What the heading of a column says of it, in a table of times. Words count, whatever the case and whatever
// stands between them: "GPU type" is gpu_type, "time (ms)" is time_ms.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph::cli::heading {

/// What changes the job, and not how it is done: those that differ in it are no alternatives. The first ones
/// are factors of experiments too.
inline constexpr std::array<std::string_view, 11> jobs{"model",    "data",          "epochs",  "images",
                                                       "count",    "synth_samples", "network", "dataset",
                                                       "workload", "task",          "job"};

/// Its words in small letters, with "_" between them; "/" is the word "per".
std::string plain(std::string_view name);

/// Seconds of one unit: of "train_ms" 0.001. Nothing: it names none.
std::optional<double> unit_of(std::string_view name);
/// So much in a time: "images_per_s", "throughput".
bool is_rate(std::string_view name);
/// A time by its name: it ends in a unit, or in a word for a time, and is no rate.
bool is_time(std::string_view name);
/// Error: invalid_argument: a rate, or a time in a unit that is not known.
Status check_time(std::string_view name, const std::string& source);
/// "predicted_s": of a model.
bool is_predicted(std::string_view name);

/// Tells one run from the next: "seed".
bool is_repeat(std::string_view name);
/// "exp_name": where its values are numbers, or numbered, they tell repeats apart too.
bool is_experiment(std::string_view name);
/// What a run gave, where it is a number: "accuracy", "save_s".
bool is_result(std::string_view name);
/// Speaks of cores or GPUs.
bool is_of_machine(std::string_view name);

}  // namespace neph::cli::heading
