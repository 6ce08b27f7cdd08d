// The published conclusion from the published ratios alone: for a small network 8 to 12 cores, for a large
// one the GPU. A GPU is 2 to 4 times as fast as 12 cores on the small set, and its machine as many times as
// dear; on large ones a training on it costs up to half less.
//
// What the ratios leave open: how a machine's price grows with its cores, and how a training's time shrinks
// with them. Prices are of the kind that Yandex Cloud published in 2021 (0.008996 USD an hour for a vCPU,
// 0.003129 for a GB of memory; 32 GB); times follow Amdahl's law, whose parallel share is swept.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "advise/advise.hpp"
#include "advise/market_test.hpp"

namespace neph::advise {
namespace {

const std::vector<int> core_counts{1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32};
constexpr double small_s = 20 * 60, large_s = 10 * 3600;  ///< on 12 cores

price::Exact price_of(int cores) {
  return price::parse_decimal("0.008996", "").value() * cores +
         price::parse_decimal("0.003129", "").value() * 32;
}

std::vector<price::Offer> market(int times_as_dear) {
  std::vector<price::Offer> offers;
  for (const int cores : core_counts) {
    offers.push_back(machine(fmt::format("c{}", cores), cores, "0", "", 0, "yandex"));
    offers.back().per_hour = price_of(cores);
  }
  offers.push_back(machine("gpu", 8, "0", "V100", 1, "yandex"));
  offers.back().per_hour = price_of(12) * times_as_dear;
  return offers;
}

/// Amdahl's law through the time on 12 cores.
double time_on(int cores, double of_12_s, double parallel) {
  const auto relative = [&](int n) { return 1 - parallel + parallel / n; };
  return of_12_s * relative(cores) / relative(12);
}

/// Cores of the cheapest; 0: the GPU.
int choice(double of_12_s, double parallel, int times_as_dear, double times_as_fast) {
  std::vector<Configuration> configurations;
  for (const int cores : core_counts)
    configurations.push_back(takes(fmt::format("{}", cores), cores, time_on(cores, of_12_s, parallel)));
  configurations.push_back(on_gpu("0", "V100", of_12_s / times_as_fast));
  auto request = asked();
  request.assumed = price::usual_assumptions();
  request.simulations = 1000;
  return std::stoi(recommended(advise(configurations, market(times_as_dear), request).value()).configuration);
}

TEST(PublishedConclusion, TakesEightToTwelveCoresForTheSmallNetwork) {
  double first = 2, last = -1;
  for (int percent = 50; percent <= 99; ++percent) {
    const double parallel = percent / 100.;
    bool holds = true;
    for (const int times : {2, 3, 4}) {
      const int cores = choice(small_s, parallel, times, times);
      EXPECT_NE(cores, 0) << "as many times as dear as it is fast, the GPU also boots at that price";
      holds = holds && cores >= 8 && cores <= 12;
    }
    if (holds) first = std::min(first, parallel), last = std::max(last, parallel);
    if (percent % 5 == 0 || percent > 95)
      fmt::print("parallel share {:.2f}: {} cores\n", parallel, choice(small_s, parallel, 3, 3));
  }
  fmt::print(
      "8 to 12 cores are the cheapest from a parallel share of {:.2f} to {:.2f}; below fewer are, above "
      "more\n",
      first, last);
  EXPECT_LE(first, 0.90);
  EXPECT_GE(last, 0.95);
}

TEST(PublishedConclusion, TakesTheGpuForTheLargeNetwork) {
  for (const int dear : {2, 3, 4}) {
    double from = 0;  // the least advantage with which the GPU is always taken
    for (int percent = 50; percent >= 0; --percent) {
      bool is_gpu = true;
      for (const double parallel : {0.90, 0.92, 0.94, 0.95})
        is_gpu = is_gpu && choice(large_s, parallel, dear, dear / (1 - percent / 100.)) == 0;
      if (!is_gpu) break;
      from = percent;
    }
    fmt::print(
        "{} times as dear: the GPU is the cheapest where its training costs at least {} % less than on 12 "
        "cores\n",
        dear, from);
    EXPECT_LE(from, 15);
  }
}

}  // namespace
}  // namespace neph::advise
