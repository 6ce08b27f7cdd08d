// A model for one device and batch, and its requests. See model.hpp.
#pragma once

#include "engine/onnxruntime/device.hpp"
#include "engine/onnxruntime/ports.hpp"
#include "engine/onnxruntime/provider.hpp"
#include "engine/onnxruntime/source.hpp"

namespace neph::engine::onnxruntime_plugin {

/// `inputs` have the shapes that are asked for. Errors: unsupported (layers that do not take them, a provider
/// that does not start), unavailable (memory).
Result<std::unique_ptr<Session>> make_session(const Library& library, const Place& place,
                                              const Provider& provider, const Source& source, Ports inputs,
                                              const Options& options);

}  // namespace neph::engine::onnxruntime_plugin
