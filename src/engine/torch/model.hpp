// Inference by packages of AOTInductor, which PyTorch compiles: run by libtorch's C interface, without
// Python.
//
// What it does not do: compile (framework/export.hpp), custom operators, times of layers, change what the
// package fixes: shapes, precision, kind of device. A package runs code of its own: run none that you would
// not run as a program.
//
// Threads: as engine.hpp says. libtorch computes in the thread that calls it, so that the inferences side by
// side are threads of ours (Streams), each with its part of the threads asked for.
// Ownership: each session has weights of its own, which its requests share.
// Cost: load() unpacks the package into a temporary folder; compile() costs one inference, which tells the
// shapes of outputs. Inputs on the CPU are used in place; outputs are copied once.
// (Nothing of the GPUs has been tried.)
#pragma once

#include <filesystem>
#include <memory>

#include "engine/engine.hpp"
#include "engine/torch/library.hpp"

namespace neph::engine::torch_plugin {

/// Errors: not_found, those of open_package(); unsupported (another file than a .pt2, code for another
/// processor, a library that this torch cannot open).
Result<std::unique_ptr<Model>> load_model(const Library& library, const std::filesystem::path& path);

}  // namespace neph::engine::torch_plugin
