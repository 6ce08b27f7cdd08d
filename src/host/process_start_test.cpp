#include "host/process_start.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/recorded_tree.hpp"

namespace neph::host {
namespace {

// proc(5): field 2 is the name in brackets, which may hold brackets; field 22 the start in ticks since boot.
TEST(ProcessStart, CountsTicksSinceBootWithoutSleep) {
  const RecordedTree tree;
  tree.write("proc/7/stat", "7 (a ) (b) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 999 1\n");
  const auto start = process_start(7, tree.root(), std::chrono::seconds(100));
  ASSERT_TRUE(start) << start.error().message;
  EXPECT_NEAR(seconds(start->time_since_epoch()), 123.45 - 100, 1e-9);  // 100 ticks a second on Linux
}

TEST(ProcessStart, SaysWhatIsWrong) {
  const RecordedTree tree;
  tree.write("proc/8/stat", "8 (cut");
  EXPECT_EQ(process_start(8, tree.root()).error().code, ErrorCode::corrupt);
  EXPECT_EQ(process_start(9, tree.root()).error().code, ErrorCode::not_found);
}

TEST(ProcessStart, OfAChildLiesBetweenBeforeAndAfter) {
  const SteadyClock clock;
  const auto before = clock.now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto after = clock.now();
  const auto start = process_start(child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(start) << start.error().message;
  EXPECT_GE(seconds(*start - before), -0.0101);  // rounded down to 10 ms
  EXPECT_LE(seconds(*start - after), 0.0);
}

}  // namespace
}  // namespace neph::host
