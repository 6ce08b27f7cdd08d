// NVML against a library of our own that speaks its documented interface, built here: no machine of ours has
// a GPU.
#include "host/nvml.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "host/fingerprint.hpp"
#include "host/sampler.hpp"
#include "os/recorded_tree.hpp"

namespace neph::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two devices: one that tells all, and one that knows no power and may not be asked for its clock.
constexpr std::string_view fake_source = R"(
#include <string.h>
typedef struct { unsigned int gpu, memory; } utilization;
typedef struct { unsigned long long total, free, used; } memory;
static int devices[2];
static int running;
int nvmlInit_v2(void) { running = INIT_CODE == 0; return INIT_CODE; }
int nvmlShutdown(void) { running = 0; return 0; }
const char* nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : code == 3 ? "Not Supported" : "?"; }
static int first(void* device) { return device == &devices[0]; }
int nvmlSystemGetDriverVersion(char* text, unsigned length) { strncpy(text, "550.54.15", length); return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 2; return running ? 0 : 1; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** device) { if (i > 1) return 2; *device = &devices[i]; return 0; }
int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  strncpy(text, first(device) ? "NVIDIA L4" : "NVIDIA T4", length); return 0; }
int nvmlDeviceGetMemoryInfo(void* device, memory* m) {
  m->total = 24000000000ull; m->free = 20000000000ull; m->used = 4000000000ull; return 0; }
int nvmlDeviceGetUtilizationRates(void* device, utilization* u) { u->gpu = 87; u->memory = 12; return 0; }
int nvmlDeviceGetPowerUsage(void* device, unsigned* mw) { *mw = 65500; return first(device) ? 0 : 3; }
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) { *mhz = type == 1 ? 1980 : 0; return 0; }
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* c) { *c = 61; return sensor; }
#ifndef OLD
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* r) { *r = first(device) ? 0x4 : 0x40; return 0; }
#endif
)";

class FakeNvml : public testing::Test {
 protected:
  std::string build(const std::string& defines) {
    tree_.write("nvml.c", fake_source);
    const auto library = (tree_.root() / "libnvidia-ml.so.1").string();
    const auto command =
        fmt::format("cc -w -shared -fPIC {} -o {} {}/nvml.c", defines, library, tree_.root().string());
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return library;
  }
  RecordedTree tree_;
};

TEST_F(FakeNvml, TellsOfItsDevices) {
  const auto machine = take_fingerprint({.root = tree_.root(), .nvml_library = build("-DINIT_CODE=0")});
  EXPECT_EQ(machine.gpu.unavailable, "");
  EXPECT_EQ(machine.gpu.driver, "550.54.15");
  ASSERT_EQ(machine.gpu.devices.size(), 2U);
  EXPECT_EQ(machine.gpu.devices[0].name, "NVIDIA L4");
  EXPECT_EQ(machine.gpu.devices[1].name, "NVIDIA T4");
  EXPECT_EQ(machine.gpu.devices[0].memory_bytes, 24000000000);
}

TEST_F(FakeNvml, IsSampledInItsUnits) {
  ManualClock clock;
  Sampler sampler({.pid = 1, .root = tree_.root(), .nvml_library = build("-DINIT_CODE=0"), .cost_limit = 0},
                  clock, clock.now());
  sampler.step();  // starts the driver
  clock.advance(std::chrono::milliseconds(100));
  sampler.step();
  std::map<std::string, Series> gpu;
  for (auto& series : sampler.take())
    if (series.target.starts_with("gpu")) gpu[series.target + "." + series.name] = series;
  EXPECT_EQ(gpu.size(), 14U);
  EXPECT_THAT(gpu["gpu0.utilisation"].values, ElementsAre(87));
  EXPECT_THAT(gpu["gpu0.memory_used"].values, ElementsAre(4e9));
  EXPECT_THAT(gpu["gpu0.power"].values, ElementsAre(65.5));
  EXPECT_THAT(gpu["gpu0.clock_sm"].values, ElementsAre(1.98e9));
  EXPECT_THAT(gpu["gpu0.temperature"].values, ElementsAre(61));
  EXPECT_THAT(gpu["gpu0.throttled_by_power"].values, ElementsAre(1));
  EXPECT_THAT(gpu["gpu0.throttled_by_heat"].values, ElementsAre(0));
  EXPECT_THAT(gpu["gpu1.throttled_by_heat"].values, ElementsAre(1));
  EXPECT_TRUE(gpu["gpu1.power"].values.empty());
  EXPECT_EQ(gpu["gpu1.power"].unavailable, "power: Not Supported");
}

TEST_F(FakeNvml, SaysWhyADriverDoesNotStart) {
  const auto nvml = Nvml::open(build("-DINIT_CODE=9"));
  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, ErrorCode::unavailable);
  EXPECT_EQ(nvml.error().message, "the NVIDIA driver does not start: Driver Not Loaded");
}

TEST_F(FakeNvml, NamesAMissingFunction) {
  const auto nvml = Nvml::open(build("-DINIT_CODE=0 -DOLD"));
  ASSERT_FALSE(nvml);
  EXPECT_THAT(nvml.error().message, HasSubstr("nvmlDeviceGetCurrentClocksThrottleReasons"));
}

TEST_F(FakeNvml, RefusesAFileThatIsNoLibrary) {
  tree_.write("libnvidia-ml.so.1", "not a library");
  const auto nvml = Nvml::open((tree_.root() / "libnvidia-ml.so.1").string());
  ASSERT_FALSE(nvml);
  EXPECT_THAT(nvml.error().message, HasSubstr("no NVIDIA driver ("));
}

}  // namespace
}  // namespace neph::host
