#include "host/roof.hpp"

#include <gtest/gtest.h>

namespace neph::host {
namespace {

TEST(Roof, IsThatOfAMachineThatExists) {
  const auto roof = measure_roof(1).value();
  EXPECT_EQ(roof.threads, 1);
  // A core of 1 GHz without vectors, and one of 6 GHz with two AVX-512 units, have a factor to spare.
  EXPECT_GT(roof.flop_per_s, 1e8);
  EXPECT_LT(roof.flop_per_s, 1e12);
  EXPECT_GT(roof.bytes_per_s, 1e7);
  EXPECT_LT(roof.bytes_per_s, 1e12);
  EXPECT_GE(roof.array_bytes, 1 << 20);
}

TEST(Roof, TheLoopsSumsStayOrdinaryNumbers) {
  const auto loop = fastest_multiply_add();
  EXPECT_GE(loop.flop_per_round, 24);
  // sum = 0.999 sum + 0.001 stays where it begins, at 1, in each of its chains.
  EXPECT_NEAR(loop.run(1'000'000), 12, 0.01);
}

}  // namespace
}  // namespace neph::host
