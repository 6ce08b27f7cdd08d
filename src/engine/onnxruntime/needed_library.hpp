// The libraries that an execution provider needs beside its own: CUDA's, cuDNN, TensorRT, which packages of
// PyPI bring into folders that the system's loader does not look into.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace neph::engine::onnxruntime_plugin {

/// "libcudnn.so.9" of a text that holds "libcudnn.so.9: cannot open shared object file"; empty: it says no
/// such thing.
std::string missing_library(std::string_view reason);

/// Loads it by its path, with what it lacks in turn, from the first Python environment that has it; the
/// loader then takes it for whatever asks for its name. False: no environment has it, or it cannot be loaded.
bool load_from_environments(const std::string& library);

/// The second part of NVIDIA's compiler nvrtc in these folders. It has the compiler's minor version in its
/// name.
std::vector<std::filesystem::path> nvrtc_builtins(const std::vector<std::filesystem::path>& folders);

/// Loads, where they are found, those that CUDA's provider opens by name when it runs. Without nvrtc's second
/// part cuDNN goes without the kernels that it compiles, and says nothing: ResNet-50 in batches of 32 ran at
/// 0.95 of its speed on an H200.
void load_what_is_opened_by_name();

/// "libcudnn.so.9 is missing; PyPI's package nvidia-cudnn-cu13 has it: python3 -m pip install --no-deps ...".
std::string what_is_missing(const std::string& library);

}  // namespace neph::engine::onnxruntime_plugin
