// ONNX Runtime's own C++ header, whose functions come from a library that is opened by library.cpp.
#pragma once

#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

#include "core/result.hpp"

namespace neph::engine::onnxruntime_plugin {

/// The error of the exception in flight: `what` and ONNX Runtime's own reason, in one line.
Error explain_current(const std::string& what);

}  // namespace neph::engine::onnxruntime_plugin
