#include "engine/onnxruntime/provider.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/names.hpp"
#include "core/text.hpp"
#include "engine/onnxruntime/needed_library.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

constexpr std::array all{Provider{"cpu", "CPUExecutionProvider", false, "onnxruntime"},
                         Provider{"openvino", "OpenVINOExecutionProvider", false, "onnxruntime-openvino"},
                         Provider{"cuda", "CUDAExecutionProvider", true, "onnxruntime-gpu"},
                         Provider{"tensorrt", "TensorrtExecutionProvider", true, "onnxruntime-gpu"}};
constexpr std::string_view their_ending = "ExecutionProvider";

/// "cuda", "CUDAExecutionProvider", and the one as the other's ending is left out: "Tensorrt".
bool is_called(const Provider& provider, std::string_view name) {
  return same_words(name, provider.name) || same_words(name, provider.theirs) ||
         same_words(name, provider.theirs.substr(0, provider.theirs.size() - their_ending.size()));
}

bool has(const Library& library, const Provider& provider) {
  return std::ranges::find(library.providers, provider.theirs) != library.providers.end();
}

/// ONNX Runtime's options of CUDA and TensorRT, which it makes and releases.
template <class Made, auto release>
struct Released {
  Made* made = nullptr;
  ~Released() { (Ort::GetApi().*release)(made); }
};

void add_cuda(Ort::SessionOptions& options, const std::string& gpu) {
  Released<OrtCUDAProviderOptionsV2, &OrtApi::ReleaseCUDAProviderOptions> cuda;
  Ort::ThrowOnError(Ort::GetApi().CreateCUDAProviderOptions(&cuda.made));
  const std::array keys{"device_id"};
  const std::array values{gpu.c_str()};
  Ort::ThrowOnError(
      Ort::GetApi().UpdateCUDAProviderOptions(cuda.made, keys.data(), values.data(), keys.size()));
  options.AppendExecutionProvider_CUDA_V2(*cuda.made);
}

void add_tensorrt(Ort::SessionOptions& options, const std::string& gpu) {
  Released<OrtTensorRTProviderOptionsV2, &OrtApi::ReleaseTensorRTProviderOptions> tensorrt;
  Ort::ThrowOnError(Ort::GetApi().CreateTensorRTProviderOptions(&tensorrt.made));
  const std::array keys{"device_id"};
  const std::array values{gpu.c_str()};
  Ort::ThrowOnError(
      Ort::GetApi().UpdateTensorRTProviderOptions(tensorrt.made, keys.data(), values.data(), keys.size()));
  options.AppendExecutionProvider_TensorRT_V2(*tensorrt.made);
}

/// Throws Ort::Exception.
void add(const Provider& provider, const Place& place, std::int64_t threads, Ort::SessionOptions& options) {
  const auto gpu = std::to_string(place.gpu);
  if (provider.name == "openvino")
    options.AppendExecutionProvider_OpenVINO_V2(
        {{"device_type", "CPU"}, {"precision", "FP32"}, {"num_of_threads", std::to_string(threads)}});
  if (provider.name == "tensorrt") add_tensorrt(options, gpu);
  if (provider.of_gpu) add_cuda(options, gpu);  // behind TensorRT it takes what that leaves
}

}  // namespace

std::vector<std::string> provider_names(const Library& library, bool of_gpu) {
  std::vector<std::string> names;
  for (const auto& provider : all)
    if (provider.of_gpu == of_gpu && has(library, provider)) names.emplace_back(provider.name);
  return names;
}

std::string_view short_name(std::string_view theirs) {
  const auto known = std::ranges::find(all, theirs, &Provider::theirs);
  return known == all.end() ? theirs : known->name;
}

Result<Provider> find_provider(const Library& library, const Place& place, std::string_view wanted) {
  const bool on_gpu = place.gpu >= 0;
  if (wanted.empty()) wanted = on_gpu ? "cuda" : "cpu";
  const auto found = std::ranges::find_if(all, [&](const auto& each) { return is_called(each, wanted); });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const auto& provider : all) names.emplace_back(provider.name);
    return unknown_name(ErrorCode::not_found, "provider", wanted, names);
  }
  if (!has(library, *found))
    return fail(
        ErrorCode::unsupported,
        "provider {}: {} was built without it; package {} has it, in place of this one or in a folder for "
        "--engine-path",
        found->name, library.file.string(), found->package);
  if (found->of_gpu != on_gpu)
    return fail(ErrorCode::invalid_argument, "provider {} does not compute on {}: use --device {}",
                found->name, place.device.name, found->of_gpu ? "cuda" : "cpu");
  return *found;
}

Status use_provider(const Library& library, const Place& place, const Provider& provider,
                    std::int64_t threads, Ort::SessionOptions& options) {
  if (provider.of_gpu) load_what_is_opened_by_name();
  for (std::set<std::string> loaded;;) {
    library.log->forget();
    try {
      add(provider, place, threads, options);
      return {};
    } catch (const Ort::Exception& error) {
      const auto logged = library.log->last_error();
      const auto reason = logged.empty() ? std::string(error.what()) : logged;
      const auto missing = missing_library(reason);
      if (!missing.empty() && loaded.insert(missing).second && load_from_environments(missing)) continue;
      return fail(ErrorCode::unsupported, "provider {} cannot be loaded: {}", provider.name,
                  missing.empty() ? in_one_line(reason) : what_is_missing(missing));
    }
  }
}

}  // namespace neph::engine::onnxruntime_plugin
