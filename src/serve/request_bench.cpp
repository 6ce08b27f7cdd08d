// What a request costs inside the server, without a transport: admission, queue, batch, a model that only
// copies 64 bytes, reply, statistics. Processor time.
#include <filesystem>
#include <fstream>

#include <benchmark/benchmark.h>

#include "serve/service.hpp"

namespace neph::serve {
namespace {

class Question final : public wire::Exchange {
 public:
  Question() {
    request.model = "m";
    request.inputs = {{.name = "x", .shape = {1, 16}, .data = std::as_bytes(std::span(values_))}};
  }
  void finish(Status status) override { answered = status.has_value(); }
  bool answered = false;

 private:
  const std::array<float, 16> values_{};
};

class Served {
 public:
  explicit Served(const ModelOptions& options)
      : models_(options, regions_, clock_), service(models_, regions_, "0") {
    const auto file =
        std::filesystem::temp_directory_path() / fmt::format("neph-serve-bench-{}.identity", ::getpid());
    std::ofstream(file) << "[[inputs]]\nname = \"x\"\nshape = [-1, 16]\n[[outputs]]\nname = \"y\"\n";
    loaded = models_.find(file, "m").and_then([&] { return models_.load_all(); });
    std::filesystem::remove(file);
  }
  SteadyClock clock_;

 private:
  Regions regions_{false, 1 << 20};
  Models models_;

 public:
  InferenceService service;
  Status loaded;
};

void request_of_64_bytes(benchmark::State& state) {
  static Served* served = nullptr;
  if (state.thread_index() == 0) served = new Served({.instances = 8, .max_batch = 8});
  Question question;
  for (auto _ : state) {
    if (!served->loaded) return state.SkipWithError(served->loaded.error().message.c_str());
    question.reply.clear();
    question.received = served->clock_.now();
    served->service.infer(question);
    benchmark::DoNotOptimize(question.answered);
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) delete std::exchange(served, nullptr);
}
BENCHMARK(request_of_64_bytes)->Threads(1)->Threads(2);

}  // namespace
}  // namespace neph::serve
