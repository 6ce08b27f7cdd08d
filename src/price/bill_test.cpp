// Bills of one or more starts. Invoices computed by hand: invoices_test.cpp; what must hold of every bill:
// bill_properties_test.cpp.
#include "price/bill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.hpp"
#include "price/ledger.hpp"

namespace neph::price {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

Start start_of(const Rule& rule, std::string_view begin,
               const std::vector<std::pair<BillStage, const char*>>& stages) {
  Start start{.begin = parse_instant(begin, rule.time_zone, {}).value()};
  for (const auto& [stage, length] : stages)
    start.stretches.push_back({.stage = stage, .length = parse_length(length).value()});
  return start;
}

using enum BillStage;
const std::vector<std::pair<BillStage, const char*>> published{
    {boot, "40s"}, {install, "5min"}, {learn, "20min"}, {save, "15s"}};

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

TEST(Bill, KnowsDaysAndPartsOfDaysOfTheClock) {
  auto rule = berlin_hours();
  const auto paid = [&](std::string_view begin, const char* length) {
    const std::vector starts{start_of(rule, begin, {{learn, length}})};
    return bill(rule, parse_price("1EUR/h").value(), starts).value().billed;
  };
  rule.step_s = 86400;
  EXPECT_EQ(paid("2026-03-29T10:00", "1h"), hours(23));
  EXPECT_EQ(paid("2026-10-25T00:30", "10h"), hours(25));
  EXPECT_EQ(paid("2026-10-24T23:00", "2h"), hours(49)) << "two days";
  EXPECT_EQ(paid("2026-11-24T23:00", "1h"), hours(24));
  rule.step_s = 6 * 3600;
  EXPECT_EQ(paid("2026-10-25T05:00", "1h"), hours(7)) << "from 0 to 6 o'clock";
  EXPECT_EQ(paid("2026-10-25T06:00", "1h"), hours(6));
  EXPECT_EQ(paid("2026-03-29T05:00", "2h"), hours(5 + 6));
  rule.step_s = 3600;
  rule.time_zone = "Asia/Kolkata";
  EXPECT_EQ(paid("2026-11-24T13:05", "50min"), hours(1));
  rule.time_zone = "Australia/Lord_Howe";  // moved by half an hour
  EXPECT_EQ(paid("2026-04-05T01:15+11:00", "30min"), hours(1));
  EXPECT_EQ(paid("2026-04-05T01:15+11:00", "1h"), minutes(90)) << "to 1:45, half an hour later";
  EXPECT_EQ(paid("2026-04-05T02:15", "30min"), hours(1));
}

TEST(Bill, IsNeverBelowTheMinimumWhereStepsAreRoundedDown) {
  Rule rule{.name = "down", .step_s = 60, .rounding = Rounding::down, .minimum_s = 90};
  const auto made = [&](const char* length) {
    const std::vector starts{start_of(rule, "2026-01-01T00:00", {{learn, length}})};
    return bill(rule, parse_price("1USD/h").value(), starts).value();
  };
  EXPECT_EQ(made("1s").billed, seconds(90));
  EXPECT_EQ(made("119s").billed, seconds(90));
  EXPECT_EQ(made("120s").billed, seconds(120));
  EXPECT_EQ(instant_text(made("1s").paid_until, "UTC").value(), "2026-01-01T00:02:00+00:00");
  rule.minimum_per = MinimumPer::bill;
  EXPECT_EQ(made("1s").billed, seconds(90));
  EXPECT_EQ(instant_text(made("61s").paid_until, "UTC").value(), "2026-01-01T00:02:00+00:00");
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
  EXPECT_EQ(rounding("azure-2017", {{learn, "119s"}}), Wanted("13:26:59", "13:27:00", -59, "-0.059"))
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

}  // namespace
}  // namespace neph::price
