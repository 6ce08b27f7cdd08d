// What a compiled model really uses, asked of OpenVINO after the fact: it is free to do other than it was
// told.
#pragma once

#include <map>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/core.hpp>
#include <string>

#include "record/facts.hpp"

namespace neph::engine {

/// device, device_name, engine, hint, precision, kernel, threads, streams, requests, pinning, and amx where
/// it had to be left off. A device that has no word for one of them (a GPU has no threads) leaves it out.
/// Cost: about a millisecond for ResNet-50.
Facts facts_of(const ov::CompiledModel& compiled, const std::string& device, const std::string& device_name);

/// "2026.4.1"
std::string openvino_version();

}  // namespace neph::engine
