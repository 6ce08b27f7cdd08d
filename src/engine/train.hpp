// Training engines: a runtime that trains a network on a device, one step of an optimiser at a time.
//
// What it does not do: choose, shuffle or load data, count epochs, measure, write files.
//
// Threads: a Trainer is used from one thread at a time; what a runtime starts is named "engine".
// Ownership: the engine outlives its trainers; examples stay the caller's, and are read before step()
// returns. Cost: step() allocates nothing of its own; a runtime's allocator does as it does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "engine/exchange.hpp"
#include "record/facts.hpp"

namespace neph::net {
struct Program;
}

namespace neph::engine {

enum class Precision;
struct Device;

/// What is made small. `automatic`: ctc where the network's output is a sequence, else cross_entropy.
enum class Loss { automatic, cross_entropy, ctc };
constexpr auto enum_names(Loss) {
  return std::array{Named{Loss::automatic, "auto"}, Named{Loss::cross_entropy, "cross-entropy"},
                    Named{Loss::ctc, "ctc"}};
}

enum class Optimizer { adam, sgd };
constexpr auto enum_names(Optimizer) {
  return std::array{Named{Optimizer::adam, "adam"}, Named{Optimizer::sgd, "sgd"}};
}

struct TrainOptions {
  std::string device = "CPU";  ///< "CPU", "CUDA", "CUDA:1"
  Precision precision{};       ///< arithmetic of products; weights and sums stay f32
  std::int64_t batch = 0;      ///< examples of a step; steps with fewer (an epoch's last) are possible
  std::int64_t threads = 0;    ///< 0: as many as the process may use
  Loss loss = Loss::automatic;
  Optimizer optimizer = Optimizer::adam;
  double learning_rate = 0.001;
  double momentum = 0.9;  ///< of sgd
  double weight_decay = 0;
  std::uint64_t seed = 1;  ///< of dropouts
  /// With the other ranks of a data parallel training; null: there are none. It outlives the trainer. `batch`
  /// and `threads` are this rank's own.
  Exchange* exchange = nullptr;
};

/// What a step learns from.
struct Examples {
  std::int64_t count = 0;
  std::span<const float> inputs;  ///< [count, the input's other dimensions]
  /// [count]: the class of each; of ctc [count, labels of an example], classes from 1 on (0 is the blank)
  std::span<const std::int64_t> labels;
  std::int64_t whole = 0;  ///< examples of the step over all ranks; 0: `count`
};

/// What came of examples that nothing was learnt from.
struct Verified {
  double loss = 0;           ///< mean over the examples
  std::int64_t correct = 0;  ///< the class with the highest output is the label; of ctc always 0
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  /// The one input's dimensions, without the batch.
  virtual const std::vector<std::int64_t>& example_shape() const = 0;
  virtual std::int64_t classes() const = 0;
  virtual std::int64_t parameters() const = 0;  ///< elements that training changes
  /// One forward pass, backward pass and update. On a GPU it may return before they are done. Errors:
  /// invalid_argument (examples of another shape, a label that is no class), unavailable (memory). Of several
  /// ranks all make the step together: the gradients' mean over all examples, and losses() the same for all;
  /// a rank may have no examples.
  virtual Status step(const Examples& examples) = 0;
  /// Mean loss of each step since this was last asked; waits for all of them. NaN where a step gave one.
  virtual Result<std::vector<float>> losses() = 0;
  /// Of several ranks: all take over the running statistics of batch norms, which are those of rank 0's
  /// examples. Before verify() and weights().
  virtual Status share_statistics() { return {}; }
  /// Without dropouts, with the running statistics of batch norms.
  virtual Result<Verified> verify(const Examples& examples) = 0;
  /// Trained tensors and running statistics under the names that the program stores them by.
  virtual Result<std::map<std::string, std::vector<float>, std::less<>>> weights() = 0;
  /// What it really uses: engine, device, device_name, precision, threads, allocator, ...
  virtual const Facts& facts() const = 0;
};

class TrainEngine {
 public:
  virtual ~TrainEngine() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  /// The folder of the runtime, of plugins that look for it when they are used; empty: it is linked with.
  virtual std::string runtime() const { return {}; }
  virtual Result<std::vector<Device>> devices() = 0;
  /// One device as TrainOptions::device names it, in any case. Errors: not_found, with the nearest known
  /// name, or with the reason why there is none of its kind.
  virtual Result<Device> device(const std::string& name) = 0;
  /// Trains what `program` computes, from the weights that it stores. Errors: unsupported (an operator or
  /// attribute that is not trained here, by its name; a precision), invalid_argument (options), not_found
  /// (device), unavailable (memory).
  virtual Result<std::unique_ptr<Trainer>> prepare(const net::Program& program,
                                                   const TrainOptions& options) = 0;
  /// File name endings of models of its own, with the dot, that prepare_file() takes: no programs.
  virtual std::vector<std::string> own_formats() const { return {}; }
  /// As prepare(), of such a model. Errors: those of prepare(), and of reading the file; unsupported where
  /// the engine has no format of its own (the default).
  virtual Result<std::unique_ptr<Trainer>> prepare_file(const std::filesystem::path& path,
                                                        const TrainOptions& options);
};

}  // namespace neph::engine

/// As NEPH_EXPORT_ENGINE; one plugin may export both.
#define NEPH_TRAIN_ENGINE_SYMBOL "neph_make_train_engine_2"
#define NEPH_EXPORT_TRAIN_ENGINE(Type)                                           \
  extern "C" __attribute__((visibility("default"))) ::neph::engine::TrainEngine* \
  neph_make_train_engine_2() {                                                   \
    return new Type();                                                           \
  }
