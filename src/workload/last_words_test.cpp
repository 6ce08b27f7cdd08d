#include "workload/last_words.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace neph::workload {
namespace {

Process said_by(const std::string& script) { return std::move(*Process::start({"sh", "-c", script})); }

TEST(LastWords, AreTheLastLineThatMeansSomething) {
  auto process =
      said_by("echo one >&2; echo two >&2; echo >&2; echo \"Run 'docker run --help' for more\" >&2");
  EXPECT_EQ(LastWords(std::move(process.errors)).line(), "two");
  auto silent = said_by("true");
  EXPECT_EQ(LastWords(std::move(silent.errors)).line(), "");
}

TEST(LastWords, AProcessWithMuchToSayIsNotHeldUp) {
  auto process = said_by("head -c 10000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo done >&2");
  LastWords words(std::move(process.errors));
  pollfd ended{process.ended_descriptor(), POLLIN, 0};
  EXPECT_GT(::poll(&ended, 1, 20'000), 0) << "it waits for a reader";
  EXPECT_EQ(words.line(), "done");
}

}  // namespace
}  // namespace neph::workload
