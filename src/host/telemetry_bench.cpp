// What telemetry costs: CPU time of its thread as a share of one core, in a process of twenty threads of
// which two work. The goal is 0.3 % at 10 Hz.
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "host/fingerprint.hpp"
#include "host/sampler.hpp"
#include "host/telemetry.hpp"
#include "os/thread.hpp"

namespace neph::host {
namespace {

using std::chrono::milliseconds;

std::vector<std::jthread> twenty_threads() {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 20; ++i)
    threads.push_back(*start_thread(
        i % 2 == 0 ? "loader-0" : "engine-0",
        [i](const std::stop_token& stop) {
          while (!stop.stop_requested())
            if (i >= 2) std::this_thread::sleep_for(milliseconds(5));
        },
        end_process));
  return threads;
}

void telemetry_at(benchmark::State& state) {
  const auto threads = twenty_threads();
  const SteadyClock clock;
  double cpu_s = 0;
  double wall_s = 0;
  for (auto _ : state) {
    const auto begin = clock.now();
    auto telemetry = *Telemetry::start({.rate_hz = static_cast<double>(state.range(0))}, clock, begin);
    std::this_thread::sleep_for(milliseconds(3000));
    benchmark::DoNotOptimize(telemetry->stop());
    cpu_s += telemetry->cost_cpu_s();
    wall_s += seconds(clock.now() - begin);
  }
  state.counters["percent_of_one_core"] = 100 * cpu_s / wall_s;
}
BENCHMARK(telemetry_at)->Arg(10)->Arg(50)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

void start_of_telemetry(benchmark::State& state) {
  const SteadyClock clock;
  for (auto _ : state) {
    auto telemetry = *Telemetry::start({}, clock, clock.now());
    state.PauseTiming();
    telemetry.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(start_of_telemetry)->Iterations(200)->Unit(benchmark::kMicrosecond);

void one_step(benchmark::State& state) {
  const auto threads = twenty_threads();
  const SteadyClock clock;
  Sampler sampler({.pid = ::getpid(), .cost_limit = 0}, clock, clock.now());
  for (auto _ : state) sampler.step(state.range(0) != 0);
}
BENCHMARK(one_step)->ArgName("all")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void fingerprint(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(take_fingerprint());
}
BENCHMARK(fingerprint)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace neph::host
