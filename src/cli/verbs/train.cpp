#include "cli/command.hpp"
#include "cli/conduct.hpp"
#include "cli/verbs.hpp"
#include "engine/engine.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

/// Fewer than of `infer`, as trainings are long; and nobody can say how long is too long.
struct TrainOptions {
  Json fields = Json::object();
  PlanOptions plan{.repeat = 3, .timeout_s = 0};
  ConductOptions conduct;
  std::string engine_path;
  bool print_script = false;
};

Result<int> print_script(const Json& fields) {
  NEPH_TRY(const auto script, workload::training_script(fields));
  fmt::print("{}", script);
  return 0;
}

}  // namespace

void declare_train(Command& command) {
  auto options = std::make_shared<TrainOptions>();
  command.factors<workload::TrainSpec>(options->fields, "model");
  command.fields(options->plan);
  command.option("engine-path", options->engine_path, engine::engine_path_help);
  command.flag("print-script", options->print_script,
               "print the script of --framework for this training, and run nothing");
  declare_flags(command, options->conduct);
  command.footer(
      "Every option down to --save takes a list or range of values. Each combination is a configuration,\n"
      "measured --repeat times in random order, each run in a process of its own.\n"
      "How many cores pay, whole trainings:\n"
      "  neph train mnist-cnn --data fashion-mnist --epochs 3 --threads 1,2\n"
      "How long 200 epochs would take, extrapolated from 50 steps, with an interval:\n"
      "  neph train cifar10-cnn --data cifar10 --epochs 200 --steps 50\n"
      "PyTorch or Keras, and which of their switches pay:\n"
      "  neph train mnist-cnn --data synth --steps 50 --framework pytorch,keras-tensorflow\n"
      "  neph train mnist-cnn --data synth --steps 50 --compile off,on --layout nchw,nhwc\n"
      "Any network and any images, a folder for each class:\n"
      "  neph train resnet50 --data photos --batch 16,32 --precision f32,bf16 --steps 50\n"
      "What a container costs, of an image that has the framework:\n"
      "  neph train mnist-cnn --data synth --steps 30 --in process,docker --image frameworks\n"
      "Several processes that learn together:\n"
      "  neph train mnist-cnn --data fashion-mnist --steps 50 --threads 2 --processes 1,2\n"
      "A trained network as a file:\n"
      "  neph train mnist-cnn --data fashion-mnist --epochs 3 --repeat 1 --save mnist.pt\n"
      "Any command that trains something, unchanged (neph train --help -- has its options):\n"
      "  neph train --threads 1,2 -- python train.py --epochs 3\n"
      "The first Ctrl-C ends a run with its epoch, the second at once, with what was measured.");
  command.action([options, is_repeat_asked = command.asked("repeat")]() -> Result<int> {
    engine::look_also_in(options->engine_path);
    if (options->print_script) return print_script(options->fields);
    NEPH_TRY(auto plan, make_plan("train", options->fields, options->plan));
    plan.is_repeat_asked = is_repeat_asked();
    return conduct_plan(std::move(plan), options->conduct);
  });
}

}  // namespace neph::cli
