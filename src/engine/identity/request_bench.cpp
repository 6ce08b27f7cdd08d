// What the engine adds to the time it was told: the copy alone, a start through a stream, and how late a
// sleep ends.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/identity/model.hpp"

namespace neph::engine {
namespace {

struct Running {
  SteadyClock clock;
  std::unique_ptr<Model> model;
  std::unique_ptr<Session> session;
  std::unique_ptr<Request> request;
  std::vector<char> input, output;

  Running(double service_ms, std::int64_t floats) : input(floats * 4), output(floats * 4) {
    const auto path =
        std::filesystem::temp_directory_path() / fmt::format("neph-bench-{}.identity", ::getpid());
    std::ofstream(path) << fmt::format(
        "service_ms = {}\n[[inputs]]\nname = \"x\"\nshape = [-1, {}]\n[[outputs]]\nname = \"y\"\n",
        service_ms, floats);
    model = IdentityModel::load(path, clock).value();
    std::filesystem::remove(path);
    session = model->compile({}).value();
    request = session->make_request().value();
    if (!request->bind_input(0, input.data(), input.size()) ||
        !request->bind_output(0, output.data(), output.size()))
      std::abort();
  }
};

void BM_Infer(benchmark::State& state) {
  Running running(0, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(running.request->infer());
}
BENCHMARK(BM_Infer)->Arg(16)->Arg(150'528);

void BM_Start(benchmark::State& state) {
  Running running(0, 16);
  for (auto _ : state) {
    std::atomic<bool> done = false;
    benchmark::DoNotOptimize(running.request->start([&](Status) {
      done = true;
      done.notify_one();
    }));
    done.wait(false);
  }
}
BENCHMARK(BM_Start)->UseRealTime();

void BM_Late(benchmark::State& state) {
  Running running(static_cast<double>(state.range(0)) * 1e-3, 16);
  double late_us = 0, most_us = 0;
  for (auto _ : state) {
    const auto begin = running.clock.now();
    benchmark::DoNotOptimize(running.request->infer());
    const double us = seconds(running.clock.now() - begin) * 1e6 - static_cast<double>(state.range(0));
    late_us += us;
    most_us = std::max(most_us, us);
  }
  state.counters["late_us"] = late_us / static_cast<double>(state.iterations());
  state.counters["most_late_us"] = most_us;
}
BENCHMARK(BM_Late)->Arg(100)->Arg(1'000)->Arg(10'000)->UseRealTime();

}  // namespace
}  // namespace neph::engine
