// The inference loop on ONNX Runtime's C interface and nothing else: one session, one input of f32, one
// thread that calls Run() again and again. What `infer_rate_bench --engine onnxruntime` is held against
// (onnxruntime_rows.py).
//
//   bare_onnxruntime LIBRARY MODEL SHAPE SECONDS THREADS [bind] [rest] [cuda] [pinned]
//
// SHAPE: 1x3x224x224. By default Run() with values; bind: an IoBinding, bound once, which on a GPU leaves the
// input there. rest: threads of the pool do not spin. cuda: on the first GPU, whose libraries the loader must
// find (LD_LIBRARY_PATH); pinned: from memory that the GPU reads by itself. Prints one JSON object; a fifth
// of SECONDS is warm-up.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <onnxruntime_c_api.h>

namespace {

const OrtApi* api = nullptr;

void must(OrtStatus* status) {
  if (status == nullptr) return;
  std::fprintf(stderr, "bare_onnxruntime: %s\n", api->GetErrorMessage(status));
  std::exit(1);
}

const OrtApi* open(const char* library) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  auto* const base =
      opened != nullptr ? reinterpret_cast<const OrtApiBase* (*)()>(dlsym(opened, "OrtGetApiBase")) : nullptr;
  return base != nullptr ? base()->GetApi(ORT_API_VERSION) : nullptr;
}

std::vector<int64_t> shape_of(const char* text) {
  std::vector<int64_t> shape;
  for (char* end = nullptr; *text != '\0'; text = *end == 'x' ? end + 1 : end)
    shape.push_back(std::strtoll(text, &end, 10));
  return shape;
}

/// Values as random as those of infer_rate_bench.
std::vector<float> values(size_t count) {
  std::vector<float> all(count);
  uint32_t state = 2'463'534'242;
  for (auto& value : all) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    value = static_cast<float>(state >> 8) * 0x1p-24f;
  }
  return all;
}

void use_cuda(OrtSessionOptions* options) {
  OrtCUDAProviderOptionsV2* cuda = nullptr;
  must(api->CreateCUDAProviderOptions(&cuda));
  must(api->SessionOptionsAppendExecutionProvider_CUDA_V2(options, cuda));
  api->ReleaseCUDAProviderOptions(cuda);
}

/// Memory that the GPU reads without a copy by the CPU.
float* pinned(const OrtSession* session, const std::vector<float>& numbers) {
  OrtMemoryInfo* kind = nullptr;
  must(api->CreateMemoryInfo("CudaPinned", OrtDeviceAllocator, 0, OrtMemTypeCPUOutput, &kind));
  OrtAllocator* allocator = nullptr;
  must(api->CreateAllocator(session, kind, &allocator));
  void* memory = nullptr;
  must(api->AllocatorAlloc(allocator, numbers.size() * sizeof(float), &memory));
  std::memcpy(memory, numbers.data(), numbers.size() * sizeof(float));
  return static_cast<float*>(memory);
}

struct Loop {
  OrtSession* session = nullptr;
  OrtIoBinding* binding = nullptr;  ///< null: Run() with values
  char *input_name = nullptr, *output_name = nullptr;
  OrtValue *input = nullptr, *output = nullptr;

  void step() {
    if (binding != nullptr) return must(api->RunWithBinding(session, nullptr, binding));
    const OrtValue* const given = input;
    must(api->Run(session, nullptr, &input_name, &given, 1, &output_name, 1, &output));
  }

  /// Inferences and their seconds.
  std::pair<long, double> run(double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    long count = 0;
    do {
      step();
      ++count;
    } while (passed() < seconds);
    return {count, passed()};
  }
};

}  // namespace

int main(int count, char** words) {
  if (count < 6 || (api = open(words[1])) == nullptr) {
    std::fputs("usage: bare_onnxruntime LIBRARY MODEL SHAPE SECONDS THREADS [bind] [rest] [cuda] [pinned]\n",
               stderr);
    return 2;
  }
  const auto asked = [&](const char* word) {
    return std::any_of(words + 6, words + count,
                       [&](const char* each) { return std::strcmp(each, word) == 0; });
  };
  const auto shape = shape_of(words[3]);
  const double seconds = std::atof(words[4]);

  OrtEnv* env = nullptr;
  must(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "bare", &env));
  OrtSessionOptions* options = nullptr;
  must(api->CreateSessionOptions(&options));
  must(api->SetIntraOpNumThreads(options, std::atoi(words[5])));
  must(api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
  for (const char* batch : {"N", "n"}) must(api->AddFreeDimensionOverrideByName(options, batch, shape[0]));
  if (asked("rest")) must(api->AddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0"));
  if (asked("cuda")) use_cuda(options);
  Loop loop;
  must(api->CreateSession(env, words[2], options, &loop.session));

  OrtAllocator* allocator = nullptr;
  must(api->GetAllocatorWithDefaultOptions(&allocator));
  must(api->SessionGetInputName(loop.session, 0, allocator, &loop.input_name));
  must(api->SessionGetOutputName(loop.session, 0, allocator, &loop.output_name));
  OrtMemoryInfo* memory = nullptr;
  must(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  size_t elements = 1;
  for (const auto size : shape) elements *= static_cast<size_t>(size);
  auto numbers = values(elements);
  float* const data = asked("pinned") ? pinned(loop.session, numbers) : numbers.data();
  must(api->CreateTensorWithDataAsOrtValue(memory, data, elements * sizeof(float), shape.data(), shape.size(),
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &loop.input));
  loop.step();  // makes the output, which the loop writes into
  if (asked("bind")) {
    must(api->CreateIoBinding(loop.session, &loop.binding));
    must(api->BindInput(loop.binding, loop.input_name, loop.input));
    must(api->BindOutput(loop.binding, loop.output_name, loop.output));
  }
  loop.run(seconds / 5);
  const auto cpu = std::clock();
  const auto [inferences, took_s] = loop.run(seconds);
  const auto images = static_cast<double>(inferences * shape[0]);
  std::printf("{\"inferences\":%ld,\"wall_s\":%.6f,\"images_per_s\":%.3f,\"cpu_ms_per_image\":%.6f}\n",
              inferences, took_s, images / took_s,
              1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / images);
  std::fflush(stdout);
  std::_Exit(0);
}
