// ONNX Runtime's own C++ header, whose functions come from a library that is opened by library.cpp.
#pragma once

#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>
#include <onnxruntime_session_options_config_keys.h>

#include "core/result.hpp"

namespace neph::engine::onnxruntime_plugin {

/// The error of the exception in flight: `what` and ONNX Runtime's own reason, in one line, with what to do
/// where that is known.
Error explain_current(const std::string& what);

/// The error of ONNX Runtime's status, for explain_current() and its test.
Error explain(const std::string& what, OrtErrorCode code, std::string_view said);

/// ONNX Runtime's words without the places in its sources and in one line.
std::string in_one_line(std::string_view text);

}  // namespace neph::engine::onnxruntime_plugin
