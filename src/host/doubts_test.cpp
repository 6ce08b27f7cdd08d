#include "host/doubts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::host {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

SeriesSummary constant(std::string target, std::string name, double value) {
  return {.target = std::move(target), .name = std::move(name), .mean = value, .max = value, .min = value};
}

auto warns(WarningCode code, const char* figures, Weight weight = Weight::doubt) {
  return ElementsAre(AllOf(Field(&Warning::code, code), Field(&Warning::message, HasSubstr(figures)),
                           Field(&Warning::advice, testing::Not(testing::IsEmpty())),
                           Field(&Warning::weight, weight)));
}

Fingerprint two_cores() {
  Fingerprint machine;
  machine.processor.online = 2;
  machine.memory.total_bytes = 1000 << 20;
  return machine;
}

TEST(Doubts, NoneAboutAQuietMachine) {
  const std::vector<SeriesSummary> quiet = {
      constant("machine", "cpu_user", 1.5),        constant("machine", "cpu_system", 0.1),
      constant("machine", "cpu_steal", 0.01),      constant("process", "cpu", 1.45),
      constant("container", "cpu_throttled", 0),   constant("machine", "thermal_throttle", 0),
      constant("process", "page_faults_major", 1), constant("process", "memory_peak", 500 << 20)};
  EXPECT_THAT(doubts(quiet, two_cores()), IsEmpty());
  EXPECT_THAT(doubts({}, Fingerprint{}), IsEmpty()) << "nothing known, nothing said";
}

TEST(Doubts, Stolen) {
  const auto warnings = doubts({constant("machine", "cpu_user", 1.5), constant("machine", "cpu_system", 0.1),
                                constant("machine", "cpu_steal", 0.4), constant("process", "cpu", 1.6)},
                               two_cores());
  EXPECT_THAT(warnings, warns(WarningCode::stolen, "0.40 cores to others (20.0 %"));
  EXPECT_THAT(doubts({constant("machine", "cpu_user", 40), constant("machine", "cpu_system", 1),
                      constant("machine", "cpu_steal", 0.4), constant("process", "cpu", 41)},
                     two_cores()),
              IsEmpty())
      << "1 % of what was wanted";
}

TEST(Doubts, Throttled) {
  auto machine = two_cores();
  machine.container.cpu_quota_cores = 1.5;
  EXPECT_THAT(doubts({constant("container", "cpu_throttled", 0.3)}, machine),
              warns(WarningCode::throttled, "quota of 1.5 cores throttled threads for 0.30 s"));
  EXPECT_THAT(doubts({constant("machine", "thermal_throttle", 3)}, machine),
              warns(WarningCode::throttled, "heat 3 times"));
  EXPECT_THAT(doubts({constant("gpu1", "throttled_by_heat", 0.5)}, machine),
              warns(WarningCode::throttled, "gpu1"));
  EXPECT_THAT(doubts({constant("gpu0", "throttled_by_power", 0.25)}, machine),
              warns(WarningCode::throttled, "25 %"));
}

TEST(Doubts, Swapped) {
  EXPECT_THAT(
      doubts({constant("process", "page_faults_major", 250), constant("machine", "swap_in", 1 << 20)},
             two_cores()),
      warns(WarningCode::swapped, "250 pages a second had to be fetched from disk while it ran, 1.00 MiB"));
}

TEST(Doubts, BusyMachine) {
  const std::vector<SeriesSummary> busy = {constant("machine", "cpu_user", 1.7),
                                           constant("machine", "cpu_system", 0.1),
                                           constant("process", "cpu", 0.8)};
  EXPECT_THAT(doubts(busy, two_cores()), warns(WarningCode::busy_machine, "used 1.00 of 2 cores"));
}

TEST(Doubts, MemoryLimitNear) {
  auto machine = two_cores();
  machine.container.memory_limit_bytes = 100 << 20;
  EXPECT_THAT(doubts({constant("process", "memory_peak", 95 << 20)}, machine),
              warns(WarningCode::memory_limit_near, "95.0 MiB of the 100 MiB that the container may use"));
  EXPECT_THAT(doubts({constant("process", "memory_peak", 950 << 20)}, two_cores()),
              warns(WarningCode::memory_limit_near, "950 MiB of the 1000 MiB that the machine has"));
}

TEST(Doubts, Governor) {
  auto machine = two_cores();
  machine.processor.governor = "powersave";
  EXPECT_THAT(doubts({}, machine), warns(WarningCode::governor_not_performance, "powersave", Weight::hint));
  machine.processor.governor = "performance";
  EXPECT_THAT(doubts({}, machine), IsEmpty());
}

TEST(Doubts, SayNothingAboutWhatWasUnavailable) {
  const SeriesSummary unknown{.target = "machine", .name = "cpu_steal", .unavailable = "cannot be read"};
  EXPECT_THAT(doubts({unknown, constant("machine", "cpu_user", 1), constant("machine", "cpu_system", 0)},
                     two_cores()),
              IsEmpty());
}

}  // namespace
}  // namespace neph::host
