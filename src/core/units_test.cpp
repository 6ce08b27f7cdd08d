#include "core/units.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(Units, NumbersKeepTheirSignificantDigits) {
  EXPECT_EQ(format_number(0.012345), "0.0123");
  EXPECT_EQ(format_number(1.005), "1.00");
  EXPECT_EQ(format_number(12.345), "12.3");
  EXPECT_EQ(format_number(12345), "12345");
  EXPECT_EQ(format_number(1.234e15), "1234000000000000");
  EXPECT_EQ(format_number(1.234e16), "1.23e+16");
  EXPECT_EQ(format_number(1e308), "1e+308");
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(-0.5), "-0.500");
}

TEST(Units, QuantitiesForPeople) {
  EXPECT_EQ(format_bytes(640), "640 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(1023.9), "1.00 KiB");
  EXPECT_EQ(format_count(25557032), "25.6 M");
  EXPECT_EQ(format_seconds(0.00456), "4.56 ms");
  EXPECT_EQ(format_seconds(0.99999), "1.00 s");
  EXPECT_EQ(format_seconds(200), "3 min 20 s");
  EXPECT_EQ(format_seconds(7500), "2 h 5 min");
  EXPECT_EQ(format_grouped(25557032), "25,557,032");
  EXPECT_EQ(format_grouped(-1000), "-1,000");
  EXPECT_EQ(format_grouped(999), "999");
  EXPECT_EQ(counted(1, "run"), "1 run");
  EXPECT_EQ(counted(2, "run"), "2 runs");
  EXPECT_EQ(counted(3, "batch"), "3 batches");
  EXPECT_EQ(counted(3, "epoch"), "3 epochs");
}

TEST(Units, QuantitiesCarryTheirUnit) {
  EXPECT_EQ(format_quantity(1.5 * (1 << 30), "bytes"), "1.50 GiB");
  EXPECT_EQ(format_quantity(42.0, "percent"), "42.0 %");
  EXPECT_EQ(format_quantity(2.7e9, "hertz"), "2.70 GHz");
  EXPECT_EQ(format_quantity(50, "hertz"), "50.0 Hz");
  EXPECT_EQ(format_quantity(1.938, "cores"), "1.94");
  EXPECT_EQ(format_quantity(1234567.0, "per_s"), "1.23 M/s");
  EXPECT_EQ(format_percent(0.123), "12.3 %");
}

TEST(Units, NamesEndInTheirUnit) {
  EXPECT_EQ(unit_of_name("total_bytes"), unit::bytes);
  EXPECT_EQ(unit_of_name("bytes"), unit::bytes);
  EXPECT_EQ(unit_of_name("base_hz"), unit::hertz);
  EXPECT_EQ(unit_of_name("spec.timeout_s"), unit::seconds);
  EXPECT_EQ(unit_of_name("--timeout-s"), unit::seconds);
  for (const auto* other : {"rate_per_s", "--rate-per-s", "classes", "kilobytes", ""})
    EXPECT_EQ(unit_of_name(other), "") << other;
}

TEST(Units, EstimatesHaveNoIntervalOfDust) {
  EXPECT_EQ(format_estimate({.value = 123, .low = 122.999999, .high = 123.000001, .n = 3}), "123");
  EXPECT_EQ(format_estimate({.value = -2, .low = -2, .high = -2, .n = 3}), "-2.00");
  EXPECT_EQ(format_estimate({.value = 123, .low = 122.9, .high = 123.1, .n = 3}), "123")
      << "narrower than its digits";
  EXPECT_EQ(format_estimate({.value = 123, .low = 122, .high = 124, .n = 3}), "123 ± 1.0");
}

TEST(Units, EstimatesShowTheirIntervalOrItsAbsence) {
  EXPECT_EQ(format_estimate({.value = 123, .low = 119, .high = 127, .n = 5}), "123 ± 4.0");
  EXPECT_EQ(format_estimate({.value = 123, .low = 118, .high = 131, .n = 5}), "123 (118 to 131)");
  EXPECT_EQ(format_estimate({.value = 123, .n = 2}), "123 (n = 2)");
  EXPECT_EQ(format_estimate({.value = 100, .low = 99.7, .high = 100.3, .n = 5}), "100 ± 0.30");
  for (const double dust : {0.0, 1e-14, 4e-4})
    EXPECT_EQ(format_estimate({.value = 1.5, .low = 1.5 - dust, .high = 1.5 + 2 * dust, .n = 5}), "1.50");
  EXPECT_EQ(format_estimate({}), "-");
}

}  // namespace
}  // namespace neph
