#include <numeric>

#include "core/random.hpp"
#include "experiment/experiment.hpp"

namespace neph::experiment {

std::vector<Slot> order(const Experiment& experiment, std::int64_t cells) {
  Random random(experiment.seed);
  std::vector<std::int64_t> block(static_cast<std::size_t>(cells));
  std::vector<Slot> slots;
  for (std::int64_t repeat = 0; repeat < experiment.repeat; ++repeat) {
    std::iota(block.begin(), block.end(), 0);
    shuffle(block, random);
    for (const auto cell : block)
      slots.push_back({.cell = cell, .repeat = repeat, .position = static_cast<std::int64_t>(slots.size())});
  }
  return slots;
}

}  // namespace neph::experiment
