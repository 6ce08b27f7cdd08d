// Tensors that a run gives to a model: generated, or a user's own. Each example is all inputs of an
// inference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/aligned.hpp"
#include "core/result.hpp"
#include "engine/engine.hpp"
#include "workload/infer/input_plan.hpp"

namespace neph::workload {

struct ExampleTensor {
  AlignedFloats memory;
  std::size_t bytes = 0;
  std::vector<std::int64_t> shape{};
};

struct Examples {
  std::vector<std::string> names;               ///< of each, as answers have them
  std::vector<std::vector<ExampleTensor>> all;  ///< by example, then by input
  std::int64_t turns = 1;                       ///< inferences with one before the next comes
  std::string what;                             ///< "4 generated: input_ids i64 [1, 128] below 30522, ..."
};

/// Integers that are surely good as inputs are 0 up to less than this.
struct IntegerBounds {
  std::int64_t all = 2;                      ///< of inputs of which nothing else is known
  std::map<std::string, std::int64_t> of{};  ///< by input: the vocabulary of the table that it looks up
};
/// Of a model that was read by an engine, and in an ONNX file by the tables in its graph.
IntegerBounds integer_bounds(const engine::Model& model, const std::filesystem::path& file);

/// The same for the same seed: floats are normal with mean 0 and deviation 1, of images from 0 to 1; bytes of
/// images 0 to 255; integers within the bounds, masks 1; text a few short words. Errors: unavailable
/// (memory).
Result<Examples> generate_examples(const InputPlan& plan, const IntegerBounds& bounds, std::int64_t count);

/// From a .npz, or a folder of .npy, an array for each input: of the input's shape, or of several examples
/// one after the other (along the first dimension, or one before it). What the plan assumed for an open
/// dimension of the `model` is the array's own, and `plan` says so afterwards. Errors: those of
/// data::read_arrays(), not_found (an input without an array, an array without an input, with the nearest
/// name), invalid_argument (another type or shape; an integer outside of the bounds).
Result<Examples> read_examples(const std::filesystem::path& path, const std::vector<engine::Port>& model,
                               const IntegerBounds& bounds, InputPlan& plan);

/// Binds all inputs of `request` to an example.
Status bind_example(engine::Request& request, const std::vector<engine::Port>& ports,
                    std::vector<ExampleTensor>& example);

}  // namespace neph::workload
