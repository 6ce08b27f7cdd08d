#include "host/roof.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "core/clock.hpp"
#include "host/fingerprint.hpp"
#include "os/thread.hpp"

namespace neph::host {
namespace {

constexpr double measured_s = 0.2;

/// The best of many short parts, as what disturbs a part only makes it slower.
Result<double> peak_flop_per_s(std::int64_t threads) {
  constexpr std::size_t parts = 100;
  const auto loop = fastest_multiply_add();
  std::vector<std::vector<double>> rates(static_cast<std::size_t>(threads), std::vector<double>(parts));
  std::barrier together(threads);
  std::atomic<float> result = 0;
  NEPH_CHECK(on_threads("roof", threads, [&](std::int64_t number) {
    const auto thread = static_cast<std::size_t>(number);
    const SteadyClock clock;
    constexpr std::int64_t rounds = 20'000;  // some 50 microseconds, so that the clock costs nothing
    for (std::size_t part = 0; part < parts; ++part) {
      together.arrive_and_wait();
      const auto begin = clock.now();
      double done = 0, taken = 0;
      for (; taken < measured_s / parts; taken = seconds(clock.now() - begin)) {
        result = loop.run(rounds);
        done += static_cast<double>(rounds) * loop.flop_per_round;
      }
      rates[thread][part] = done / taken;
    }
  }));
  double best = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    double sum = 0;
    for (const auto& of_thread : rates) sum += of_thread[part];
    best = std::max(best, sum);
  }
  return best;
}

std::int64_t triad_elements() {
  const auto machine = take_fingerprint({.nvml_library = ""});
  std::int64_t cache = 8 << 20;
  for (const auto& each : machine.processor.caches) cache = std::max(cache, each.bytes.value_or(0));
  const auto free =
      std::min(machine.memory.available_bytes.value_or(std::int64_t{4} << 30),
               machine.container.memory_limit_bytes.value_or(std::numeric_limits<std::int64_t>::max()));
  constexpr std::int64_t most = 512 << 20, share = 24;
  return std::min({4 * cache, most, free / share}) / static_cast<std::int64_t>(sizeof(double));
}

using Array = std::unique_ptr<double[]>;  // NOLINT: a vector would touch its memory on one thread

Result<double> triad_bytes_per_s(std::int64_t threads, std::int64_t elements) {
  const auto count = static_cast<std::size_t>(elements);
  const Array a(new double[count]), b(new double[count]), c(new double[count]);
  std::barrier together(threads);
  constexpr std::size_t blocks = 8, fewest_passes = 5;
  std::array<double, blocks> best_s;
  best_s.fill(std::numeric_limits<double>::infinity());
  bool goes_on = true;
  NEPH_CHECK(on_threads("roof", threads, [&](std::int64_t number) {
    const auto thread = static_cast<std::size_t>(number);
    const auto parts = blocks * static_cast<std::size_t>(threads);
    const auto begin_of = [&](std::size_t block, std::size_t part) {
      return count * (block * static_cast<std::size_t>(threads) + part) / parts;
    };
    // Memory lies with the node whose thread touches it first.
    for (std::size_t block = 0; block < blocks; ++block)
      for (auto i = begin_of(block, thread); i < begin_of(block, thread + 1); ++i) a[i] = 0, b[i] = c[i] = 1;
    const SteadyClock clock;
    together.arrive_and_wait();
    const auto start = clock.now();
    for (std::size_t pass = 1; goes_on; ++pass) {
      for (std::size_t block = 0; block < blocks; ++block) {
        together.arrive_and_wait();
        const auto begin = clock.now();
        const auto last = begin_of(block, thread + 1);
        for (auto i = begin_of(block, thread); i < last; ++i) a[i] = b[i] + 3.0 * c[i];
        together.arrive_and_wait();
        if (thread == 0) best_s[block] = std::min(best_s[block], seconds(clock.now() - begin));
      }
      if (thread == 0) goes_on = pass < fewest_passes || seconds(clock.now() - start) < measured_s;
      together.arrive_and_wait();
    }
  }));
  const double pass_s = std::accumulate(best_s.begin(), best_s.end(), 0.0);
  return 3.0 * sizeof(double) * static_cast<double>(count) / pass_s;
}

// Chains of sums that do not wait for one another: a multiply-add takes 4 to 5 cycles, and a core begins two
// in each, so that ten keep it busy. All fit the registers.
constexpr int chains = 12;
// The sums stay near 1, far from denormals and infinity, which would be slower.
constexpr float factor = 0.999F, summand = 0.001F;

#if defined(__x86_64__)

__attribute__((target("avx512f"))) float by_avx512(std::int64_t rounds) {
  __m512 sums[chains];
  for (auto& sum : sums) sum = _mm512_set1_ps(1);
  const auto f = _mm512_set1_ps(factor), s = _mm512_set1_ps(summand);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sums[i] = _mm512_fmadd_ps(sums[i], f, s);
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  return _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) float by_avx2(std::int64_t rounds) {
  __m256 sums[chains];
  for (auto& sum : sums) sum = _mm256_set1_ps(1);
  const auto f = _mm256_set1_ps(factor), s = _mm256_set1_ps(summand);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sums[i] = _mm256_fmadd_ps(sums[i], f, s);
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  return _mm256_cvtss_f32(sums[0]);
}

/// Without fused ones a multiplication and an addition are two instructions.
float by_sse(std::int64_t rounds) {
  __m128 sums[chains];
  for (auto& sum : sums) sum = _mm_set1_ps(1);
  const auto f = _mm_set1_ps(factor), s = _mm_set1_ps(summand);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sums[i] = _mm_add_ps(_mm_mul_ps(sums[i], f), s);
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm_add_ps(sums[0], sums[i]);
  return _mm_cvtss_f32(sums[0]);
}

#elif defined(__aarch64__)

float by_neon(std::int64_t rounds) {
  float32x4_t sums[chains];
  for (auto& sum : sums) sum = vdupq_n_f32(1);
  const auto f = vdupq_n_f32(factor), s = vdupq_n_f32(summand);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sums[i] = vfmaq_f32(s, sums[i], f);
  }
  for (int i = 1; i < chains; ++i) sums[0] = vaddq_f32(sums[0], sums[i]);
  return vgetq_lane_f32(sums[0], 0);
}

#else

float by_scalars(std::int64_t rounds) {
  float sums[chains];
  for (auto& sum : sums) sum = 1;
  for (std::int64_t round = 0; round < rounds; ++round)
    for (auto& sum : sums) sum = sum * factor + summand;
  float all = 0;
  for (const auto sum : sums) all += sum;
  return all;
}

#endif

/// Of vectors of so many floats.
MultiplyAdd of(std::string_view instructions, int width, float (*run)(std::int64_t)) {
  return {instructions, 2.0 * width * chains, run};
}

}  // namespace

Result<Roof> measure_roof(std::int64_t threads) {
  threads = std::max<std::int64_t>(1, threads);
  const auto elements = triad_elements();
  NEPH_TRY(const auto flop_per_s, peak_flop_per_s(threads));
  NEPH_TRY(const auto bytes_per_s, triad_bytes_per_s(threads, elements));
  return Roof{.threads = threads,
              .flop_per_s = flop_per_s,
              .instructions = std::string(fastest_multiply_add().instructions),
              .bytes_per_s = bytes_per_s,
              .array_bytes = elements * static_cast<std::int64_t>(sizeof(double))};
}

MultiplyAdd fastest_multiply_add() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return of("AVX-512", 16, by_avx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return of("AVX2", 8, by_avx2);
  return of("SSE", 4, by_sse);
#elif defined(__aarch64__)
  return of("NEON", 4, by_neon);
#else
  return of("scalar", 1, by_scalars);
#endif
}

}  // namespace neph::host
