#include "stats/histogram.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace neph::stats {
namespace {

/// Equally likely in each doubling, so that small and large ones are tried alike.
std::int64_t any_duration(Random& random) {
  return static_cast<std::int64_t>(std::exp2(42 * random.uniform())) - 1;
}

Histogram random_histogram(Random& random, int n) {
  Histogram histogram;
  for (int i = 0; i < n; ++i) histogram.record(any_duration(random));
  return histogram;
}

TEST(Histogram, EveryValueIsKeptToThreeSignificantDigits) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t value = i < 100 ? 2000 + i : any_duration(random);
    Histogram histogram;
    for (const std::int64_t recorded : {std::int64_t{0}, value, Histogram::kLargest_ns})
      histogram.record(recorded);
    const auto buckets = histogram.buckets();
    const auto own = std::find_if(buckets.begin(), buckets.end(),
                                  [&](const HistogramBucket& bucket) { return value < bucket.high_ns; });
    ASSERT_LE(own->low_ns, value);
    ASSERT_LE(static_cast<double>(own->high_ns - 1 - own->low_ns), 0.001 * static_cast<double>(own->low_ns));
    ASSERT_NEAR(histogram.quantile_ns(0.5).value, static_cast<double>(value),
                0.0005 * static_cast<double>(value));
  }
}

TEST(Histogram, BucketsTouchAndCoverTheRange) {
  Histogram histogram;
  for (int bits = 0; bits < 42; ++bits)
    for (std::int64_t step = 0; step < 1024; ++step) {
      const std::int64_t base = std::int64_t{1} << bits;
      histogram.record(base + (base * step >> 10));
    }
  histogram.record(0);
  const auto buckets = histogram.buckets();
  EXPECT_EQ(buckets.front().low_ns, 0);
  EXPECT_EQ(buckets.back().high_ns, Histogram::kLargest_ns + 1);
  for (std::size_t i = 1; i < buckets.size(); ++i) ASSERT_EQ(buckets[i].low_ns, buckets[i - 1].high_ns);
}

TEST(Histogram, MergeIsCommutativeAndAssociativeAndTheSameAsRecordingAll) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed), again(seed);
    const auto a = random_histogram(random, 50), b = random_histogram(random, 500),
               c = random_histogram(random, static_cast<int>(seed % 2));
    auto left = a, right = b, swapped = b;
    left.merge(b);
    swapped.merge(a);
    EXPECT_EQ(left, swapped);
    left.merge(c);
    right.merge(c);
    auto outer = a;
    outer.merge(right);
    EXPECT_EQ(left, outer);
    EXPECT_EQ(left, random_histogram(again, 550 + static_cast<int>(seed % 2)));
    auto same = a;
    same.merge(Histogram());
    EXPECT_EQ(same, a);
  }
}

TEST(Histogram, AgreesWithTheRawSamples) {
  Random random(5);
  Histogram histogram;
  std::vector<double> samples;
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int64_t>(5e6 * std::exp(0.3 * random.normal()));
    histogram.record(value);
    samples.push_back(static_cast<double>(value));
  }
  auto order = samples;
  std::sort(order.begin(), order.end());
  for (const double q : {0.001, 0.01, 0.5, 0.9, 0.99, 0.999}) {
    const double at_rank = order[static_cast<std::size_t>(std::ceil(q * 20000)) - 1];
    const auto raw = quantile_estimate(samples, q), own = histogram.quantile_ns(q);
    EXPECT_NEAR(own.value / at_rank, 1, 0.0005) << q;
    EXPECT_NEAR(*own.low / *raw.low, 1, 0.001) << q;
    EXPECT_NEAR(*own.high / *raw.high, 1, 0.001) << q;
    EXPECT_LE(*own.low, *raw.low);
    EXPECT_GE(*own.high, *raw.high);
    EXPECT_EQ(own.n, 20000);
  }
  const auto raw = mean_estimate(samples), own = histogram.mean_ns();
  EXPECT_NEAR(own.value / raw.value, 1, 1e-12);
  EXPECT_NEAR(*own.low / *raw.low, 1, 1e-6);
  EXPECT_NEAR(*own.high / *raw.high, 1, 1e-6);
  EXPECT_EQ(static_cast<double>(histogram.min_ns()), quantile(samples, 0));
  EXPECT_EQ(static_cast<double>(histogram.max_ns()), quantile(samples, 1));
  EXPECT_NEAR(histogram.quantile_ns(1).value / quantile(samples, 1), 1, 0.0005);
}

TEST(Histogram, SaturatesAndSaysSo) {
  Histogram histogram;
  for (const std::int64_t value : {std::int64_t{-5}, std::int64_t{7}, Histogram::kLargest_ns + 1, INT64_MAX})
    histogram.record(value);
  EXPECT_EQ(histogram.count(), 4);
  EXPECT_EQ(histogram.out_of_range(), 3);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), Histogram::kLargest_ns);
}

TEST(Histogram, HasNoFiguresWithoutSamplesAndNoIntervalWithFew) {
  Histogram histogram;
  EXPECT_TRUE(std::isnan(histogram.mean_ns().value));
  EXPECT_TRUE(std::isnan(histogram.quantile_ns(0.5).value));
  EXPECT_TRUE(histogram.buckets().empty());
  for (int i = 0; i < 298; ++i) histogram.record(1000 + i);
  EXPECT_FALSE(histogram.quantile_ns(0.99).low);
  histogram.record(2000);
  EXPECT_TRUE(histogram.quantile_ns(0.99).low);
}

TEST(Histogram, ChartsInCoarserBuckets) {
  Random random(9);
  const auto histogram = random_histogram(random, 3000);
  for (const int per_doubling : {1, 16, 1024}) {
    const auto buckets = histogram.buckets(per_doubling);
    std::int64_t total = 0;
    for (const auto& bucket : buckets) {
      EXPECT_GT(bucket.count, 0);
      total += bucket.count;
      EXPECT_LT(bucket.low_ns, bucket.high_ns);
      const double width =
          static_cast<double>(bucket.high_ns - bucket.low_ns) / static_cast<double>(bucket.low_ns);
      if (bucket.low_ns < 2048) continue;
      EXPECT_GE(width, 0.5 / per_doubling);
      EXPECT_LE(width, 1.0 / per_doubling);
    }
    EXPECT_EQ(total, 3000);
  }
  EXPECT_GT(histogram.buckets(16).size(), histogram.buckets(1).size());
}

}  // namespace
}  // namespace neph::stats
