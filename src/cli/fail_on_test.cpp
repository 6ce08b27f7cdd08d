#include <gtest/gtest.h>

#include "cli/conduct.hpp"

namespace neph::cli {
namespace {

CellSummary cell(Verdict verdict, std::int64_t ok = 3, std::int64_t failed = 0) {
  return {.runs_ok = ok, .runs_failed = failed, .verdict = verdict};
}

TEST(FailOn, EachLevelIncludesTheGraverOnes) {
  const std::vector doubtful{cell(Verdict::valid), cell(Verdict::doubtful)};
  EXPECT_EQ(failure_of(doubtful, FailOn::warning), "of 2 configurations: 1 with warnings");
  for (const auto level : {FailOn::invalid, FailOn::failed, FailOn::nothing})
    EXPECT_EQ(failure_of(doubtful, level), "");
  const std::vector invalid{cell(Verdict::invalid)};
  for (const auto level : {FailOn::warning, FailOn::invalid})
    EXPECT_EQ(failure_of(invalid, level), "of 1 configuration: 1 invalid");
  EXPECT_EQ(failure_of(invalid, FailOn::failed), "");
  const std::vector failed{cell(Verdict::doubtful, 2, 1), cell(Verdict::invalid, 0, 3)};
  for (const auto level : {FailOn::warning, FailOn::invalid, FailOn::failed})
    EXPECT_EQ(failure_of(failed, level), "of 2 configurations: 2 with failed runs");
  EXPECT_EQ(failure_of(failed, FailOn::nothing), "");
}

TEST(FailOn, CountsACellOnceAsTheGravestThatItIs) {
  const std::vector cells{cell(Verdict::doubtful), cell(Verdict::doubtful, 1, 1), cell(Verdict::invalid),
                          cell(Verdict::valid)};
  EXPECT_EQ(failure_of(cells, FailOn::warning),
            "of 4 configurations: 1 with failed runs, 1 invalid, 1 with warnings");
  EXPECT_EQ(failure_of(cells, FailOn::invalid), "of 4 configurations: 1 with failed runs, 1 invalid");
}

TEST(FailOn, WhatNeverRanHasFailed) {
  EXPECT_EQ(failure_of({cell(Verdict::invalid, 0, 0)}, FailOn::failed),
            "of 1 configuration: 1 with failed runs");
  EXPECT_EQ(failure_of({cell(Verdict::valid)}, FailOn::warning), "");
  EXPECT_EQ(failure_of({}, FailOn::warning), "");
}

}  // namespace
}  // namespace neph::cli
