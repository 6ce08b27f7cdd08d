// Texts that tests hold to files of tests/golden/report.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "os/file.hpp"

namespace neph::report {

/// Compares with tests/golden/report/NAME; NEPH_UPDATE_GOLDEN=1 writes the file instead.
inline void expect_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path("tests/golden/report") / name;
  if (std::getenv("NEPH_UPDATE_GOLDEN")) {
    ASSERT_TRUE(write_file(path, text));
  }
  const auto golden = read_file(path);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(text, *golden) << "if this is meant: NEPH_UPDATE_GOLDEN=1 report_test";
}

}  // namespace neph::report
