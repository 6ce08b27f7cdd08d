#include "host/multiply_add.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace neph::host {
namespace {

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
