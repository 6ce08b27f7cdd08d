#include "host/telemetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/sampled_test.hpp"
#include "os/no_threads_test.hpp"

namespace neph::host {
namespace {

using std::chrono::milliseconds;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(Sampled, MachineCpuIsInCoresOverTheTrueTime) {
  tree_.write("proc/stat", "cpu  100 10 50 1000 7 3 2 1 0 0\ncpu0 1 1 1 1\nctxt 500\n");
  tree_.write("proc/loadavg", "0.1 0.2 0.3 4/321 999\n");
  start();
  tree_.write("proc/stat", "cpu  130 20 60 1100 12 5 10 21 9 0\ncpu0 1 1 1 1\nctxt 1000\n");
  tree_.write("proc/loadavg", "0.1 0.2 0.3 7/321 999\n");
  step(500);
  finish();
  EXPECT_THAT(values("machine.cpu_user"),
              ElementsAre(DoubleNear(0.8, 1e-9)));  // 30 user + 10 nice ticks in 0.5 s
  EXPECT_THAT(values("machine.cpu_system"), ElementsAre(DoubleNear(0.4, 1e-9)));  // 10 + 2 irq + 8 softirq
  EXPECT_THAT(values("machine.cpu_interrupts"), ElementsAre(DoubleNear(0.2, 1e-9))) << "inside the system's";
  EXPECT_THAT(values("machine.cpu_idle"), ElementsAre(DoubleNear(2.0, 1e-9)));
  EXPECT_THAT(values("machine.cpu_iowait"), ElementsAre(DoubleNear(0.1, 1e-9)));
  EXPECT_THAT(values("machine.cpu_steal"), ElementsAre(DoubleNear(0.4, 1e-9)));
  EXPECT_THAT(values("machine.context_switches"), ElementsAre(1000));
  EXPECT_THAT(values("machine.run_queue"), ElementsAre(4, 7));
  EXPECT_THAT(series("machine.run_queue").at_s, ElementsAre(0, 0.5));
  EXPECT_EQ(series("machine.cpu_user").unit, "cores");
}

TEST_F(Sampled, WhatCannotBeReadHasAReasonAndNoPoint) {
  start();
  step(100);
  finish();
  EXPECT_THAT(series("machine.cpu_user").unavailable, HasSubstr("proc/stat: No such file"));
  EXPECT_THAT(series("machine.pressure_io_full").unavailable, HasSubstr("proc/pressure/io: No such file"));
  EXPECT_THAT(series("machine.cpu_frequency").unavailable, HasSubstr("scaling_cur_freq"));
  EXPECT_THAT(series("gpu.power").unavailable, HasSubstr("not asked for"));
  for (const auto& [name, one] : series_) {
    EXPECT_EQ(one.values.empty(), !one.unavailable.empty()) << name;
    EXPECT_EQ(one.values.size(), one.at_s.size()) << name;
  }
}

TEST_F(Sampled, MemoryPressureDisksAndNetwork) {
  tree_.write("proc/meminfo",
              "MemTotal: 1000 kB\nMemFree: 5 kB\nMemAvailable: 400 kB\nBuffers: 30 kB\nCached: 70 "
              "kB\nSwapCached: 9 kB\nShmem: 20 kB\nSReclaimable: 15 kB\n");
  tree_.write("proc/pressure/memory",
              "some avg10=0.00 avg60=0.04 avg300=0.03 total=1000000\n"
              "full avg10=0.00 avg60=0.03 avg300=0.02 total=500000\n");
  tree_.write("sys/block/vda/device/x", "");
  tree_.write("sys/block/dm-0/x", "");
  const std::string disks =
      " 254 0 vda {2} 9 {0} 11 {3} 23 {1} 10 0 7 2\n 254 1 vda1 1 1 99 1 1 1 99 1 0 1 1\n"
      " 253 0 dm-0 1 1 99 1 1 1 99 1 0 1 1\n";
  const std::string net =
      "Inter-|   Receive |  Transmit\n face |bytes packets errs drop fifo frame compressed multicast|"
      "bytes packets\n    lo: {} 1 0 0 0 0 0 0 {} 1 0 0 0 0 0 0\n  eth0: {} 1 0 0 0 0 0 0 {} 1 0 0 0 0 "
      "0 0\nwlan0:{} 1 0 0 0 0 0 0 {} 1 0 0 0 0 0 0\n";
  tree_.write("proc/diskstats", fmt::format(fmt::runtime(disks), 1000, 2000, 10, 20));
  tree_.write("proc/100/net/dev", fmt::format(fmt::runtime(net), 1, 1, 100, 200, 1000, 2000));
  tree_.write("proc/vmstat", "pswpin 10\npswpout 20\n");
  start();
  tree_.write("proc/pressure/memory",
              "some avg10=0.00 avg60=0.04 avg300=0.03 total=1250000\n"
              "full avg10=0.00 avg60=0.03 avg300=0.02 total=500000\n");
  tree_.write("proc/diskstats", fmt::format(fmt::runtime(disks), 1008, 2016, 13, 25));
  tree_.write("proc/100/net/dev", fmt::format(fmt::runtime(net), 51, 51, 150, 220, 1100, 2002));
  tree_.write("proc/vmstat", "pswpin 11\npswpout 20\n");
  step(1000);
  finish();
  EXPECT_THAT(values("machine.memory_used"), ElementsAre(600 * 1024, 600 * 1024));
  EXPECT_THAT(values("machine.page_cache"), ElementsAre(100 * 1024, 100 * 1024));
  EXPECT_THAT(values("machine.memory_free"), ElementsAre(5 * 1024, 5 * 1024));
  EXPECT_THAT(values("machine.memory_buffers"), ElementsAre(30 * 1024, 30 * 1024));
  EXPECT_THAT(values("machine.memory_cached"), ElementsAre(70 * 1024, 70 * 1024));
  EXPECT_THAT(values("machine.memory_occupied"), ElementsAre(900 * 1024, 900 * 1024))
      << "1000 + 20 shared - 5 free - 30 buffers - 70 cached - 15 reclaimable";
  EXPECT_THAT(values("machine.disk_read_requests"), ElementsAre(3));
  EXPECT_THAT(values("machine.disk_write_requests"), ElementsAre(5));
  EXPECT_THAT(values("machine.pressure_memory_some"), ElementsAre(DoubleNear(25, 1e-9)));
  EXPECT_THAT(values("machine.pressure_memory_full"), ElementsAre(0));
  EXPECT_THAT(values("machine.disk_read"), ElementsAre(8 * 512)) << "whole real disks only";
  EXPECT_THAT(values("machine.disk_write"), ElementsAre(16 * 512));
  EXPECT_THAT(values("machine.network_received"), ElementsAre(150));
  EXPECT_THAT(values("machine.network_sent"), ElementsAre(22));
  EXPECT_THAT(values("machine.loopback_received"), ElementsAre(50));
  EXPECT_THAT(values("machine.swap_in"), ElementsAre(::sysconf(_SC_PAGESIZE)));
}

TEST_F(Sampled, FrequencyAndHeat) {
  for (int cpu = 0; cpu < 2; ++cpu) {
    const auto folder = fmt::format("sys/devices/system/cpu/cpu{}/", cpu);
    tree_.write(folder + "cpufreq/scaling_cur_freq", cpu == 0 ? "2000000\n" : "3000000\n");
    tree_.write(folder + "thermal_throttle/core_throttle_count", "5\n");
  }
  start();
  tree_.write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "8\n");
  step(1000);
  finish();
  EXPECT_THAT(values("machine.cpu_frequency"), ElementsAre(2.5e9, 2.5e9));
  EXPECT_THAT(values("machine.thermal_throttle"), ElementsAre(3));
}

TEST_F(Sampled, RolesSumUpToTheProcess) {
  stat(100, {.user = 100, .system = 20});
  thread(100, "neph", 200);
  thread(101, "loader-0", 500, 10);
  thread(102, "engine", 500);
  start();
  stat(100, {.user = 190, .system = 30});
  thread(100, "neph", 250);
  thread(101, "loader-0", 1200, 160);
  thread(102, "engine", 750);
  step(1000);
  finish();
  EXPECT_THAT(values("loader.cpu"), ElementsAre(DoubleNear(0.7, 1e-9)));
  EXPECT_THAT(values("engine.cpu"), ElementsAre(DoubleNear(0.25, 1e-9)));
  EXPECT_THAT(values("rest.cpu"), ElementsAre(DoubleNear(0.05, 1e-9)));
  EXPECT_THAT(values("process.cpu"), ElementsAre(DoubleNear(1.0, 1e-9)));
  EXPECT_THAT(values("process.cpu_user"), ElementsAre(DoubleNear(0.9, 1e-9)));
  EXPECT_THAT(values("process.cpu_system"), ElementsAre(DoubleNear(0.1, 1e-9)));
  EXPECT_THAT(values("loader.cpu_wait"), ElementsAre(DoubleNear(0.15, 1e-9)));
  EXPECT_THAT(values("loader.threads"), ElementsAre(1, 1));
}

TEST_F(Sampled, AnEndedThreadTakesNothingBack) {
  thread(101, "loader-0", 500);
  start();
  stat(100, {.user = 40});
  thread(101, "loader-0", 900);
  step(1000);
  stat(100, {.user = 70});  // 0.3 s more, which the thread used before it ended
  thread_ends(101);
  step(1000);
  stat(100, {.user = 70});
  step(1000);
  finish();
  EXPECT_THAT(values("loader.cpu"), ElementsAre(DoubleNear(0.4, 1e-9), 0, 0));
  EXPECT_THAT(values("rest.cpu"), ElementsAre(0, DoubleNear(0.3, 1e-9), 0))
      << "what nobody saw belongs to rest";
  EXPECT_THAT(values("process.cpu"), ElementsAre(DoubleNear(0.4, 1e-9), DoubleNear(0.3, 1e-9), 0));
  EXPECT_THAT(values("loader.threads"), ElementsAre(1, 1, 0, 0));
}

TEST_F(Sampled, ANewThreadCountsFromItsBirthAndByItsNewName) {
  start();
  thread(103, "neph", 100);  // still with its maker's name
  step(1000);
  thread(103, "loader-1", 400);
  step(1000);
  finish();
  EXPECT_THAT(values("rest.cpu"), ElementsAre(DoubleNear(0.1, 1e-9), 0));
  EXPECT_THAT(values("loader.cpu"), ElementsAre(0, DoubleNear(0.3, 1e-9)));
}

TEST_F(Sampled, WithoutSchedstatItFallsBackToTicks) {
  std::filesystem::remove(tree_.root() / "proc/100/schedstat");
  const auto task = [&](int user) {
    tree_.write("proc/100/task/100/stat",
                fmt::format("100 (engine) S 1 1 1 0 -1 0 0 0 0 0 {} 0 0 0 20 0 1 0 777 1\n", user));
  };
  tree_.write("proc/100/task/100/comm", "engine\n");
  task(10);
  start();
  task(60);
  stat(100, {.user = 50});
  step(1000);
  finish();
  EXPECT_THAT(values("engine.cpu"), ElementsAre(DoubleNear(0.5, 1e-9)));
  EXPECT_THAT(series("engine.cpu_wait").unavailable, HasSubstr("schedstat"));
}

TEST_F(Sampled, DescendantsCountAndLeaveNothingBehindWhenWaitedFor) {
  tree_.write("proc/100/task/100/children", "200 ");
  stat(200, {.user = 30, .minor = 5});
  thread(200, "neph-child", 300, 0, 200);
  start();
  stat(200, {.user = 80, .minor = 25});
  step(1000);
  tree_.write("proc/200/stat", "");  // ended, and its parent waited for it
  tree_.write("proc/100/task/100/children", "");
  stat(100, {.waited_user = 90, .minor = 30});
  step(1000);
  step(1000);
  finish();
  EXPECT_THAT(values("process.cpu_user"), ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.1, 1e-9), 0));
  EXPECT_THAT(values("process.cpu"), ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.1, 1e-9), 0));
  EXPECT_THAT(values("rest.cpu"), ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.1, 1e-9), 0));
  EXPECT_THAT(values("process.page_faults_minor"), ElementsAre(20, 5, 0));
  EXPECT_THAT(values("process.processes"), ElementsAre(2, 2, 1, 1));
}

TEST_F(Sampled, WhatAnotherHasStartedForItCountsFromThenOn) {
  tree_.write("proc/loadavg", "0.1 0.2 0.3 4/321 999\n");
  stat(300, {.user = 500});
  thread(300, "neph", 5000, 0, 300);
  tree_.write("proc/300/task/300/children", "301 ");
  stat(301, {.user = 10});
  thread(301, "neph-child", 100, 0, 301);
  start();
  sampler_->also(300);
  step(1000);
  stat(300, {.user = 540});
  stat(301, {.user = 30});
  step(1000);
  finish();
  EXPECT_THAT(values("process.processes"), ElementsAre(1, 3, 3));
  EXPECT_THAT(values("process.cpu"), ElementsAre(testing::_, DoubleNear(0.6, 1e-9)));
  EXPECT_THAT(values("rest.cpu"), ElementsAre(testing::_, DoubleNear(0.6, 1e-9)));
}

TEST_F(Sampled, ProcessMemoryDiskAndSwitches) {
  const auto memory = [&](int resident, int peak) {
    tree_.write("proc/100/status",
                fmt::format("Name:\tneph\nVmHWM:\t {} kB\nVmRSS:\t {} kB\n", peak, resident));
  };
  const auto switches = [&](int voluntary, int involuntary) {
    tree_.write("proc/100/task/100/status",
                fmt::format("voluntary_ctxt_switches:\t{}\nnonvoluntary_ctxt_switches:\t{}\n", voluntary,
                            involuntary));
  };
  memory(1000, 2000);
  switches(10, 20);
  tree_.write("proc/100/io", "rchar: 9\nread_bytes: 4096\nwrite_bytes: 0\ncancelled_write_bytes: 0\n");
  start();
  memory(1500, 2500);
  switches(40, 25);
  tree_.write("proc/100/io", "rchar: 9\nread_bytes: 12288\nwrite_bytes: 512\ncancelled_write_bytes: 0\n");
  stat(100, {.minor = 7, .major = 3});
  step(500);
  finish();
  EXPECT_THAT(values("process.memory_resident"), ElementsAre(1000 * 1024, 1500 * 1024));
  EXPECT_THAT(values("process.memory_peak"), ElementsAre(2000 * 1024, 2500 * 1024));
  EXPECT_THAT(values("process.disk_read"), ElementsAre(16384));
  EXPECT_THAT(values("process.disk_write"), ElementsAre(1024));
  EXPECT_THAT(values("process.context_switches_voluntary"), ElementsAre(60));
  EXPECT_THAT(values("process.context_switches_involuntary"), ElementsAre(10));
  EXPECT_THAT(values("process.page_faults_minor"), ElementsAre(14));
  EXPECT_THAT(values("process.page_faults_major"), ElementsAre(6));
}

TEST_F(Sampled, AProcessThatEndsKeepsWhatWasRead) {
  start();
  stat(100, {.user = 50});
  step(1000);
  tree_.write("proc/100/stat", "");
  step(1000);
  finish();
  EXPECT_THAT(values("process.cpu_user"), ElementsAre(DoubleNear(0.5, 1e-9)));
  EXPECT_EQ(series("process.cpu_user").unavailable, "");
}

TEST_F(Sampled, AReadingRightAfterAnotherJoinsItsInterval) {
  const auto user = [&](int ticks) {
    tree_.write("proc/stat", fmt::format("cpu  {} 0 0 0 0 0 0 0\n", ticks));
  };
  user(0);
  start();
  user(10);
  step(100);
  user(11);
  step(2);  // a tick in 2 ms would be 5 cores
  finish();
  EXPECT_THAT(values("machine.cpu_user"), ElementsAre(DoubleNear(0.11 / 0.102, 1e-9)));
  EXPECT_THAT(series("machine.cpu_user").at_s, ElementsAre(DoubleNear(0.102, 1e-9)));
}

TEST_F(Sampled, DearSourcesAreReadLessOften) {
  tree_.write("proc/loadavg", "0 0 0 1/1 1\n");
  sampler_.emplace(TelemetryOptions{.pid = 100, .root = tree_.root(), .nvml_library = "", .cost_limit = 1e-9},
                   clock_, clock_.now());
  for (int i = 0; i < 40; ++i, clock_.advance(milliseconds(100))) sampler_->step();
  finish();
  // Any cost is too much for such a limit, so after three readings it comes down to one a second.
  EXPECT_THAT(values("machine.run_queue"), SizeIs(testing::AllOf(testing::Ge(5), testing::Le(8))));
}

TEST(Telemetry, RefusesWhatMakesNoSense) {
  const SteadyClock clock;
  EXPECT_EQ(Telemetry::start({.rate_hz = 0}, clock, clock.now()).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(Telemetry::start({.rate_hz = std::nan("")}, clock, clock.now()).error().code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(Telemetry::start({.pid = 1 << 30}, clock, clock.now()).error().code, ErrorCode::not_found);
}

TEST(Telemetry, IsNotStartedWhereItsThreadCannotBe) {
  const NoThreads limit;
  const SteadyClock clock;
  EXPECT_EQ(Telemetry::start({}, clock, clock.now()).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace neph::host
