#include "core/percentile.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(Percentile, IsReadFromItsName) {
  EXPECT_DOUBLE_EQ(percentile_of("p50").value(), 0.5);
  EXPECT_DOUBLE_EQ(percentile_of("p999").value(), 0.999);
  EXPECT_DOUBLE_EQ(percentile_of("response_p95_ms").value(), 0.95);
  EXPECT_DOUBLE_EQ(percentile_of("issue_delay_p99_ms").value(), 0.99);
}

TEST(Percentile, IsNoOtherName) {
  for (const auto* name : {"", "p", "_", "images_per_s", "response_mean_ms", "p9x", "phase_warmup_s", "pp99"})
    EXPECT_FALSE(percentile_of(name)) << name;
}

}  // namespace
}  // namespace neph
