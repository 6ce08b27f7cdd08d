// A model for one device and batch, and its requests. See model.hpp.
#pragma once

#include "engine/onnxruntime/device.hpp"
#include "engine/onnxruntime/ports.hpp"
#include "engine/onnxruntime/provider.hpp"

namespace neph::engine::onnxruntime_plugin {

struct Source {
  std::string file;
  std::string changed;  ///< its bytes with other shapes of inputs; empty: as the file has them
};

/// `inputs` have the shapes that are asked for. Errors: unsupported (layers that do not take them, a provider
/// that does not start), unavailable (memory).
Result<std::unique_ptr<Session>> make_session(const Library& library, const Place& place,
                                              const Provider& provider, const Source& source, Ports inputs,
                                              const Options& options);

}  // namespace neph::engine::onnxruntime_plugin
