// Break-evens computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advise.hpp"
#include "advise/market_test.hpp"

namespace neph::advise {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> turns(const std::vector<Configuration>& configurations,
                               const std::vector<price::Offer>& offers, const Request& request) {
  return advise(configurations, offers, request).value().break_evens;
}

Request with_boot(const char* length) {
  auto request = asked();
  request.assumed = {{.stage = BillStage::boot,
                      .length = price::parse_length(length).value(),
                      .known = price::Known::assumed}};
  return request;
}

TEST(BreakEven, TellsFromWhereAGpuPays) {
  // A boot of 5 min at 3.6 an hour is 0.30, at 0.36 it is 0.03. A second of work costs 0.0001 on the core,
  // and on the GPU, 20 times as fast, 0.00005: from 0.27 / 0.00005 s = 90 min on it is cheaper.
  const auto said = turns({takes("core", 1, 6000), on_gpu("gpu", "V100", 300)},
                          {machine("c1", 1, "0.36"), machine("g", 8, "3.6", "V100")}, with_boot("5min"));
  EXPECT_THAT(said, Contains("A GPU pays off above 1 h 30 min of 1-core work; measured were 1 h 40 min."));
}

TEST(BreakEven, TellsThatAGpuNeverPays) {
  // Ten times as dear and twice as fast.
  const auto said = turns({takes("core", 1, 6000), on_gpu("gpu", "V100", 3000)},
                          {machine("c1", 1, "0.36"), machine("g", 8, "3.6", "V100")}, with_boot("5min"));
  EXPECT_THAT(said,
              Contains(HasSubstr("does not pay off for this work, however long: it is 5.00 times as dear")));
}

TEST(BreakEven, TellsThatAGpuAlwaysPays) {
  const auto said = turns({takes("core", 1, 6000), on_gpu("gpu", "V100", 300)},
                          {machine("c1", 1, "0.36"), machine("g", 8, "0.36", "V100")}, with_boot("5min"));
  EXPECT_THAT(said, Contains("A GPU pays off for any length of this work."));
}

TEST(BreakEven, LooksAtEveryStepOfTheBills) {
  // By the hour n hours end after n - 1/12 of work, behind a boot of 5 min: they cost n. The GPU, four times
  // as fast, is then paid for 15n + 4 min at 3.8 an hour: 5.003 for n = 5, and 5.953 for 6, and less than n
  // from there on. Shorter works turn to and fro.
  const auto said =
      turns({takes("core", 1, 7200), on_gpu("gpu", "V100", 1800)},
            {machine("c1", 1, "1", "", 0, "ru-2017-hour"), machine("g", 8, "3.8", "V100", 1, "vk")},
            with_boot("5min"));
  EXPECT_THAT(said, Contains("A GPU pays off above 4 h 55 min of 1-core work; measured were 2 h."));
}

TEST(BreakEven, SaysNothingOfGpusWhereNoneWasMeasured) {
  EXPECT_THAT(turns({takes("core", 1, 6000)}, {machine("c1", 1, "0.36")}, asked()),
              Each(Not(HasSubstr("GPU"))));
}

TEST(BreakEven, SetsCoresBesideEachOther) {
  // 8 cores: 1.5 times the time of 16, at 0.4 of the price: 0.6 of the cost.
  const auto said = turns({takes("8 threads", 8, 1500), takes("16 threads", 16, 1000)},
                          {machine("c8", 8, "0.4"), machine("c16", 16, "1")}, asked());
  EXPECT_THAT(said, Contains("8 cores: 50 % slower than 16, 40 % cheaper."));
}

TEST(BreakEven, DoesNotSetSideBySideWhatDiffersInMore) {
  auto small = takes("8 threads, batch 64", 8, 1500), large = takes("16 threads, batch 128", 16, 1000);
  small.family = "batch 64";
  large.family = "batch 128";
  EXPECT_THAT(turns({small, large}, {machine("c8", 8, "0.4"), machine("c16", 16, "1")}, asked()),
              Each(Not(HasSubstr("slower"))));
}

TEST(BreakEven, TellsWhatAContainerCosts) {
  auto bare = takes("in process", 4, 1000), inside = takes("in docker", 4, 1100);
  bare.place = "process";
  inside.place = "docker";
  EXPECT_THAT(turns({bare, inside}, {machine("c4", 4, "1")}, asked()),
              Contains("In a container: 10 % slower than without one, 10 % dearer."));
}

TEST(BreakEven, ComparesAContainerOnOneInstance) {
  const auto on = [](const char* name, const char* instance, const char* place, double cores,
                     double seconds) {
    auto configuration = takes(name, cores, seconds);
    configuration.needs.provider = "test";
    configuration.needs.instance = instance;
    configuration.place = place;
    return configuration;
  };
  // No cores are told: only the instance tells the machines apart.
  std::vector all{on("8 process", "c8", "process", 8, 1000), on("8 docker", "c8", "docker", 8, 1100),
                  on("16 process", "c16", "process", 16, 700), on("16 docker", "c16", "docker", 16, 720)};
  for (auto& configuration : all) configuration.needs.cores.reset();
  EXPECT_THAT(turns(all, {machine("c8", 8, "0.4"), machine("c16", 16, "1")}, asked()),
              Contains("In a container: 10 % slower than without one, 10 % dearer."));
}

TEST(BreakEven, TellsHowManyJobsToPack) {
  // By the hour of the clock from 13:00 a job of 10 min costs 1 alone; 6 fill the hour, 5 are within a tenth
  // of 1/6 each no longer: 0.2 > 0.18333.
  auto request = asked();
  request.begin = price::parse_instant("2026-11-24T13:00Z", "UTC", {}).value();
  request.noun = "training";
  const auto said = turns({takes("8 threads", 8, 600)}, {machine("c8", 8, "1", "", 0, "selectel")}, request);
  EXPECT_THAT(
      said,
      Contains(HasSubstr(
          "by the clock hour: pack at least 6 trainings per boot, 0.167 USD each instead of 1.00 USD.")));
}

TEST(BreakEven, PacksNothingWhereAJobFillsItsSteps) {
  EXPECT_THAT(turns({takes("8 threads", 8, 600)}, {machine("c8", 8, "1")}, asked()),
              Each(Not(HasSubstr("pack"))));
}

TEST(Cost, OfLessThanACentIsThatOfAThousandJobs) {
  const std::vector offers{machine("c8", 8, "0.01")};
  const std::vector both{takes("8 threads", 8, 1000, 1.1), takes("4 threads", 4, 1020)};
  const auto advice = advise(both, offers, asked()).value();
  EXPECT_THAT(advice.findings.front(), HasSubstr("2.78 USD (2.53 to 3.06) per 1,000 jobs"));
  EXPECT_THAT(candidate_of(advice, "4 threads").why,
              HasSubstr("0.0556 USD per 1,000 jobs dearer than 8 threads on test/c8"));
}

}  // namespace
}  // namespace neph::advise
