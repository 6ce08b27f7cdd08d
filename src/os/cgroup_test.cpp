#include "os/cgroup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/recorded_tree.hpp"

namespace neph {
namespace {

using testing::ElementsAre;

constexpr std::string_view mount_v2 = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(Cgroup, TheTightestLimitOnTheWayUpWins) {
  const RecordedTree tree;
  tree.write("proc/self/mountinfo", mount_v2);
  tree.write("proc/self/cgroup", "0::/jobs/a/b\n");
  tree.write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory\n");
  tree.write("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  tree.write("sys/fs/cgroup/jobs/a/cpu.max", "max 100000\n");
  tree.write("sys/fs/cgroup/jobs/a/b/cpu.max", "400000 100000\n");
  tree.write("sys/fs/cgroup/jobs/memory.max", "8589934592\n");
  tree.write("sys/fs/cgroup/jobs/a/memory.max", "1073741824\n");
  tree.write("sys/fs/cgroup/jobs/a/b/memory.max", "max\n");
  tree.write("sys/fs/cgroup/jobs/cpuset.cpus.effective", "0-7\n");
  tree.write("sys/fs/cgroup/jobs/a/cpuset.cpus.effective", "2-3\n");
  const Records records(tree.root());
  const auto hierarchies = read_hierarchies(records, "self");
  ASSERT_EQ(hierarchies.size(), 1U);
  EXPECT_THAT(hierarchies[0].folders(), ElementsAre("sys/fs/cgroup/jobs/a/b", "sys/fs/cgroup/jobs/a",
                                                    "sys/fs/cgroup/jobs", "sys/fs/cgroup"));
  const auto quota = cpu_quota(records, hierarchies);
  ASSERT_TRUE(quota);
  EXPECT_DOUBLE_EQ(quota->value, 1.5);
  EXPECT_EQ(quota->folder, "sys/fs/cgroup/jobs");
  const auto memory = memory_limit(records, hierarchies);
  ASSERT_TRUE(memory);
  EXPECT_DOUBLE_EQ(memory->value, 1 << 30);
  EXPECT_EQ(memory->folder, "sys/fs/cgroup/jobs/a");
  EXPECT_EQ(cpuset(records, hierarchies), "2-3");
}

TEST(Cgroup, NoLimitIsNoLimit) {
  const RecordedTree tree;
  tree.write("proc/self/mountinfo",
             "34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  tree.write("proc/self/cgroup", "4:memory:/\n1:cpu,cpuacct:/\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const Records records(tree.root());
  const auto hierarchies = read_hierarchies(records, "self");
  EXPECT_EQ(hierarchies.size(), 2U);
  EXPECT_FALSE(cpu_quota(records, hierarchies));
  EXPECT_FALSE(memory_limit(records, hierarchies));
  EXPECT_FALSE(cpuset(records, hierarchies));
}

// Docker with v1 and no namespace of groups: the container sees the host's path, but only its own part is
// mounted.
TEST(Cgroup, TakesTheMountsRootOffTheGroup) {
  const RecordedTree tree;
  tree.write("proc/self/mountinfo",
             "35 31 0:32 /docker/4f2a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  tree.write("proc/self/cgroup", "4:memory:/docker/4f2a/inner\n");
  const auto hierarchies = read_hierarchies(Records(tree.root()), "self");
  ASSERT_EQ(hierarchies.size(), 1U);
  EXPECT_EQ(hierarchies[0].group, "inner");
}

TEST(Cgroup, AGroupOutsideOfTheMountIsSeenAtTheMount) {
  const RecordedTree tree;
  tree.write("proc/self/mountinfo", mount_v2);
  tree.write("proc/self/cgroup", "0::/../../elsewhere\n");
  const auto hierarchies = read_hierarchies(Records(tree.root()), "self");
  ASSERT_EQ(hierarchies.size(), 1U);
  EXPECT_THAT(hierarchies[0].folders(), ElementsAre("sys/fs/cgroup"));
}

TEST(Cgroup, OnHybridMachinesV1BindsTheControllersThatItHas) {
  const RecordedTree tree;
  tree.write("proc/self/mountinfo",
             "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
             "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  tree.write("proc/self/cgroup", "1:cpu:/x\n0::/y\n");
  tree.write("sys/fs/cgroup/unified/cgroup.controllers", "cpu memory\n");
  const auto hierarchies = read_hierarchies(Records(tree.root()), "self");
  ASSERT_NE(find_controller(hierarchies, "cpu"), nullptr);
  EXPECT_FALSE(find_controller(hierarchies, "cpu")->unified);
  ASSERT_NE(find_controller(hierarchies, "memory"), nullptr);
  EXPECT_TRUE(find_controller(hierarchies, "memory")->unified);
  EXPECT_EQ(find_controller(hierarchies, "io"), nullptr);
}

TEST(Cgroup, OfAProcessInAContainerIsWhereThisOneSeesIt) {
  const RecordedTree tree;
  tree.write("proc/self/mountinfo", "36 30 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  tree.write("proc/7/cgroup", "4:memory:/docker/1f\n");
  tree.write("proc/7/mountinfo",
             "105 101 0:32 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  const auto hierarchies = read_hierarchies(Records(tree.root()), "7");
  ASSERT_EQ(hierarchies.size(), 1U);
  EXPECT_EQ(hierarchies[0].folders().front(), "sys/fs/cgroup/memory/docker/1f");
}

}  // namespace
}  // namespace neph
