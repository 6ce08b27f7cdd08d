// Control groups: of the process, and of a container from outside of it.
#include "host/sampled_test.hpp"

namespace neph::host {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Sampled, ContainerUnderV2IsWatchedWhereItsLimitIs) {
  tree_.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree_.write("proc/100/cgroup", "0::/job/step\n");
  tree_.write("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  tree_.write("sys/fs/cgroup/job/cpu.max", "200000 100000\n");
  const auto stat_text = [](int usage, int periods, int throttled) {
    return fmt::format("usage_usec {}\nuser_usec 1\nnr_periods 10\nnr_throttled {}\nthrottled_usec {}\n",
                       usage, periods, throttled);
  };
  tree_.write("sys/fs/cgroup/job/cpu.stat", stat_text(1000000, 5, 200000));
  tree_.write("sys/fs/cgroup/job/step/cpu.stat", stat_text(7, 0, 0));
  tree_.write("sys/fs/cgroup/job/step/memory.current", "5000\n");
  tree_.write("sys/fs/cgroup/job/step/memory.peak", "9000\n");
  tree_.write("sys/fs/cgroup/job/step/memory.events", "low 0\nhigh 0\nmax 4\noom 0\noom_kill 0\n");
  start();
  tree_.write("sys/fs/cgroup/job/cpu.stat", stat_text(2500000, 9, 700000));
  tree_.write("sys/fs/cgroup/job/step/memory.events", "low 0\nhigh 0\nmax 6\noom 0\noom_kill 0\n");
  step(1000);
  finish();
  EXPECT_THAT(values("container.cpu"), ElementsAre(DoubleNear(1.5, 1e-9)));
  EXPECT_THAT(values("container.cpu_throttled"), ElementsAre(DoubleNear(0.5, 1e-9)));
  EXPECT_THAT(values("container.throttled_periods"), ElementsAre(4));
  EXPECT_THAT(values("container.memory_current"), ElementsAre(5000, 5000));
  EXPECT_THAT(values("container.memory_peak"), ElementsAre(9000, 9000));
  EXPECT_THAT(values("container.memory_limit_hits"), ElementsAre(2));
}

TEST_F(Sampled, OfAContainerFromOutsideItsOwnGroupAloneIsRead) {
  tree_.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree_.write("proc/100/cgroup", "0::/machine/docker-1f\n");
  tree_.write("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  tree_.write("sys/fs/cgroup/machine/cpu.max", "200000 100000\n");
  tree_.write("sys/fs/cgroup/machine/memory.max", "1000000\n");
  const std::string own = "sys/fs/cgroup/machine/docker-1f/";
  const auto use = [&](int usec) {
    tree_.write(own + "cpu.stat", fmt::format("usage_usec {}\nnr_throttled 0\nthrottled_usec 0\n", usec));
  };
  use(100000);
  tree_.write("sys/fs/cgroup/machine/cpu.stat", "usage_usec 900\nnr_throttled 9\nthrottled_usec 9\n");
  tree_.write(own + "memory.current", "5000\n");
  tree_.write("sys/fs/cgroup/machine/memory.current", "70000\n");
  sampler_.emplace(TelemetryOptions{.pid = 100,
                                    .process = "host",
                                    .machine = false,
                                    .control_group_alone = true,
                                    .root = tree_.root(),
                                    .cost_limit = 0},
                   clock_, clock_.now());
  sampler_->step(true);
  use(850000);
  step(1000);
  finish();
  EXPECT_THAT(values("host_container.cpu"), ElementsAre(DoubleNear(0.75, 1e-9)));
  EXPECT_THAT(values("host_container.memory_current"), ElementsAre(5000, 5000));
  for (const auto& [name, one] : series_) EXPECT_EQ(one.target, target::host_container) << name;
}

TEST_F(Sampled, ContainerUnderV1) {
  tree_.write("proc/self/mountinfo",
              "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
              "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  tree_.write("proc/100/cgroup", "2:memory:/d\n1:cpu,cpuacct:/d\n");
  tree_.write("sys/fs/cgroup/cpu,cpuacct/d/cpu.stat",
              "nr_periods 1\nnr_throttled 1\nthrottled_time 1000000000\n");
  tree_.write("sys/fs/cgroup/cpu,cpuacct/d/cpuacct.usage", "1000000000\n");
  tree_.write("sys/fs/cgroup/memory/d/memory.usage_in_bytes", "777\n");
  start();
  tree_.write("sys/fs/cgroup/cpu,cpuacct/d/cpu.stat",
              "nr_periods 9\nnr_throttled 3\nthrottled_time 1250000000\n");
  tree_.write("sys/fs/cgroup/cpu,cpuacct/d/cpuacct.usage", "3000000000\n");
  step(1000);
  finish();
  EXPECT_THAT(values("container.cpu"), ElementsAre(DoubleNear(2.0, 1e-9)));
  EXPECT_THAT(values("container.cpu_throttled"), ElementsAre(DoubleNear(0.25, 1e-9)));
  EXPECT_THAT(values("container.memory_current"), ElementsAre(777, 777));
  EXPECT_THAT(series("container.memory_peak").unavailable, HasSubstr("does not tell"));
}

}  // namespace
}  // namespace neph::host
