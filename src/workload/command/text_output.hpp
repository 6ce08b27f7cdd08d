// What frameworks print by themselves, read for what it tells of a training: Keras (verbose 1 and 2),
// Transformers' Trainer, Lightning. What they print is rounded; where something else tells the same, that is
// believed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/command/told.hpp"

namespace neph::workload::command {

/// A line as a terminal shows it in the end: what was written over is gone, colours too.
std::string shown_line(std::string_view line);

class TextOutput {
 public:
  /// `line`: as a terminal shows it; `now_s`: when it came.
  std::vector<Told> hear(std::string_view line, double now_s);

 private:
  std::vector<Told> hear_keras(std::string_view line, double now_s);

  std::optional<double> epoch_begin_s_;  ///< Keras: of "Epoch 1/2"
  bool has_learnt_ = false;              ///< in an epoch
};

}  // namespace neph::workload::command
