#include "os/memory.hpp"

#include <fstream>

#include <gmock/gmock.h>

namespace neph {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(Memory, IsTheLeastOfTheMachinesAndTheGroups) {
  const std::filesystem::path top = testing::TempDir() + "neph_memory_test";
  std::filesystem::remove_all(top);
  EXPECT_FALSE(available_memory(top));
  write(top / "proc/meminfo", "MemTotal: 100 kB\nMemAvailable:     50 kB\n");
  EXPECT_EQ(available_memory(top), 51200U);
  write(top / "proc/self/cgroup", "0::/a/b\n");
  write(top / "proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write(top / "sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  write(top / "sys/fs/cgroup/a/b/memory.max", "max\n");
  write(top / "sys/fs/cgroup/a/b/memory.current", "9\n");
  EXPECT_EQ(available_memory(top), 51200U);
  write(top / "sys/fs/cgroup/a/memory.max", "4000\n");
  write(top / "sys/fs/cgroup/a/memory.current", "3000\n");
  EXPECT_EQ(available_memory(top), 1000U);
  write(top / "sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 500\n");
  EXPECT_EQ(available_memory(top), 1500U);
  std::filesystem::remove_all(top);
  EXPECT_TRUE(enough_memory(1, "a set"));
  EXPECT_THAT(enough_memory(std::uint64_t{1} << 60, "a set").error().message,
              testing::StartsWith("a set takes "));
}

}  // namespace
}  // namespace neph
