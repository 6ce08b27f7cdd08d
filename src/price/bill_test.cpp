// Invoices computed by hand, and what must hold of every bill.
#include "price/bill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "price/ledger.hpp"

namespace neph::price {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

struct Case {
  const char* rule;
  const char* price;
  const char* begin;  ///< on the rule's clock
  std::vector<std::pair<BillStage, const char*>> stages;
  std::int64_t billed_s;
  const char* total;
};

Start start_of(const Rule& rule, std::string_view begin,
               const std::vector<std::pair<BillStage, const char*>>& stages) {
  Start start{.begin = parse_instant(begin, rule.time_zone, {}).value()};
  for (const auto& [stage, length] : stages)
    start.stretches.push_back({.stage = stage, .length = parse_length(length).value()});
  return start;
}

class Invoice : public testing::TestWithParam<Case> {};

TEST_P(Invoice, IsAsComputedByHand) {
  const auto& wanted = GetParam();
  const auto rule = find_rule(wanted.rule, built_in_rules()).value();
  const std::vector starts{start_of(rule, wanted.begin, wanted.stages)};
  const auto result = bill(rule, parse_price(wanted.price).value(), starts).value();
  EXPECT_EQ(result.billed, Nanoseconds(seconds(wanted.billed_s)));
  EXPECT_EQ(decimal_text(result.amount), wanted.total);
  Exact sum = 0;
  for (const auto& line : result.lines) sum += line.amount;
  EXPECT_EQ(sum, result.amount);
}

using enum BillStage;
const std::vector<std::pair<BillStage, const char*>> published{
    {boot, "40s"}, {install, "5min"}, {learn, "20min"}, {save, "15s"}};

INSTANTIATE_TEST_SUITE_P(
    Rules, Invoice,
    testing::Values(
        // AWS: at least a minute a start; stopping is free.
        Case{"aws-ec2", "3.6USD/h", "2026-11-24T13:25", {{learn, "59s"}}, 60, "0.06"},
        Case{"aws-ec2", "3.6USD/h", "2026-11-24T13:25", {{learn, "60s"}}, 60, "0.06"},
        Case{"aws-ec2", "3.6USD/h", "2026-11-24T13:25", {{learn, "60.000000001s"}}, 61, "0.061"},
        Case{"aws-ec2",
             "3.6USD/h",
             "2026-11-24T13:25",
             {{provision, "90s"}, {learn, "70s"}, {poweroff, "30s"}},
             70,
             "0.07"},
        Case{"aws-ec2", "3.6USD/h", "2026-11-24T23:59", {{learn, "48h"}}, 172800, "172.80"},
        Case{"aws-ec2", "12.24USD/h", "2026-11-24T13:25", published, 1555, "5.287"},
        Case{"aws-ec2", "1USD/h", "2026-11-24T13:25", {{provision, "10min"}}, 0, "0.00"},
        // Google: the same minimum, but stopping is paid; in 2017 ten minutes, then minutes.
        Case{"gcp", "3.6USD/h", "2026-11-24T13:25", {{learn, "30s"}, {poweroff, "31s"}}, 61, "0.061"},
        Case{"gcp", "3.6USD/h", "2026-11-24T13:25", {{learn, "1s"}}, 60, "0.06"},
        Case{"gcp-2017", "6USD/h", "2017-03-01T13:25", {{learn, "1s"}}, 600, "1.00"},
        Case{"gcp-2017", "6USD/h", "2017-03-01T13:25", {{learn, "10min"}}, 600, "1.00"},
        Case{"gcp-2017", "6USD/h", "2017-03-01T13:25", {{learn, "601s"}}, 660, "1.10"},
        Case{"gcp-2017", "6USD/h", "2017-03-01T13:25", published, 1560, "2.60"},
        // Azure: what is only shut down is paid; in 2017 minutes that were begun were free.
        Case{"azure", "0.9USD/h", "2026-11-24T13:25", {{learn, "10min"}, {off, "50min"}}, 3600, "0.90"},
        Case{"azure-2017", "0.9USD/h", "2017-03-01T13:25", {{learn, "119s"}}, 60, "0.015"},
        Case{"azure-2017", "0.9USD/h", "2017-03-01T13:25", {{learn, "59s"}}, 0, "0.00"},
        // Minutes and hours from the start.
        Case{"lambda", "6.32USD/h", "2026-11-24T13:25", {{learn, "61s"}}, 120, "0.210667"},
        Case{"lambda", "6.32USD/h", "2026-11-24T13:25", {{learn, "2min"}}, 120, "0.210667"},
        Case{"scaleway-gpu", "3EUR/h", "2026-11-24T13:25", published, 1560, "1.30"},
        Case{"scaleway-cpu", "3EUR/h", "2026-11-24T13:25", published, 3600, "3.00"},
        Case{"scaleway-cpu", "3EUR/h", "2026-11-24T13:25", {{learn, "1h"}, {save, "1ns"}}, 7200, "6.00"},
        Case{"ru-2017-10min", "60RUB/h", "2017-03-01T13:25", published, 1800, "30.00"},
        Case{"ru-2017-hour", "60RUB/h", "2017-03-01T13:25", published, 3600, "60.00"},
        // Vast: creating is free, loading is not.
        Case{"vast",
             "3.6USD/h",
             "2026-11-24T13:25",
             {{provision, "5min"}, {boot, "10s"}, {learn, "1min"}},
             70,
             "0.07"},
        Case{"yandex", "3.6RUB/h", "2026-11-24T13:25", {{learn, "1.5s"}}, 2, "0.002"},
        Case{"exact", "3.6USD/h", "2026-11-24T13:25", {{learn, "1s"}}, 1, "0.001"},
        // Selectel: hours of the clock, all that a start touches.
        Case{"selectel", "100RUB/h", "2026-11-24T13:25", {{learn, "15min"}}, 3600, "100.00"},
        Case{"selectel", "100RUB/h", "2026-11-24T13:25", published, 3600, "100.00"},
        Case{"selectel", "100RUB/h", "2026-11-24T13:50", published, 7200, "200.00"},
        Case{"selectel", "100RUB/h", "2026-11-24T13:02", published, 3600, "100.00"},
        Case{"selectel", "100RUB/h", "2026-11-24T13:00", {{learn, "1h"}}, 3600, "100.00"},
        Case{"selectel", "100RUB/h", "2026-11-24T13:00", {{learn, "1h"}, {off, "1ns"}}, 7200, "200.00"},
        Case{"selectel", "100RUB/h", "2026-11-24T23:59", {{learn, "2min"}}, 7200, "200.00"},
        Case{"selectel", "100RUB/h", "2026-11-24T13:00", {{learn, "0"}}, 0, "0.00"}));

Rule berlin_hours() {
  return parse_rule(
             "name = \"b\"\nstep_s = 3600\nalign = \"clock\"\ntime_zone = \"Europe/Berlin\"\nsource = "
             "\"t\"\ndate = \"2026\"",
             "rule")
      .value();
}

TEST(Bill, KnowsTheHourThatIsSkippedAndTheOneThatIsThereTwice) {
  const auto rule = berlin_hours();
  const auto price = parse_price("1EUR/h").value();
  const auto total = [&](std::string_view begin, const char* length) {
    const std::vector starts{start_of(rule, begin, {{learn, length}})};
    return decimal_text(bill(rule, price, starts).value().amount);
  };
  EXPECT_EQ(total("2026-03-29T01:30", "1h"), "2.00") << "to 03:30, an hour later";
  EXPECT_EQ(total("2026-10-25T01:30", "2h"), "3.00") << "1, 2 and again 2 o'clock";
}

TEST(Bill, PaysAnHourOfTheClockOnceForTwoStarts) {
  auto rule = find_rule("selectel", built_in_rules()).value();
  const auto price = parse_price("100RUB/h").value();
  const std::vector starts{start_of(rule, "2026-11-24T13:05", {{learn, "10min"}}),
                           start_of(rule, "2026-11-24T13:40", {{learn, "10min"}})};
  EXPECT_EQ(decimal_text(bill(rule, price, starts).value().amount), "100.00");
  rule.within = Within::sum;
  EXPECT_EQ(decimal_text(bill(rule, price, starts).value().amount), "200.00");
}

TEST(Bill, HasAMinimumForEachStartOrOne) {
  auto rule = find_rule("aws-ec2", built_in_rules()).value();
  const auto price = parse_price("3.6USD/h").value();
  const std::vector starts{start_of(rule, "2026-11-24T13:05", {{learn, "10s"}}),
                           start_of(rule, "2026-11-24T13:40", {{learn, "15s"}})};
  EXPECT_EQ(bill(rule, price, starts).value().billed, seconds(120));
  rule.minimum_per = MinimumPer::bill;
  EXPECT_EQ(bill(rule, price, starts).value().billed, seconds(60));
}

TEST(Bill, SaysUntilWhenMoreWorkCostsNothing) {
  const auto rule = find_rule("selectel", built_in_rules()).value();
  const std::vector starts{start_of(rule, "2026-11-24T13:25", published)};
  const auto result = bill(rule, parse_price("100RUB/h").value(), starts).value();
  EXPECT_EQ(instant_text(result.paid_until, rule.time_zone).value(), "2026-11-24T14:00:00+03:00");
  EXPECT_EQ(result.lines.back().end - result.lines.back().begin, minutes(9) + seconds(5));
}

TEST(Bill, SaysUntilWhenWorkIsFreeWithOneMinimumForAllStarts) {
  Rule rule{.name = "ten", .step_s = 60, .minimum_s = 600, .minimum_per = MinimumPer::bill};
  const auto price = parse_price("6USD/h").value();
  const auto until = [&](const std::vector<Start>& starts) {
    return instant_text(bill(rule, price, starts).value().paid_until, "UTC").value();
  };
  const auto first = start_of(rule, "2026-01-01T00:00", {{learn, "2min"}});
  const auto second = start_of(rule, "2026-01-01T01:00", {{learn, "90s"}});
  EXPECT_EQ(until({first}), "2026-01-01T00:10:00+00:00");
  EXPECT_EQ(until({first, second}), "2026-01-01T01:08:00+00:00") << "2 of 10 min are of the first start";
  rule.align = Align::clock;
  EXPECT_EQ(until({start_of(rule, "2026-01-01T00:00:30", {{learn, "2min"}})}), "2026-01-01T00:10:00+00:00");
  rule.within = Within::most;
  EXPECT_EQ(until({first, second}), "2026-01-01T01:08:00+00:00");
}

TEST(Bill, HasALineForWhatRoundingAdds) {
  const auto price = parse_price("3.6USD/h").value();
  const auto rounding = [&](const char* name, const std::vector<std::pair<BillStage, const char*>>& stages) {
    const auto rule = find_rule(name, built_in_rules()).value();
    const auto result = bill(rule, price, std::vector{start_of(rule, "2026-11-24T13:25", stages)}).value();
    const auto line = bill_json(rule, price, result).value()["lines"].back();
    EXPECT_EQ(line["stage"], "rounding");
    return std::tuple(line["begin"].get<std::string>().substr(11, 8),
                      line["end"].get<std::string>().substr(11, 8), line["length_s"].get<double>(),
                      line["amount"].get<std::string>());
  };
  using Wanted = std::tuple<std::string, std::string, double, std::string>;
  EXPECT_EQ(rounding("aws-ec2", {{learn, "20min"}, {poweroff, "30s"}}),
            Wanted("13:45:00", "13:45:00", 0, "0.00"));
  EXPECT_EQ(rounding("aws-ec2", {{learn, "20s"}, {poweroff, "30s"}}),
            Wanted("13:25:20", "13:26:00", 40, "0.04"));
  EXPECT_EQ(rounding("selectel", {{learn, "15min"}}), Wanted("13:40:00", "14:00:00", 2700, "2.70"))
      << "of the hour 25 min were before";
  EXPECT_EQ(rounding("azure-2017", {{learn, "119s"}}), Wanted("13:26:59", "13:26:59", -59, "-0.059"))
      << "given back";
  EXPECT_EQ(rounding("aws-ec2", {{provision, "10min"}}), Wanted("13:35:00", "13:35:00", 0, "0.00"));
}

TEST(Bill, SaysHowEachLengthIsKnownButOfRounding) {
  const auto rule = find_rule("exact", built_in_rules()).value();
  const auto price = parse_price("1USD/h").value();
  auto start = start_of(rule, "2026-11-24T13:05", {{boot, "40s"}, {learn, "1h"}});
  start.stretches[0].known = Known::given;
  const auto result = bill(rule, price, std::vector{start}).value();
  const auto lines = bill_json(rule, price, result).value()["lines"];
  EXPECT_EQ(lines[0]["known"], "given");
  EXPECT_EQ(lines[1]["known"], "measured");
  EXPECT_FALSE(lines[2].contains("known")) << lines[2];
  EXPECT_THAT(bill_text(rule, price, result).value(), HasSubstr("given"));
}

TEST(Bill, RefusesTimesThatCannotBe) {
  const auto rule = find_rule("gcp", built_in_rules()).value();
  const auto price = parse_price("1USD/h").value();
  Start wrong{.begin = {}, .stretches = {{.stage = learn, .length = seconds(-1)}}};
  EXPECT_THAT(bill(rule, price, std::vector{wrong}).error().text(), HasSubstr("learn ends before it begins"));
  const std::vector overlapping{start_of(rule, "2026-11-24T13:05", {{learn, "1h"}}),
                                start_of(rule, "2026-11-24T13:40", {{learn, "15s"}})};
  EXPECT_THAT(bill(rule, price, overlapping).error().text(),
              HasSubstr("start 2 begins before start 1 has ended"));
}

TEST(Bill, RefusesLengthsThatTogetherPassAHundredYears) {
  const auto rule = find_rule("exact", built_in_rules()).value();
  const auto price = parse_price("1RUB/h").value();
  const auto long_one = start_of(rule, "1970-01-01T00:00", {{learn, "800000h"}});
  EXPECT_EQ(decimal_text(bill(rule, price, std::vector{long_one}).value().amount), "800000.00");
  Start four = long_one;
  four.stretches.resize(4, long_one.stretches[0]);
  EXPECT_THAT(bill(rule, price, std::vector{four}).error().text(), HasSubstr("longer than 100 years"));
  Start later = long_one;
  later.begin += std::chrono::hours(800000);
  EXPECT_THAT(bill(rule, price, std::vector{long_one, later}).error().text(),
              HasSubstr("longer than 100 years"));
}

TEST(Bill, RefusesMinimaThatTogetherPassAHundredYears) {
  Rule rule{.name = "years", .minimum_s = 31622400};
  std::vector<Start> starts;
  for (int i = 0; i < 300; ++i)
    starts.push_back({.begin = Instant(seconds(i)), .stretches = {{.stage = learn, .length = seconds(1)}}});
  EXPECT_THAT(bill(rule, parse_price("1USD/h").value(), starts).error().text(),
              HasSubstr("longer than 100 years"));
}

std::vector<Stretch> stretches_of(const std::vector<BillStage>& stages) {
  std::vector<Stretch> stretches;
  for (const auto stage : stages) stretches.push_back({.stage = stage, .length = seconds(1)});
  return stretches;
}

TEST(JobsOnOneStart, RepeatsTheStagesOfAJob) {
  const auto all = jobs_on_one_start(stretches_of({boot, data_load, learn, learn, save, off}), 2).value();
  std::vector<BillStage> stages;
  for (const auto& stretch : all) stages.push_back(stretch.stage);
  EXPECT_THAT(stages,
              testing::ElementsAre(boot, data_load, learn, learn, save, data_load, learn, learn, save, off));
}

TEST(JobsOnOneStart, LeavesTheStagesOfASingleJobAsGiven) {
  const auto all = jobs_on_one_start(stretches_of({learn, boot}), 1).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].stage, learn);
}

TEST(JobsOnOneStart, RefusesStagesOutOfTheirOrder) {
  EXPECT_THAT(jobs_on_one_start(stretches_of({boot, learn, install}), 2).error().text(),
              HasSubstr("install cannot come after learn with several jobs"));
}

/// Rules and starts at random, from a seed.
class Anything {
 public:
  explicit Anything(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  Rule rule() {
    Rule rule{.name = "any"};
    constexpr std::array steps{0, 1, 60, 600, 3600};
    rule.step_s = steps.at(static_cast<std::size_t>(below(5)));
    constexpr std::array minima{0, 60, 3600, 14400};
    rule.minimum_s = minima.at(static_cast<std::size_t>(below(4)));
    if (rule.step_s > 0 && below(2) == 0) rule.align = Align::clock;
    if (rule.align == Align::start && below(4) == 0) rule.rounding = Rounding::down;
    if (rule.align == Align::clock && below(2) == 0) rule.within = Within::most;
    if (below(2) == 0) rule.minimum_per = MinimumPer::bill;
    rule.billed.boot = below(2) == 0;
    rule.billed.poweroff = below(2) == 0;
    rule.billed.off = below(2) == 0;
    return rule;
  }
  Nanoseconds length() { return Nanoseconds(below(3'000'000) * below(3'000'000)); }
  Start start(Instant earliest) {
    Start start{.begin = earliest + length()};
    for (const auto stage : {boot, learn, save, poweroff, off})
      start.stretches.push_back({.stage = stage, .length = length()});
    return start;
  }

 private:
  Random random_;
};

void expect_sound(const Bill& bill, std::uint64_t seed) {
  Exact sum = 0;
  Nanoseconds length{};
  for (const auto& line : bill.lines) {
    sum += line.amount;
    if (line.is_billed) length += line.length;
    EXPECT_LE(line.begin, line.end) << seed;
  }
  EXPECT_EQ(sum, bill.amount) << seed;
  EXPECT_EQ(length, bill.billed) << seed;
  EXPECT_GE(bill.amount, 0) << seed;
}

TEST(Bill, KeepsItsPromisesForAnyRule) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Anything any(seed);
    const auto rule = any.rule();
    auto start = any.start(Instant(seconds(1795600000)));
    const auto one = bill(rule, price, std::vector{start}).value();
    expect_sound(one, seed);
    const Nanoseconds step = seconds(rule.step_s);
    const Nanoseconds minimum = seconds(rule.minimum_s);
    EXPECT_GE(one.billed, rule.rounding == Rounding::up ? one.exact : one.exact - step) << seed;
    const bool has_gap = rule.billed.off && !rule.billed.poweroff;
    const int steps = rule.align == Align::start ? 1 : has_gap ? 4 : 2;  // begun at both ends
    EXPECT_LE(one.billed, std::max(minimum, one.exact) + step * steps) << seed;
    // By the clock later stages may come to lie better when one before a gap is longer.
    start.stretches[rule.billed.off ? 4 : 1].length += any.length();
    const auto longer = bill(rule, price, std::vector{start}).value();
    EXPECT_GE(longer.amount, one.amount) << "longer, " << seed;
    auto finer = rule;
    finer.step_s = rule.step_s / 60;
    if (rule.rounding == Rounding::up && (finer.step_s > 0 || rule.align == Align::start)) {
      EXPECT_LE(bill(finer, price, std::vector{start}).value().amount, longer.amount)
          << "finer steps, " << seed;
    }
  }
}

TEST(Bill, CostsTheSameUntilThePaidTimeEndsForAnyRule) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Anything any(seed);
    const auto rule = any.rule();
    std::vector starts{any.start(Instant(seconds(1795600000)))};
    for (auto more = any.below(3); more > 0; --more) {
      auto end = starts.back().begin;
      for (const auto& stretch : starts.back().stretches) end += stretch.length;
      starts.push_back(any.start(end));
    }
    starts.back().stretches.resize(3);  // it ends as work ends
    const auto before = bill(rule, price, starts).value();
    expect_sound(before, seed);
    auto& work = starts.back().stretches.back();
    const auto& rounding = before.lines.back();
    work.length += before.paid_until - rounding.begin;
    EXPECT_EQ(bill(rule, price, starts).value().amount, before.amount) << seed;
    if (rule.rounding == Rounding::down) continue;  // then a little more may be free
    work.length += Nanoseconds(1);
    EXPECT_GT(bill(rule, price, starts).value().amount, before.amount) << seed;
  }
}

TEST(Bill, IsNeverSmallerWhenAStartIsSplit) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Anything any(seed);
    auto rule = any.rule();
    rule.rounding = Rounding::up;  // down, each part loses a step
    const auto whole = any.start(Instant(seconds(1795600000)));
    Start one = whole;
    Start other = whole;
    one.stretches.resize(2);
    other.stretches.erase(other.stretches.begin(), other.stretches.begin() + 2);
    other.begin = whole.begin + one.stretches[0].length + one.stretches[1].length;
    EXPECT_GE(bill(rule, price, std::vector{one, other}).value().amount,
              bill(rule, price, std::vector{whole}).value().amount)
        << seed;
  }
}

}  // namespace
}  // namespace neph::price
