// A training by PyTorch or Keras: the script of src/framework, run and measured as any command is.
#pragma once

#include <filesystem>

#include "framework/framework.hpp"
#include "launch/launch.hpp"
#include "workload/train/spec.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

/// Steps before those that are measured, where --steps asks for some.
inline constexpr std::int64_t warmup_steps = 10;

/// What the runs of a configuration find ready: files in the cache folder and the user's own.
struct FrameworkTraining {
  std::filesystem::path model_file;
  framework::Model model;
  framework::Settings settings;
  std::string data_name;
};

/// The spec with a framework in the place of `automatic`; in a container that is PyTorch. Errors: those of
/// framework::find().
Result<TrainSpec> with_framework(TrainSpec spec);

/// ".pt" of PyTorch, ".keras" of Keras.
std::string_view checkpoint_ending(framework::Framework framework);

/// Frameworks write their devices in small letters, and people as they like.
std::string in_small_letters(std::string device);

/// Makes the files that are not there yet. Errors: those of reading network and data (as far as headers
/// tell), and of framework::check().
Result<FrameworkTraining> prepare_framework(const TrainSpec& spec);

/// How the framework is started. Errors: those of framework::find().
Result<framework::Installed> framework_of(const TrainSpec& spec);

Result<RunResult> run_framework(const TrainSpec& spec, const Context& context);

}  // namespace neph::workload
