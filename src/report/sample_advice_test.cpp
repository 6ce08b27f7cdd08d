#include "report/sample_advice_test.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "os/file.hpp"

namespace neph::report {

/// For tests/e2e, as the pages of sample_document_test.cpp are.
TEST(SampleAdvice, IsWrittenForTheBrowser) {
  const auto* build = std::getenv("NEPH_BUILD");
  if (!build) GTEST_SKIP() << "NEPH_BUILD is not set";
  ASSERT_TRUE(write_file(std::filesystem::path(build) / "report-sample-advice.html", html(sample_advice())));
}

}  // namespace neph::report
