#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.hpp"
#include "stats/stats.hpp"

namespace neph::stats {
namespace {

/// Log-normal, around 5 ms.
std::vector<double> times_ns(std::size_t n) {
  Random random(1);
  std::vector<double> samples(n);
  for (double& sample : samples) sample = 5e6 * std::exp(0.2 * random.normal());
  return samples;
}

void quantile_of_samples(benchmark::State& state) {
  const auto samples = times_ns(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(quantile_estimate(samples, 0.99));
}
BENCHMARK(quantile_of_samples)->Arg(1000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void quantile_of_repeats(benchmark::State& state) {
  const std::vector<std::vector<double>> groups(5, times_ns(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(quantile_over_groups(groups, 0.99));
}
BENCHMARK(quantile_of_repeats)->Arg(200)->Arg(20000)->Unit(benchmark::kMillisecond);

void trend(benchmark::State& state) {
  const auto samples = times_ns(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(trend_of(samples));
}
BENCHMARK(trend)->Arg(500)->Arg(100000)->Unit(benchmark::kMillisecond);

void warmup_batch(benchmark::State& state) {
  const auto samples = times_ns(4096);
  Warmup warmup;
  std::size_t i = 0;
  for (auto _ : state) {
    warmup.add(samples[i++ % samples.size()]);
    benchmark::DoNotOptimize(warmup.flat());
  }
}
BENCHMARK(warmup_batch);

}  // namespace
}  // namespace neph::stats
