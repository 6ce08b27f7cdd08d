#include "record/machine.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

Json fingerprint() {
  return Json::parse(R"({
    "processor": {"model": "Xeon"}, "memory": {"total_bytes": 16000000000},
    "system": {"provider": "Amazon EC2", "instance_type": "g4dn.xlarge", "product": null},
    "container": {"memory_limit_bytes": null},
    "gpu": {"devices": [{"index": 0, "name": "Tesla T4"}]}, "effective_cores": 4.0})");
}

Machine with(const Json::json_pointer& path, const Json& value) {
  auto changed = fingerprint();
  changed[path] = value;
  return machine_of(changed);
}

TEST(Machine, IsTakenFromAFingerprint) {
  const auto machine = machine_of(fingerprint());
  EXPECT_EQ(machine.provider, "Amazon EC2");
  EXPECT_EQ(machine.instance_type, "g4dn.xlarge");
  EXPECT_EQ(machine.processor, "Xeon");
  EXPECT_EQ(machine.cores, 4);
  EXPECT_EQ(machine.memory_bytes, 16'000'000'000);
  EXPECT_EQ(machine.gpu, "Tesla T4");
  EXPECT_EQ(machine.gpus, 1);
  EXPECT_EQ(machine_text(machine), "Amazon EC2 g4dn.xlarge, Xeon, 4 cores, 15.0 GiB, 1 GPU Tesla T4");
}

TEST(Machine, HasTheHardwareThatARunUsed) {
  using Path = Json::json_pointer;
  const auto machine = machine_of(fingerprint());
  EXPECT_EQ(hardware_text(machine, 1), "Tesla T4");
  EXPECT_EQ(hardware_text(machine, 2), "2x Tesla T4");
  EXPECT_EQ(hardware_text(machine, 0), "4 cores of Xeon");
  const auto hidden = with(Path("/processor/generation"), "Xeon Ice Lake");
  EXPECT_EQ(hardware_text(hidden, 0), "4 cores of Xeon Ice Lake") << "its model has no number";
  auto named = hidden;
  named.processor = "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz";
  EXPECT_EQ(hardware_text(named, 0), "4 cores of Intel(R) Xeon(R) Platinum 8375C CPU");
  const auto threads = with(Path("/processor"), {{"model", "EPYC 7R13"}, {"online", 4}, {"cores", 2}});
  EXPECT_EQ(hardware_text(threads, 0), "2 cores of EPYC 7R13") << "of two hardware threads each";
  EXPECT_EQ(hardware_text({}, 0), "");
  EXPECT_EQ(hardware_text({}, 2), "");
}

TEST(Machine, HasNoMoreMemoryThanItsContainer) {
  using Path = Json::json_pointer;
  EXPECT_EQ(with(Path("/container/memory_limit_bytes"), 1 << 30).memory_bytes, 1 << 30);
  const auto limited = with(Path("/container/memory_limit_bytes"), 7'800'000'000);
  EXPECT_NE(machine_text(limited).find(", 7.26 GiB,"), std::string::npos) << machine_text(limited);
}

TEST(Machine, OfAnythingElseIsUnknown) {
  for (const auto& json :
       {Json(), Json(3), Json::object(), Json{{"processor", "fast"}}, Json{{"gpu", {{"devices", 7}}}},
        Json{{"memory", {{"total_bytes", 1e300}}}}, Json{{"effective_cores", -1}}}) {
    const auto machine = machine_of(json);
    EXPECT_EQ(machine_text(machine), "a machine of which nothing is known") << json;
    EXPECT_EQ(machine.fingerprint, json);
  }
}

TEST(Machine, IsTheSameWhereItsIdentityAgrees) {
  using Path = Json::json_pointer;
  const auto machine = machine_of(fingerprint());
  EXPECT_TRUE(is_same(machine, with(Path("/memory/available_bytes"), 5)));
  EXPECT_TRUE(is_same(machine, with(Path("/processor/current_hz"), 5)));
  EXPECT_TRUE(is_same(machine, with(Path("/memory/total_bytes"), 15'900'000'000))) << "another kernel";
  EXPECT_TRUE(is_same(machine, with(Path("/system/provider"), nullptr))) << "an older neph";
  EXPECT_TRUE(is_same(with(Path("/system/instance_type"), nullptr), machine));
}

TEST(Machine, IsAnotherWhereItsIdentityDiffers) {
  using Path = Json::json_pointer;
  const auto machine = machine_of(fingerprint());
  for (const auto& [path, value] : {std::pair<const char*, Json>{"/system/provider", "Hetzner"},
                                    {"/system/instance_type", "g4dn.2xlarge"},
                                    {"/processor/model", "EPYC"},
                                    {"/effective_cores", 2},
                                    {"/effective_cores", nullptr},
                                    {"/memory/total_bytes", 15'000'000'000},
                                    {"/gpu/devices", Json::array()},
                                    {"/gpu/devices/0/name", "L4"},
                                    {"/gpu/devices/1", {{"name", "Tesla T4"}}}})
    EXPECT_FALSE(is_same(machine, with(Path(path), value))) << path;
}

}  // namespace
}  // namespace neph
