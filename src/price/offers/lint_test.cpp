#include "price/offers/lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.hpp"
#include "price/offers/dates.hpp"

namespace neph::price {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Catalogue read(std::string_view text, const std::string& provider = "aws") {
  return parse_catalogue(text, {.file = "prices.csv", .provider = provider, .date = "2026-11-20"}).value();
}

std::vector<std::string> lint(const Catalogue& list, std::string_view today = "2026-11-25") {
  std::vector<std::string> all;
  for (const auto& finding : lint_catalogue(list, built_in_rules(), today))
    all.push_back(fmt::format("{} {}: {}", kind_of(finding.flaw).code, finding.line, finding.what));
  return all;
}

constexpr std::string_view heading = "InstanceType,vCPUs,MemoryGiB,Price,Region,AvailabilityZone\n";

std::string rows(std::initializer_list<std::string_view> of_machine) {
  std::string text(heading);
  for (const auto row : of_machine) text += fmt::format("m5.large,2,8,{}\n", row);
  return text;
}

TEST(Lint, FindsNothingInAGoodList) {
  EXPECT_THAT(lint(read(rows({"0.096,us-east-1,a", "0.096,us-east-1,b", "0.107,eu-west-1,a"}))), IsEmpty());
}

TEST(Lint, ComparesAMachinesPrices) {
  const auto found = lint(read(rows({"0.096,us-east-1,a", "0.1,us-east-1,a", "0.107,eu-west-1,a",
                                     "0.112,eu-west-3,a", "1.07,eu-west-2,a", "0.01,ap-south-1,a"})));
  EXPECT_THAT(found, Contains("other-price 3: aws/m5.large@us-east-1: 0.10, and 0.096 in line 2"));
  EXPECT_THAT(found,
              Contains(HasSubstr("price-outlier 6: aws/m5.large@eu-west-2: 1.07, and the median of 5")));
  EXPECT_THAT(found, Contains(HasSubstr("price-outlier 7")));
  EXPECT_THAT(found, Not(Contains(HasSubstr("price-outlier 4"))));
}

TEST(Lint, LooksAtTheWholeFile) {
  EXPECT_THAT(lint(read(rows({"0.096,us-east-1,a"}))), Contains(HasSubstr("us-only 0")));
  EXPECT_THAT(lint(read(rows({"0.096,eu-west-1,a"})), "2027-01-25"),
              Contains("stale 0: of 2026-11-20, 66 days ago"));
  EXPECT_THAT(lint(read(rows({"0.096,eu-west-1,a"}), "mycloud")), Contains("unknown-provider 0: mycloud"));
  EXPECT_THAT(lint(read("instance,price,currency,rule\na,1,USD,gpc\nb,1,EUR,gcp\n")),
              testing::AllOf(Contains("several-currencies 0: EUR, USD"), Contains("unknown-rule 2: gpc"),
                             Not(Contains(HasSubstr("unknown-rule 3")))));
}

TEST(Lint, CountsARegionOnceHoweverItsRowsLie) {
  const auto found = lint(read(
      rows({"0.1,us-east-1,a", "0.1,eu-west-1,a", "0.1,us-east-1,b", "0.1,eu-west-1,b", "1,eu-west-1,c"})));
  EXPECT_THAT(found, Not(Contains(HasSubstr("price-outlier")))) << "two regions say nothing of a median";
}

TEST(Lint, SaysWhichProviderNoRuleBills) {
  EXPECT_THAT(lint(read(rows({"0.1,eu-west-1,a"}), "nebius")), Contains("no-rule 0: nebius"));
  EXPECT_THAT(lint(read(rows({"0.1,eu-west-1,a"}), "vast")), Not(Contains(HasSubstr("no-rule"))));
}

TEST(Lint, SaysWhatAChoiceWouldMiss) {
  EXPECT_THAT(lint(read("InstanceType,Price,Region\nm5.large,1,\n")),
              testing::AllOf(Contains("no-size 2: aws/m5.large"), Contains("no-region 2: aws/m5.large")));
}

TEST(Lint, FindsDaysToComeAndMachinesTooLarge) {
  EXPECT_THAT(lint(read(rows({"0.096,eu-west-1,a"})), "2026-11-19"),
              Contains("future-date 0: of 2026-11-20, and today is 2026-11-19"));
  const auto found =
      lint(read("instance,memory_gib,vcpus,price,currency,date\na,4096000,8,1,USD,2027\n"
                "b,32768,1920,1,USD,2026\n"));
  EXPECT_THAT(found, Contains("size-odd 2: aws/a: 8 vCPUs, 4096000 GiB"));
  EXPECT_THAT(found, Contains("future-date 0: of 2027, and today is 2026-11-25"));
  EXPECT_THAT(found, Not(Contains(HasSubstr("size-odd 3"))));
  EXPECT_THAT(found, Not(Contains(HasSubstr("of 2026,"))));
}

constexpr std::string_view gpu_heading =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n";

std::vector<std::string> offered(const Catalogue& list) {
  std::vector<std::string> all;
  for (const auto& offer : list.offers) all.push_back(offer_name(offer));
  return all;
}

TEST(Plausible, IsNoPriceThatIsFarBelowAny) {
  const auto list = read(std::string(gpu_heading) +
                             "neb-b200.1x,B200,1,20,200,0.01,0.01,a\nneb-b200.8x,B200,8,160,1600,0.08,,a\n"
                             "h200.1x,H200,1,20,200,1.0,1.0,a\nh100.1x,H100,1,20,200,,0.001,a\n"
                             "l40s.1x,L40S,1,8,64,0.9,0.0001,a\nx1,MI355X,1,8,64,3,,a\ncpu,,,96,64,0.001,,a\n"
                             "small,,,2,1,0.0042,0.0013,a\n",
                         "mithril");
  EXPECT_THAT(offered(list), testing::ElementsAre("mithril/h200.1x@a", "mithril/l40s.1x@a", "mithril/x1@a",
                                                  "mithril/small@a"));
  EXPECT_EQ(list.offers[1].spot_per_hour, std::nullopt) << "the price on demand is a good one";
  const auto found = lint(list);
  EXPECT_THAT(found, Contains("implausible-price 2: mithril/neb-b200.1x@a: 0.01 an hour, and such machines "
                              "cost more than 0.18"));
  for (const auto* each :
       {"implausible-price 3", "implausible-price 5", "bad-spot-price 6", "implausible-price 8"})
    EXPECT_THAT(found, Contains(HasSubstr(each)));
  EXPECT_THAT(left_out_text(list.findings), HasSubstr("prices too low to be true: 4"));
}

TEST(Plausible, IsNoPriceOfManyGpusForThatOfOne) {
  const auto runpod = read(std::string(gpu_heading) +
                               "1x_RTXA6000_SECURE,RTXA6000,1,4,48,0.79,0.49,US\n"
                               "2x_RTXA6000_SECURE,RTXA6000,2,8,96,0.79,0.49,US\n"
                               "8x_RTXA6000_SECURE,RTXA6000,8,32,384,0.79,0.49,US\n"
                               "2x_RTXA6000_COMMUNITY,RTXA6000,2,8,96,0.66,,US\n"
                               "2x_RTXA6000_SECURE,RTXA6000,2,8,96,1.58,,CA\n",
                           "runpod");
  EXPECT_THAT(offered(runpod),
              testing::ElementsAre("runpod/1x_RTXA6000_SECURE@US", "runpod/2x_RTXA6000_COMMUNITY@US",
                                   "runpod/2x_RTXA6000_SECURE@CA"));
  EXPECT_THAT(lint(runpod),
              Contains(HasSubstr("implausible-price 4: runpod/8x_RTXA6000_SECURE@US: 0.79 for 8 GPUs, "
                                 "as line 2 for 1")));
  EXPECT_EQ(read(std::string(gpu_heading) + "g4dn.16xlarge,T4,1,64,256,4.352,,us-east-1\n"
                                            "g4dn.12xlarge,T4,4,48,192,3.912,,us-east-1\n")
                .offers.size(),
            2U)
      << "the one has more vCPUs";
  EXPECT_EQ(read(std::string(gpu_heading) + "1x-RTX_4090-32,RTX4090,1,32,64,0.45,,FR\n"
                                            "2x-RTX_4090-64,RTX4090,2,64,128,0.40,,FR\n",
                 "vast")
                .offers.size(),
            2U)
      << "they are of different owners";
}

TEST(Plausible, IsEveryPriceOfAUsersOwnList) {
  EXPECT_EQ(
      read("instance,gpu,gpus,price,currency\na,B200,1,0.01,USD\nb,B200,8,0.01,USD\n", "own").offers.size(),
      2U);
}

TEST(ListSource, ThatIsAPathLetsAllOfASkyPilotList) {
  const auto provider_in = [](const std::string& file, const std::string& headings) {
    return parse_catalogue(headings + ",Price,Provider\nH100_dallas-usa-1,2.6,sesterce\n",
                           {.file = file, .provider = {}, .date = {}})
        .value()
        .offers[0]
        .provider;
  };
  EXPECT_EQ(provider_in("/x/v8/spheron/vms.csv", "InstanceType"), "spheron");
  EXPECT_EQ(provider_in("/x/prices.csv", "InstanceType"), "sesterce") << "nothing else says whose it is";
  EXPECT_EQ(provider_in("/x/v8/spheron/vms.csv", "instance"), "sesterce") << "a list of one's own";
}

TEST(LintText, HasCountsAndTheFirstLinesOfEach) {
  const auto list = read(std::string(heading) +
                         "m5.large,2,8,,eu-west-1,a\nm5.large,2,8,,eu-west-1,b\n"
                         "m5.large,2,8,,eu-west-1,c\nm5.large,2,8,1,eu-west-1,d\n");
  const auto findings = lint_catalogue(list, built_in_rules(), "2026-11-25");
  EXPECT_EQ(lint_text(list, findings, 2),
            "prices.csv: skypilot, 4 rows, 1 offer, 3 findings\n"
            "\n"
            "error: rows without a price: 3, left out\n"
            "  an empty price is not 0: take the price from the provider, or leave the row out\n"
            "  line 2: m5.large\n"
            "  line 3: m5.large\n"
            "  ... and 1 more; --lines N shows N of each, --json all\n");
  const auto json = lint_json(list, findings);
  EXPECT_EQ(json["findings"].size(), 3);
  EXPECT_EQ(json["counts"]["no-price"], 3);
}

TEST(Days, AreCounted) {
  EXPECT_EQ(days_between("2026-02-28", "2026-03-01"), 1);
  EXPECT_EQ(days_between("2026-11-24T13:25", "2026-11-24"), 0);
  EXPECT_EQ(days_between("2026", "2026-11-24"), std::nullopt);
  EXPECT_EQ(days_between("2026-13-01", "2026-11-24"), std::nullopt);
  for (const auto* day : {"2026", "2026-11", "2026-11-30", "2026-11-30T12:00"})
    EXPECT_TRUE(is_date(day)) << day;
  for (const auto* none :
       {"", "26", "31.11.2026", "2026-11-31", "2026-13", "2026-11-3", "2026-11-300", "20x6", "-026"})
    EXPECT_FALSE(is_date(none)) << none;
}

}  // namespace
}  // namespace neph::price
