// Inference by libtorch: an ONNX model as the plan that trains it, without what only training needs.
//
// What it does not do: shapes that depend on data, If and Loop, quantised models.
//
// Threads: as engine.hpp says. libtorch computes in the thread that calls it, so that the inferences side by
// side are threads of ours (Streams), each with its part of the threads asked for.
// Ownership: a session's requests share its weights; each has a plan of its own, since layers keep what they
// know of their shapes.
// Cost: load() holds the weights once more than the file; make_request() costs one inference.
// So does each change of the shape of an input that stays open.
// (Nothing of the GPUs has been tried.)
#pragma once

#include <filesystem>
#include <memory>

#include "engine/engine.hpp"
#include "engine/torch/library.hpp"

namespace neph::engine::torch_plugin {

/// Errors: those of net::read_program; unsupported (an input or output of 16-bit floats or text).
Result<std::unique_ptr<Model>> load_model(const Library& library, const std::filesystem::path& path);

}  // namespace neph::engine::torch_plugin
