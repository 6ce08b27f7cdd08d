// What one training run is told: every field is an option of `neph train`, a key of a TOML file's [train]
// table, and, given a list of values, a factor.
#pragma once

#include <cstdint>
#include <string>

#include "core/describe.hpp"
#include "engine/engine.hpp"
#include "framework/framework.hpp"
#include "net/net.hpp"
#include "workload/place.hpp"

namespace neph::workload {

/// What is made small. `automatic`: ctc where the network's output is a sequence, else cross_entropy.
enum class Loss { automatic, cross_entropy, ctc };
constexpr auto enum_names(Loss) {
  return std::array{Named{Loss::automatic, "auto"}, Named{Loss::cross_entropy, "cross-entropy"},
                    Named{Loss::ctc, "ctc"}};
}

/// Where images of folders are between their uses.
enum class Keep { memory, files };
constexpr auto enum_names(Keep) {
  return std::array{Named{Keep::memory, "memory"}, Named{Keep::files, "files"}};
}

enum class Optimizer { adam, sgd };
constexpr auto enum_names(Optimizer) {
  return std::array{Named{Optimizer::adam, "adam"}, Named{Optimizer::sgd, "sgd"}};
}

struct TrainSpec {
  std::string model;
  std::string data;
  Keep data_in = Keep::memory;
  std::int64_t epochs = 1;
  std::int64_t steps = 0;
  std::int64_t batch = 128;
  std::int64_t threads = 0;
  std::int64_t processes = 1;
  std::string device = "cpu";
  std::int64_t gpus = 1;
  engine::Precision precision = engine::Precision::f32;
  framework::Framework framework = framework::Framework::automatic;
  framework::Switch compile = framework::Switch::automatic;
  framework::Layout layout = framework::Layout::automatic;
  framework::Switch fused_optimizer = framework::Switch::automatic;
  Optimizer optimizer = Optimizer::adam;
  double learning_rate = 0.001;
  double momentum = 0.9;
  double weight_decay = 0;
  Loss loss = Loss::automatic;
  std::int64_t train_seed = 1;
  net::BuildOptions network;
  std::int64_t synth_samples = 2048;
  std::int64_t loaders = -1;
  In in = In::process;
  std::string image{own_image};
  double telemetry_hz = 10;
  std::string save;
};

template <class Visit, Describes<TrainSpec> Self>
void describe(Visit&& v, Self& s) {
  v("model", s.model, "network's name (see neph net) or .onnx file; what is trained",
    changes_answers() | prepared());
  v("data", s.data,
    "data set: fashion-mnist, mnist, cifar10, synth, a folder of images by class, or a file (.npz, .tar.gz)",
    changes_answers() | prepared());
  v("data_in", s.data_in, "where images of folders are between epochs: decoded in memory, or in their files",
    prepared());
  v("epochs", s.epochs, "times that all samples are learnt", between(1, 1e6) | changes_answers());
  v("steps", s.steps,
    "measure so many steps after ten of warm-up, and extrapolate the whole training; 0: train to the end",
    between(0, 1e8) | changes_answers());
  v("batch", s.batch, "samples of a step, of all processes together", between(1, 1e6) | changes_answers());
  v("threads", s.threads, "cores that the run is bound to, and threads of the framework; 0: all",
    between(0, 4096) | changes_answers());
  v("processes", s.processes,
    "processes that learn together, data parallel: each has its part of every batch, and of the threads",
    between(1, 256) | changes_answers());
  v("device", s.device, "device of the framework: cpu, cuda, cuda:1", changes_answers() | prepared());
  v("gpus", s.gpus, "GPUs that learn together, data parallel, a process for each (device cuda)",
    between(1, 64) | changes_answers());
  v("precision", s.precision, "arithmetic of the products (automatic mixed precision); weights stay f32",
    changes_answers());
  v("framework", s.framework,
    "what trains, as its users run it (see neph engines); auto: the first of pytorch and keras-tensorflow "
    "that is installed",
    changes_answers() | prepared() | once_called("engine"));
  v("compile", s.compile, "torch.compile, or Keras' jit_compile; auto: as the framework does by itself",
    changes_answers());
  v("layout", s.layout, "channels of images first or last; auto: as the framework has them",
    changes_answers() | prepared());
  v("fused_optimizer", s.fused_optimizer, "PyTorch's fused optimizer; auto: as PyTorch chooses",
    changes_answers() | prepared());
  v("optimizer", s.optimizer, "how weights follow the gradients", changes_answers() | prepared());
  v("learning_rate", s.learning_rate, "of the optimizer", between(0, 1e3) | changes_answers());
  v("momentum", s.momentum, "of sgd", between(0, 1) | only_where("optimizer", "sgd") | changes_answers());
  v("weight_decay", s.weight_decay, "of the optimizer", between(0, 1e3) | changes_answers() | prepared());
  v("loss", s.loss, "what is made small; auto: ctc where the network's output is a sequence",
    changes_answers() | prepared());
  v("train_seed", s.train_seed, "seed of weights, shuffling and dropout",
    at_least(0) | changes_answers() | prepared());
  describe(with(v, changes_answers() | prepared()), s.network);
  v("synth_samples", s.synth_samples, "samples of the data set synth to learn; a quarter more to verify",
    between(1, 1e8) | changes_answers() | prepared());
  v("loaders", s.loaders,
    "processes (PyTorch) or threads (Keras, from 2 on) that make the next batches; 0: none beside the "
    "training's; -1: as the framework does by itself",
    between(-1, 1024));
  v("in", s.in, "where the run is made: a process of this system, or a Docker container of its own",
    prepared());
  v("image", s.image, "Docker image of the container: any; ours is made by ./dev image",
    only_where("in", "docker"));
  v("telemetry_hz", s.telemetry_hz, "readings of the machine's counters per second", between(0.1, 100));
  v("save", s.save, "checkpoint: NAME.pt of PyTorch, NAME.keras of Keras; empty: written and thrown away");
}

/// Processes that make a run of it.
inline std::int64_t ranks_of(const TrainSpec& spec) { return spec.gpus > 1 ? spec.gpus : spec.processes; }

}  // namespace neph::workload
