#include "host/counters.hpp"

#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "os/recorded_tree.hpp"

namespace neph::host {
namespace {

/// A machine whose only process is number 1, in a group of its own.
class RecordedCounters : public testing::Test {
 protected:
  RecordedCounters() {
    tree.write("proc/loadavg", "0.1 0.2 0.3 1/2 100\n");
    tree.write("proc/1/stat",
               "1 (neph serve) S 0 1 1 0 -1 4194560 500 0 3 0 150 50 7 9 20 0 5 0 1000 1000000 2000 "
               "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    tree.write("proc/1/status", "Name:\tneph\nVmSize:\t  4096 kB\nVmHWM:\t  3072 kB\nVmRSS:\t  2048 kB\n");
    tree.write("proc/1/task/1/comm", "neph\n");
    tree.write("proc/1/task/1/schedstat", "2000000000 0 0\n");
    tree.write("proc/1/fd/0", "");
    tree.write("proc/1/fd/1", "");
    tree.write("proc/stat",
               "cpu  100 1 50 1000 20 3 4 5 0 0\ncpu0 100 1 50 1000 20 3 4 5 0 0\nbtime 1700000000\n");
    tree.write("proc/meminfo", "MemTotal:       8 kB\nMemAvailable:    5 kB\n");
  }
  /// The reading of that name, and label value if it has one.
  std::optional<double> read(const std::string& name, const std::string& label = {}) {
    for (const auto& reading : Counters(tree.root(), "libnone.so").read())
      if (reading.name == name &&
          (label.empty() || (!reading.labels.empty() && reading.labels[0].second == label)))
        return reading.value;
    return std::nullopt;
  }
  const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  RecordedTree tree;
};

TEST_F(RecordedCounters, OfTheProcessAreSecondsAndBytes) {
  EXPECT_DOUBLE_EQ(*read("process_cpu_seconds_total"), 200 * tick_s);
  EXPECT_DOUBLE_EQ(*read("process_cpu_user_seconds_total"), 150 * tick_s);
  EXPECT_DOUBLE_EQ(*read("process_cpu_system_seconds_total"), 50 * tick_s);
  EXPECT_EQ(read("process_threads"), 5);
  EXPECT_DOUBLE_EQ(*read("process_start_time_seconds"), 1.7e9 + 1000 * tick_s);
  EXPECT_EQ(read("process_resident_memory_bytes"), 2048 * 1024);
  EXPECT_EQ(read("process_resident_memory_max_bytes"), 3072 * 1024);
  EXPECT_EQ(read("process_virtual_memory_bytes"), 4096 * 1024);
  EXPECT_EQ(read("process_open_fds"), 2);
}

TEST_F(RecordedCounters, OfTheMachineAreByModeAndInBytes) {
  EXPECT_DOUBLE_EQ(*read("node_cpu_seconds_total", "user"), 100 * tick_s);
  EXPECT_DOUBLE_EQ(*read("node_cpu_seconds_total", "idle"), 1000 * tick_s);
  EXPECT_DOUBLE_EQ(*read("node_cpu_seconds_total", "steal"), 5 * tick_s);
  EXPECT_EQ(read("node_memory_MemTotal_bytes"), 8192);
  EXPECT_EQ(read("node_memory_MemAvailable_bytes"), 5120);
}

TEST_F(RecordedCounters, LeaveOutWhatThereIsNot) {
  EXPECT_FALSE(read("container_memory_usage_bytes"));
  EXPECT_FALSE(read("nv_gpu_utilization"));
  tree.write("proc/meminfo", "MemTotal:       8 kB\n");
  EXPECT_FALSE(read("node_memory_MemAvailable_bytes"));
}

TEST_F(RecordedCounters, OfTheContainerAreItsGroups) {
  tree.write("proc/self/cgroup", "0::/box\n");
  tree.write("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
  tree.write("sys/fs/cgroup/box/cgroup.controllers", "memory\n");
  tree.write("sys/fs/cgroup/box/memory.current", "1000\n");
  tree.write("sys/fs/cgroup/box/memory.peak", "3000\n");
  EXPECT_EQ(read("container_memory_usage_bytes"), 1000);
  EXPECT_EQ(read("container_memory_max_usage_bytes"), 3000);
}

TEST(CountersOfThisProcess, GrowWhileItWorks) {
  Counters counters;
  const auto cpu_s = [&] {
    for (const auto& reading : counters.read())
      if (reading.name == "process_cpu_seconds_total") {
        EXPECT_TRUE(reading.grows);
        return reading.value;
      }
    ADD_FAILURE() << "no process_cpu_seconds_total";
    return 0.0;
  };
  const auto before = cpu_s();
  volatile std::uint64_t work = 0;
  while (cpu_s() < before + 0.02)
    for (int i = 0; i < 100'000; ++i) work = work + 1;
}

}  // namespace
}  // namespace neph::host
