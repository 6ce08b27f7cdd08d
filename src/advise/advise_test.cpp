// Choices computed by hand, and by looking at every pair.
#include "advise/advise.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/market_test.hpp"
#include "core/random.hpp"

namespace neph::advise {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

/// An hour on 4 cores at 0.4, 40 min on 8 at 0.8, 30 min on 16 at 1.6: 0.40, 0.533333, 0.80.
const std::vector<Configuration> three{takes("4 threads", 4, 3600), takes("8 threads", 8, 2400),
                                       takes("16 threads", 16, 1800)};
const std::vector<price::Offer> sizes{machine("c4", 4, "0.4"), machine("c8", 8, "0.8"),
                                      machine("c16", 16, "1.6")};

TEST(Advise, TakesTheCheapestWhereNothingElseIsAsked) {
  const auto advice = advise(three, sizes, asked()).value();
  EXPECT_EQ(recommended(advice).configuration, "4 threads");
  EXPECT_EQ(recommended(advice).cost.amount, "0.40");
  EXPECT_EQ(recommended(advice).offer, "test/c4");
  EXPECT_EQ(candidate_of(advice, "8 threads").cost.amount, "0.533333");
  EXPECT_EQ(candidate_of(advice, "16 threads").cost.amount, "0.80");
  for (const auto& candidate : advice.candidates)
    EXPECT_TRUE(candidate.is_on_front) << candidate.configuration;
  EXPECT_THAT(candidate_of(advice, "16 threads").why, HasSubstr("30 min faster and 0.40 USD dearer"));
}

TEST(Advise, KeepsToADeadline) {
  auto request = asked();
  request.deadline_s = 2400;
  const auto advice = advise(three, sizes, request).value();
  EXPECT_EQ(recommended(advice).configuration, "8 threads") << "a time that is the deadline is in time";
  EXPECT_EQ(candidate_of(advice, "4 threads").why_not, WhyNot::too_slow);
  EXPECT_EQ(candidate_of(advice, "4 threads").why, "too slow by 20 min");
}

TEST(Advise, TakesTheFastestForABudget) {
  auto request = asked();
  request.budget = price::parse_decimal("0.6", "budget").value();
  const auto advice = advise(three, sizes, request).value();
  EXPECT_EQ(recommended(advice).configuration, "8 threads");
  EXPECT_EQ(candidate_of(advice, "16 threads").why, "over budget by 0.20 USD");
  EXPECT_THAT(advice.findings.front(), HasSubstr("he fastest for at most 0.60 USD is 8 threads on test/c8"));
}

TEST(Advise, OfABudgetTellsHowSureTheFastestIsWhereItIsTheCheapestToo) {
  auto request = asked();
  request.budget = price::Exact(5);
  const std::vector two{takes("8 threads", 8, 1000, 1.2), takes("4 threads", 4, 2400, 1.2)};
  const auto advice = advise(two, sizes, request).value();
  EXPECT_EQ(advice.recommended, advice.cheapest);
  EXPECT_THAT(advice.findings.front(), HasSubstr("he fastest for at most 5.00 USD is 8 threads"));
  EXPECT_THAT(advice.findings[1], HasSubstr("that it is the fastest"));
  EXPECT_THAT(advice.findings, Contains("It is the cheapest too."));
  EXPECT_FALSE(advice.expected_loss) << "it is of money, and time was asked for";
}

TEST(Advise, KeepsToBothLimitsAndNamesTheFastestToo) {
  auto request = asked();
  request.deadline_s = 3000;
  request.budget = price::parse_decimal("0.8", "budget").value();
  const auto advice = advise(three, sizes, request).value();
  EXPECT_EQ(recommended(advice).configuration, "8 threads");
  EXPECT_EQ(advice.candidates.at(static_cast<std::size_t>(*advice.fastest)).configuration, "16 threads");
}

TEST(Advise, BillsEachByItsProvidersRule) {
  const std::vector offers{machine("hourly", 8, "0.5", "", 0, "ru-2017-hour"), machine("exact", 8, "0.8")};
  const auto advice = advise(std::vector{takes("8 threads", 8, 2400)}, offers, asked()).value();
  ASSERT_EQ(advice.candidates.size(), 2u);
  EXPECT_EQ(advice.candidates[0].cost.amount, "0.50") << "a whole hour at 0.5";
  EXPECT_EQ(advice.candidates[0].rule, "ru-2017-hour");
  EXPECT_EQ(advice.candidates[0].billed_s, 3600);
  EXPECT_EQ(advice.candidates[1].cost.amount, "0.533333");
  EXPECT_EQ(advice.candidates[1].why_not, WhyNot::dominated);
  EXPECT_EQ(advice.candidates[1].why, "no faster and 0.0333 USD dearer than 8 threads on test/hourly");
}

TEST(Advise, PaysForStagesThatAreAssumed) {
  auto request = asked();
  request.assumed = price::usual_assumptions();
  request.deadline_s = 3600;
  const auto advice = advise(std::vector{takes("8 threads", 8, 2400)}, sizes, request).value();
  EXPECT_EQ(recommended(advice).seconds.value, 2400 + 340) << "boot and installation, but not switching off";
  EXPECT_EQ(recommended(advice).billed_s, 2400 + 370);
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("boot 40")));
}

TEST(Advise, SpreadsWhatIsAssumed) {
  auto request = asked();
  request.assumed = {
      {.stage = BillStage::boot, .length = std::chrono::seconds(100), .known = price::Known::assumed}};
  const std::vector offers{machine("m", 8, "3600")};
  const auto best =
      recommended(advise(std::vector{takes("8 threads", 8, 1000, 1.1)}, offers, request).value());
  EXPECT_EQ(best.cost.amount, "1100.00");
  EXPECT_NEAR(*best.seconds.high, 1100 + std::hypot(100, 100), 1e-6) << "a tenth of the job, twice the boot";
  EXPECT_NEAR(*best.seconds.low, 1100 - std::hypot(1000 - 1000 / 1.1, 50), 1e-6);
  EXPECT_NEAR(std::stod(best.cost_high->amount), 1100 + std::hypot(100, 100), 1e-3) << "a dollar a second";
  EXPECT_NEAR(std::stod(best.cost_low->amount), 1100 - std::hypot(1000 - 1000 / 1.1, 50), 1e-3);
}

TEST(Advise, PaysForTheTimeThatARuleKeepsMachinesReady) {
  auto request = asked();
  request.rules.push_back(request.rules.front());
  auto& rule = request.rules.back();
  rule = price::find_rule("exact", request.rules).value();
  rule.name = "ready";
  rule.idle_s = 5;
  const std::vector offers{machine("m", 8, "3600", "", 0, "ready")};
  const auto advice = advise(std::vector{takes("8 threads", 8, 100)}, offers, request).value();
  EXPECT_EQ(recommended(advice).cost.amount, "105.00");
  EXPECT_EQ(recommended(advice).seconds.value, 100) << "the result is there before";
}

TEST(Advise, ALargerMachineCostsMoreForNothing) {
  const auto advice = advise(std::vector{takes("4 threads", 4, 3600)}, sizes, asked()).value();
  ASSERT_EQ(advice.candidates.size(), 1u);
  EXPECT_EQ(advice.candidates[0].offer, "test/c4");
  ASSERT_EQ(advice.left_out.size(), 1u);
  EXPECT_THAT(advice.left_out[0].reason, HasSubstr("dearer than an offer that does the same"));
  EXPECT_EQ(advice.left_out[0].count, 2);
}

TEST(Advise, AsksForTheGpuThatWasMeasured) {
  auto v100 = on_gpu("gpu", "Tesla V100-SXM2-16GB", 600);
  v100.needs.cores = 4;
  const std::vector offers{machine("t4", 8, "0.5", "T4"), machine("v100", 8, "3", "V100"),
                           machine("v100x8", 64, "20", "V100", 8)};
  const auto advice = advise(std::vector{v100}, offers, asked()).value();
  ASSERT_EQ(advice.candidates.size(), 1u);
  EXPECT_EQ(advice.candidates[0].offer, "test/v100");
  EXPECT_EQ(advice.candidates[0].cost.amount, "0.50");
}

TEST(Advise, LeavesOutWhatCannotRunIt) {
  auto large = takes("8 threads", 8, 3600);
  large.needs.memory_bytes = 100e9;
  large.needs.arch = "x86_64";
  auto small = machine("small", 8, "0.1"), arm = machine("arm", 8, "0.1"), free = machine("free", 8, "0.1"),
       fits = machine("fits", 8, "0.9"), silent = machine("silent", 8, "1.9");
  arm.memory_gib = fits.memory_gib = free.memory_gib = 128;
  arm.arch = "arm64";
  fits.arch = "amd64";
  free.per_hour.reset();
  silent.memory_gib.reset();
  const auto advice = advise(std::vector{large},
                             std::vector{small, arm, free, machine("few", 4, "0.1"), silent, fits}, asked())
                          .value();
  EXPECT_EQ(recommended(advice).offer, "test/fits");
  std::vector<std::string> reasons;
  for (const auto& each : advice.left_out) {
    reasons.push_back(each.reason);
    EXPECT_EQ(each.count, 1) << each.reason;
  }
  EXPECT_THAT(reasons, testing::UnorderedElementsAre("price unknown", "another architecture",
                                                     "too few cores, or cores not told", "memory too small",
                                                     HasSubstr("dearer than an offer")));
}

TEST(Advise, TakesTimesOfNoArchitectureForThoseOfX86) {
  auto arm = machine("arm", 8, "0.1"), usual = machine("usual", 8, "0.9");
  arm.arch = "arm64";
  auto measured = takes("8 threads", 8, 3600);
  const auto advice = advise(std::vector{measured}, std::vector{arm, usual}, asked()).value();
  EXPECT_EQ(recommended(advice).offer, "test/usual");
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("taken to be of x86_64")));
  EXPECT_THAT(advice.assumptions, Contains("Offers that name no architecture are taken to be x86_64."));
  measured.needs.arch = "aarch64";
  EXPECT_EQ(recommended(advise(std::vector{measured}, std::vector{arm, usual}, asked()).value()).offer,
            "test/arm");
  EXPECT_THAT(advise(std::vector{measured}, std::vector{usual}, asked()).error().text(),
              HasSubstr("no offer is arm64"));
  measured.needs.arch = "";
  measured.needs.instance = "arm";
  EXPECT_EQ(recommended(advise(std::vector{measured}, std::vector{arm, usual}, asked()).value()).offer,
            "test/arm")
      << "it was measured there";
}

TEST(Advise, UsesATimeOnlyWhereItWasMeasured) {
  auto pinned = takes("8 threads", 8, 3600);
  pinned.needs.provider = "test";
  pinned.needs.instance = "c16";
  const auto advice = advise(std::vector{pinned}, sizes, asked()).value();
  EXPECT_EQ(recommended(advice).offer, "test/c16");
  EXPECT_THAT(advice.assumptions, Each(testing::Not(HasSubstr("Times are taken"))));
}

TEST(Advise, NamesTheMachineThatTimesAreOf) {
  auto measured = takes("8 threads", 8, 3600);
  measured.machine = "Intel Xeon, 8 cores";
  const auto advice = advise(std::vector{measured}, sizes, asked()).value();
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("as on Intel Xeon, 8 cores")));
}

TEST(Advise, ShowsPredictionsAndNeverRecommendsThem) {
  auto predicted = takes("16 threads", 16, 60);
  predicted.is_predicted = true;
  const auto advice = advise(std::vector{predicted, takes("8 threads", 8, 3600)}, sizes, asked()).value();
  EXPECT_EQ(recommended(advice).configuration, "8 threads");
  EXPECT_EQ(candidate_of(advice, "16 threads").why_not, WhyNot::predicted);
  EXPECT_FALSE(candidate_of(advice, "16 threads").is_on_front);
  EXPECT_THAT(advice.findings, Contains(HasSubstr("it was not measured")));
}

TEST(Advise, LeavesOutWhatWasRefused) {
  auto refused = takes("16 threads", 16, 60);
  refused.refused = "beyond what was fitted on";
  const auto advice = advise(std::vector{refused, takes("8 threads", 8, 3600)}, sizes, asked()).value();
  EXPECT_EQ(advice.candidates.size(), 1u);
  EXPECT_EQ(advice.left_out.front().reason, "beyond what was fitted on");
  EXPECT_EQ(advise(std::vector{refused}, sizes, asked()).error().code, ErrorCode::not_found);
}

std::string error_of(const Request& request) { return advise(three, sizes, request).error().text(); }

TEST(Advise, SaysWhichLimitToLoosen) {
  auto request = asked();
  request.deadline_s = 1000;
  EXPECT_EQ(error_of(request),
            "nothing is done within 16 min 40 s; what would do: --deadline 30min (16 threads on test/c16)");
  request.deadline_s.reset();
  request.budget = price::parse_decimal("0.1", "").value();
  EXPECT_EQ(error_of(request),
            "nothing is done for at most 0.10 USD; what would do: --budget 0.4USD (4 threads on test/c4)");
  request.deadline_s = 2400;
  request.budget = price::parse_decimal("0.5", "").value();
  EXPECT_EQ(error_of(request),
            "nothing is done within 40 min for at most 0.50 USD; what would do: --deadline 60min (4 threads "
            "on test/c4), "
            "or --budget 0.534USD (8 threads on test/c8)");
  request.deadline_s = 1000;
  request.budget = price::parse_decimal("0.1", "").value();
  EXPECT_THAT(error_of(request), HasSubstr("loosen both limits"));
}

TEST(Advise, SaysWhatNoOfferHas) {
  const std::vector many{takes("32 threads", 32, 60)};
  EXPECT_EQ(advise(many, sizes, asked()).error().text(),
            "no offer can run any configuration of the test; 32 threads: it needs 32 cores, and the largest "
            "offer has 16");
}

TEST(Advise, RefusesWhatIsNoQuestion) {
  auto request = asked();
  request.deadline_s = -5;
  EXPECT_THAT(error_of(request), HasSubstr("the deadline is over"));
  request = asked();
  request.budget = price::Exact(0);
  EXPECT_THAT(error_of(request), HasSubstr("a budget of 0.00 USD buys nothing"));
  request = asked();
  request.simulations = 999;
  EXPECT_EQ(error_of(request), "999 simulations: give 1000 to 1000000");
  request = asked();
  request.currency = "EUR";
  EXPECT_THAT(error_of(request), HasSubstr("test/c4 costs USD, and the rest EUR"));
  EXPECT_THAT(advise({}, sizes, asked()).error().text(), HasSubstr("no configuration has a time"));
  const std::vector wrong{takes("x", 4, std::numeric_limits<double>::quiet_NaN())};
  EXPECT_THAT(advise(wrong, sizes, asked()).error().text(), HasSubstr("which is no time"));
  const std::vector nothing{takes("x", 4, 0)};
  EXPECT_THAT(advise(nothing, sizes, asked()).error().text(), HasSubstr("no time at all"));
}

/// Every offer that can run every configuration, one by one.
struct Pair {
  std::string name;
  double done_s;
  price::Exact cost;
};
std::vector<Pair> all_pairs(const std::vector<Configuration>& configurations,
                            const std::vector<price::Offer>& offers, const Request& request) {
  std::vector<Pair> pairs;
  for (const auto& configuration : configurations)
    for (const auto& offer : offers) {
      if (*offer.vcpus < *configuration.needs.cores || offer.gpus < configuration.needs.gpus) continue;
      if (configuration.needs.gpus > 0 && offer.gpu != configuration.needs.gpu) continue;
      const auto rule = price::rule_of(offer, request.rules).value();
      const double time = configuration.work.stages[0].seconds.value;
      const price::Start start{.begin = request.begin,
                               .stretches = {{.stage = BillStage::learn, .length = from_seconds(time)}}};
      const auto bill =
          price::bill(rule, {.per_hour = *offer.per_hour, .currency = "USD"}, std::vector{start}).value();
      pairs.push_back({configuration.work.name, time, bill.amount});
    }
  return pairs;
}

struct Drawn {
  std::vector<Configuration> configurations;
  std::vector<price::Offer> offers;
  Request request = asked();
};

Drawn drawn(Random& random) {
  Drawn market;
  const std::vector<std::string> rules{"exact", "ru-2017-hour", "selectel", "lambda", "gcp-2017"},
      gpus{"T4", "V100"};
  for (std::uint64_t i = 0; i < 1 + random.below(6); ++i) {
    const auto name = "c" + std::to_string(i);
    const double time = static_cast<double>(1 + random.below(9000)),
                 cores = static_cast<double>(1 + random.below(16));
    market.configurations.push_back(takes(name, cores, time));
    if (random.below(3) == 0) {
      market.configurations.back().needs.gpus = 1;
      market.configurations.back().needs.gpu = gpus[random.below(2)];
    }
  }
  for (std::uint64_t i = 0; i < 2 + random.below(12); ++i)
    market.offers.push_back(machine("m" + std::to_string(i), static_cast<double>(1 + random.below(20)),
                                    std::to_string(1 + random.below(50)),
                                    random.below(2) == 0 ? "" : gpus[random.below(2)], 1,
                                    rules[random.below(rules.size())]));
  if (random.below(2) == 0) market.request.deadline_s = static_cast<double>(1 + random.below(9000));
  if (random.below(2) == 0) market.request.budget = price::Exact(1 + random.below(60));
  return market;
}

/// What the choice comes to: the least of `first`, then of `second`, among pairs within the limits.
const Pair* best_of(const std::vector<Pair>& pairs, const Request& request, bool is_by_cost) {
  const Pair* best = nullptr;
  for (const auto& pair : pairs) {
    if ((request.deadline_s && pair.done_s > *request.deadline_s) ||
        (request.budget && pair.cost > *request.budget))
      continue;
    const bool is_better =
        !best || (is_by_cost ? std::tie(pair.cost, pair.done_s) < std::tie(best->cost, best->done_s)
                             : std::tie(pair.done_s, pair.cost) < std::tie(best->done_s, best->cost));
    if (is_better) best = &pair;
  }
  return best;
}

TEST(Advise, FindsWhatLookingAtEveryPairFinds) {
  Random random(11);
  int chosen = 0;
  for (int i = 0; i < 2000; ++i) {
    auto market = drawn(random);
    market.request.simulations = 1000;
    const auto pairs = all_pairs(market.configurations, market.offers, market.request);
    const auto advice = advise(market.configurations, market.offers, market.request);
    const auto *cheapest = best_of(pairs, market.request, true),
               *fastest = best_of(pairs, market.request, false);
    ASSERT_EQ(advice.has_value(), cheapest != nullptr) << i;
    if (!advice) continue;
    ++chosen;
    const auto& found = advice->candidates[static_cast<std::size_t>(*advice->cheapest)];
    EXPECT_EQ(found.cost.amount, price::decimal_text(cheapest->cost)) << i;
    EXPECT_EQ(found.seconds.value, cheapest->done_s) << i;
    const auto& quickest = advice->candidates[static_cast<std::size_t>(*advice->fastest)];
    EXPECT_EQ(quickest.seconds.value, fastest->done_s) << i;
    EXPECT_EQ(quickest.cost.amount, price::decimal_text(fastest->cost)) << i;
    for (const auto& candidate : advice->candidates) {
      const auto beaten = std::ranges::any_of(pairs, [&](const Pair& pair) {
        const auto cost = price::parse_decimal(price::decimal_text(pair.cost), "").value();
        const auto own = price::parse_decimal(candidate.cost.amount, "").value();
        return pair.done_s <= candidate.seconds.value && cost <= own &&
               (pair.done_s < candidate.seconds.value || cost < own);
      });
      EXPECT_FALSE(candidate.is_on_front && beaten) << i << " " << candidate.configuration;
      EXPECT_TRUE(candidate.is_on_front || beaten ||
                  std::ranges::count_if(advice->candidates,
                                        [&](const auto& other) {
                                          return other.cost.amount == candidate.cost.amount &&
                                                 other.seconds.value == candidate.seconds.value;
                                        }) > 1)
          << i << " " << candidate.configuration;
    }
  }
  EXPECT_GT(chosen, 1000) << "or nothing was compared";
}

TEST(Rules, AreEachOffersOwnAlsoWithinAProvider) {
  auto ordinary = machine("GPU-3070-S", 8, "1", "RTX3070", 1, ""),
       other = machine("RENDER-S", 10, "1.5", "P100", 1, "");
  ordinary.provider = other.provider = "scaleway";
  const std::vector offers{ordinary, other};
  const std::vector configurations{on_gpu("a", "RTX3070", 60), on_gpu("b", "P100", 60)};
  const auto advice = advise(configurations, offers, asked()).value();
  EXPECT_EQ(candidate_of(advice, "a").rule, "scaleway-gpu");
  EXPECT_EQ(candidate_of(advice, "b").rule, "scaleway-cpu") << "RENDER-S is billed by the hour";
}

}  // namespace
}  // namespace neph::advise
