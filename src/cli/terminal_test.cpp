#include "cli/terminal.hpp"

#include <gtest/gtest.h>

namespace neph::cli {
namespace {

TEST(Terminal, NoTextSteersIt) {
  EXPECT_EQ(printable_lines("one\n\x1b]0;two\a\n"), "one\n\uFFFD]0;two\uFFFD\n");
  EXPECT_EQ(printable_lines("\r\u009b1m \u202e\u2066 \xff µ"), "\\r\uFFFD1m \uFFFD\uFFFD \uFFFD µ");
  EXPECT_EQ(printable_lines(""), "");
  testing::internal::CaptureStderr();
  talk("{}\n", "\x1b[31mred");
  ProgressLine().say("worker: \x1b[2J");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\uFFFD[31mred\nworker: \uFFFD[2J\n");
  testing::internal::CaptureStdout();
  print_lines("{}\n", "\x7f");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "\uFFFD\n");
}

}  // namespace
}  // namespace neph::cli
