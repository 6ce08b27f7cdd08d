// What a model's inputs are in a run: whole shapes, also where the model leaves them open, and what the items
// are that it answers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "workload/infer/spec.hpp"

namespace neph::workload {

/// What is counted: by what the input is.
enum class Item { image, sequence, sample };
constexpr auto enum_names(Item) {
  return std::array{Named{Item::image, "image"}, Named{Item::sequence, "sequence"},
                    Named{Item::sample, "sample"}};
}

struct InputPlan {
  std::vector<engine::Port> inputs;  ///< with whole shapes
  /// For engine::Options; empty: the batch alone tells them.
  std::map<std::string, std::vector<std::int64_t>> shapes;
  std::int64_t rows = 1;             ///< items in an inference
  Item item = Item::sample;          ///< image: the only input takes pictures
  std::int64_t tokens = 0;           ///< in a sequence
  std::vector<std::string> assumed;  ///< "NAME:1x128" of what the model leaves open and nobody said
  bool is_batch_changed = false;     ///< from the one that the file fixes
};

/// Plans to be tried one after the other, the likeliest first: several only where something was assumed.
/// Errors: those of parse_shapes(), not_found (no such input), invalid_argument (shapes that contradict one
/// another, the batch or the model).
Result<std::vector<InputPlan>> input_plans(const std::vector<engine::Port>& inputs, const InferSpec& spec);

/// Whether it takes images: rank 4 with one or three channels, all but the batch fixed.
bool takes_images(const engine::Port& input);

/// Whether a row of the only output is a score for each class of an image. Of several (boxes, landmarks, an
/// embedding beside) nobody says which has the classes.
bool has_classes(const InputPlan& plan, const std::vector<engine::Port>& outputs);

}  // namespace neph::workload
