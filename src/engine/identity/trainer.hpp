// Training of known behaviour: steps take the time that a model's file sets, and losses fall by a formula.
// What a training run must have measured can be computed.
#pragma once

#include <cstdint>
#include <memory>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "engine/engine.hpp"
#include "engine/identity/model_file.hpp"
#include "engine/identity/service_time.hpp"

namespace neph::net {
struct Program;
}

namespace neph::engine {

/// What is trained: the shape of its examples, and tensors of these many elements.
struct IdentityNetwork {
  std::vector<std::int64_t> example_shape;
  std::int64_t classes = 1;
  std::map<std::string, std::vector<float>, std::less<>> tensors;
};

/// Step n is as long as ServiceTime::work(n) says, its parallel share divided among the threads, times
/// exp(wander * x), where x is a first-order autoregression of deviation 1. After n steps the loss is
/// ln(classes) * (1 - learning)^n, and the same share of what chance leaves is classified wrongly. The first
/// element of every tensor shrinks by the same factor. The second takes up what the steps learnt from: it
/// becomes half of itself and the examples' mean of label and middle input. Several ranks exchange as many
/// numbers as there are elements, all of them that mean.
class IdentityTrainer final : public Trainer {
 public:
  /// `clock` outlives it. Errors: not_found (device), invalid_argument (batch), unavailable (more than
  /// most_batch).
  static Result<std::unique_ptr<Trainer>> make(const IdentityFile& file, IdentityNetwork network,
                                               const TrainOptions& options, const Clock& clock);

  const std::vector<std::int64_t>& example_shape() const override { return network_.example_shape; }
  std::int64_t classes() const override { return network_.classes; }
  std::int64_t parameters() const override;
  Status step(const Examples& examples) override;
  Result<std::vector<float>> losses() override;
  Result<Verified> verify(const Examples& examples) override;
  Result<std::map<std::string, std::vector<float>, std::less<>>> weights() override;
  const Facts& facts() const override { return facts_; }

 private:
  IdentityTrainer(const IdentityFile& file, IdentityNetwork network, const TrainOptions& options,
                  std::int64_t threads, const Clock& clock);
  Status check(const Examples& examples) const;
  double unlearnt() const;  ///< (1 - learning)^steps
  double loss() const;
  Nanoseconds step_time(std::int64_t examples);
  void pass(Nanoseconds time) const;
  float mean_of(const Examples& examples) const;
  Result<float> mean_of_all(const Examples& examples);

  IdentityTraining file_;
  IdentityNetwork network_;
  std::int64_t batch_;
  double speedup_;  ///< of the threads, by Amdahl's law
  bool busy_;
  ServiceTime service_;
  const Clock& clock_;
  Exchange* exchange_;  ///< null: there is one rank
  Random random_;
  double wandered_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<float> losses_;
  Facts facts_;
};

/// What a training of the file's model is told: the first input's row, and the last dimension of the first
/// output.
IdentityNetwork network_of(const IdentityFile& file);
/// Of a program nothing is computed: its steps take no time, and what is left is the cost of everything
/// around the network. Errors: unsupported (not one input of which all but the batch is fixed).
Result<IdentityNetwork> network_of(const net::Program& program);

}  // namespace neph::engine
