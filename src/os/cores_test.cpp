#include "os/cores.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "os/recorded_tree.hpp"

namespace neph {
namespace {

void write_v2(const RecordedTree& tree) {
  tree.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.write("proc/self/cgroup", "0::/jobs/a\n");
  tree.write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory\n");
}

TEST(Cores, AreTheAllowedOnesWithoutAQuota) {
  const RecordedTree tree;
  EXPECT_EQ(usable_cores(64, tree.root()), 64) << "no control groups";
  write_v2(tree);
  tree.write("sys/fs/cgroup/jobs/a/cpu.max", "max 100000\n");
  EXPECT_EQ(usable_cores(64, tree.root()), 64);
  EXPECT_EQ(usable_cores(0, tree.root()), 1) << "the kernel does not tell";
}

TEST(Cores, AQuotaAnywhereOnTheWayUpLimitsThem) {
  const RecordedTree tree;
  write_v2(tree);
  tree.write("sys/fs/cgroup/jobs/a/cpu.max", "800000 100000\n");
  EXPECT_EQ(usable_cores(64, tree.root()), 8);
  tree.write("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  EXPECT_EQ(usable_cores(64, tree.root()), 2) << "rounded up";
  tree.write("sys/fs/cgroup/cpu.max", "5000 100000\n");
  EXPECT_EQ(usable_cores(64, tree.root()), 1);
}

/// systemd delegates "memory pids" to user services: what limits processors lies above.
TEST(Cores, AQuotaAboveAGroupWithoutThatControllerLimitsThem) {
  const RecordedTree tree;
  write_v2(tree);
  tree.write("sys/fs/cgroup/jobs/a/cgroup.controllers", "memory pids\n");
  tree.write("sys/fs/cgroup/jobs/cpu.max", "200000 100000\n");
  EXPECT_EQ(usable_cores(64, tree.root()), 2);
}

TEST(Cores, AreNeverMoreThanTheAllowedOnes) {
  const RecordedTree tree;
  write_v2(tree);
  tree.write("sys/fs/cgroup/jobs/cpu.max", "1600000 100000\n");
  EXPECT_EQ(usable_cores(3, tree.root()), 3);
}

TEST(Cores, HeedQuotasOfV1) {
  const RecordedTree tree;
  tree.write("proc/self/mountinfo",
             "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  tree.write("proc/self/cgroup", "2:cpu,cpuacct:/jobs/a\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/jobs/a/cpu.cfs_quota_us", "-1\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/jobs/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_cores(64, tree.root()), 64);
  tree.write("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "250000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_cores(64, tree.root()), 3);
}

TEST(Cores, AreThoseThatTheThreadIsBoundTo) {
  const auto all = allowed_cores();
  ASSERT_FALSE(all.empty());
  std::thread([&] {
    ASSERT_TRUE(bind_this_thread(std::span(all).last(1)));
    EXPECT_EQ(allowed_cores(), std::vector{all.back()});
    EXPECT_EQ(usable_cores(), 1);
  }).join();
  EXPECT_EQ(allowed_cores(), all) << "of that thread only";
  EXPECT_FALSE(bind_this_thread({})) << "no core at all";
}

}  // namespace
}  // namespace neph
