// The inference loop on TensorFlow's C interface and nothing else: one session of a SavedModel, one input and
// one output of f32, one thread that calls TF_SessionRun() again and again. What `infer_rate_bench --engine
// tensorflow` is held against (tensorflow_rows.py).
//
//   bare_tensorflow LIBRARY SAVED_MODEL SHAPE SECONDS THREADS
//
// SHAPE: 1x224x224x3. Prints one JSON object; a fifth of SECONDS is warm-up.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "engine/tensorflow/c_api.hpp"

namespace {

using neph::engine::tensorflow_plugin::Api;

constexpr int f32 = 1;  // TF_FLOAT

bool open(const char* file, Api& api) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool has_all = true;
  const auto find = [&](auto& function, const char* name) {
    void* const found = dlsym(library, name);
    has_all &= found != nullptr;
    std::memcpy(&function, &found, sizeof found);
  };
#define NEPH_FIND(Returns, name, parameters) find(api.name, "TF_" #name);
  NEPH_TF_FUNCTIONS(NEPH_FIND)
#undef NEPH_FIND
  return has_all;
}

std::vector<std::int64_t> shape_of(const char* text) {
  std::vector<std::int64_t> shape;
  for (char* end = nullptr; *text != '\0'; text = *end == 'x' ? end + 1 : end)
    shape.push_back(std::strtoll(text, &end, 10));
  return shape;
}

/// Values as random as those of infer_rate_bench.
std::vector<float> values(std::size_t count) {
  std::vector<float> all(count);
  std::uint32_t state = 2'463'534'242;
  for (auto& value : all) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    value = static_cast<float>(state >> 8) * 0x1p-24F;
  }
  return all;
}

struct Loop {
  const Api& api;
  TF_Status* status;
  TF_Session* session = nullptr;
  TF_Output input{}, output{};
  TF_Tensor* given = nullptr;

  void must(const char* what) const {
    if (api.GetCode(status) == 0) return;
    std::fprintf(stderr, "bare_tensorflow: %s: %s\n", what, api.Message(status));
    std::exit(1);
  }

  void step() const {
    TF_Tensor* answer = nullptr;
    api.SessionRun(session, nullptr, &input, &given, 1, &output, &answer, 1, nullptr, 0, nullptr, status);
    must("TF_SessionRun");
    api.DeleteTensor(answer);
  }

  /// Inferences and their seconds.
  std::pair<long, double> run(double seconds) const {
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
  ::setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);
  ::setenv("TF_OVERRIDE_GLOBAL_THREADPOOL", "1", 0);
  static Api api;
  if (count != 6 || !open(words[1], api)) {
    std::fputs("usage: bare_tensorflow LIBRARY SAVED_MODEL SHAPE SECONDS THREADS\n", stderr);
    return 2;
  }
  const auto shape = shape_of(words[3]);
  const double seconds = std::atof(words[4]);
  const auto threads = static_cast<char>(std::atoi(words[5]));
  // ConfigProto: intra_op_parallelism_threads, inter_op_parallelism_threads, use_per_session_threads
  const char config[] = {2 << 3, threads, 5 << 3, threads, 9 << 3, 1};

  Loop loop{api, api.NewStatus()};
  TF_Graph* const graph = api.NewGraph();
  TF_SessionOptions* const options = api.NewSessionOptions();
  api.SetConfig(options, config, sizeof config, loop.status);
  loop.must("TF_SetConfig");
  const char* const tag = "serve";
  loop.session =
      api.LoadSessionFromSavedModel(options, nullptr, words[2], &tag, 1, graph, nullptr, loop.status);
  loop.must(words[2]);
  // as model.export() of Keras names them
  for (const char* name : {"serving_default_keras_tensor", "serve_keras_tensor"})
    if (loop.input.oper == nullptr) loop.input.oper = api.GraphOperationByName(graph, name);
  for (const char* name : {"StatefulPartitionedCall_1", "StatefulPartitionedCall"})
    if (loop.output.oper == nullptr) loop.output.oper = api.GraphOperationByName(graph, name);
  if (loop.input.oper == nullptr || loop.output.oper == nullptr) {
    std::fputs("bare_tensorflow: the model has not the ends that Keras writes\n", stderr);
    return 1;
  }
  std::size_t elements = 1;
  for (const auto size : shape) elements *= static_cast<std::size_t>(size);
  auto numbers = values(elements);
  loop.given = api.NewTensor(
      f32, shape.data(), static_cast<int>(shape.size()), numbers.data(), elements * sizeof(float),
      [](void*, std::size_t, void*) {}, nullptr);
  loop.run(seconds / 5);
  const auto [inferences, took_s] = loop.run(seconds);
  std::printf("{\"images_per_s\": %.3f, \"inferences\": %ld}\n",
              static_cast<double>(inferences * shape[0]) / took_s, inferences);
}
