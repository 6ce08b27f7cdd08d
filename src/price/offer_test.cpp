#include "price/offer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "price/offer_table.hpp"
#include "price/rate.hpp"
#include "price/region.hpp"
#include "price/selection.hpp"

namespace neph::price {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Offer offer(const std::string& provider, const std::string& instance, const std::string& region,
            Exact price) {
  Offer made;
  made.provider = provider;
  made.instance = instance;
  made.region = region;
  made.per_hour = std::move(price);
  return made;
}

Offer with_gpu(Offer made, const std::string& gpu, std::int64_t gpus) {
  made.gpu = gpu;
  made.gpus = gpus;
  return made;
}

std::vector<Offer> some() {
  auto attached = with_gpu(offer("gcp", "n1-standard-8", "us-central1", 3), "V100", 1);
  attached.gpu_is_attached = true;
  auto two = with_gpu(offer("gcp", "n1-standard-8", "us-central1", 5), "V100", 2);
  two.gpu_is_attached = true;
  return {offer("aws", "m5.large", "us-east-1", Exact(96, 1000)),
          offer("aws", "m5.large", "eu-west-1", Exact(107, 1000)),
          with_gpu(offer("aws", "p3.8xlarge", "us-east-1", 12), "V100", 4),
          offer("gcp", "n1-standard-8", "us-central1", Exact(38, 100)),
          attached,
          two};
}

std::vector<std::string> names(const std::vector<Offer>& offers) {
  std::vector<std::string> all;
  for (const auto& each : offers) all.push_back(offer_name(each));
  return all;
}

std::vector<std::string> found(std::string_view name) { return names(find_offers(name, some()).value()); }
std::string missed(std::string_view name) { return find_offers(name, some()).error().text(); }

TEST(OfferName, FindsTheCheapestFirst) {
  EXPECT_THAT(found("aws/m5.large"), ElementsAre("aws/m5.large@us-east-1", "aws/m5.large@eu-west-1"));
  EXPECT_THAT(found("AWS/M5.large@eu"), ElementsAre("aws/m5.large@eu-west-1"));
  EXPECT_THAT(found("aws/p3.8xlarge"), ElementsAre("aws/p3.8xlarge@us-east-1"));
  EXPECT_THAT(found("aws/p3.8xlarge+V100:4"), ElementsAre("aws/p3.8xlarge@us-east-1"));
  EXPECT_THAT(found("gcp/n1-standard-8"), ElementsAre("gcp/n1-standard-8@us-central1"));
  EXPECT_THAT(found("gcp/n1-standard-8+v100"),
              ElementsAre("gcp/n1-standard-8+v100:1@us-central1", "gcp/n1-standard-8+v100:2@us-central1"));
  for (const auto& each : some()) EXPECT_EQ(found(offer_name(each)), std::vector{offer_name(each)});
}

TEST(OfferName, SaysWhatThereIsInstead) {
  EXPECT_THAT(missed("m5.large"), HasSubstr("give it as PROVIDER/MACHINE"));
  EXPECT_THAT(missed("azur/m5.large"), HasSubstr("unknown provider 'azur'"));
  EXPECT_THAT(missed("aws/m5.lagre"), HasSubstr("did you mean 'm5.large'?"));
  EXPECT_THAT(missed("aws/m5.large@mars"), HasSubstr("unknown region 'mars'"));
  EXPECT_THAT(missed("AWS/P3.8XLARGE@eu"), HasSubstr("AWS/P3.8XLARGE is not let in eu: it is in us-east-1"));
  EXPECT_THAT(missed("aws/p3.8xlarge@eu-west-1"), HasSubstr("is not let in eu-west-1: it is in us-east-1"));
  EXPECT_THAT(missed("gcp/n1-standard-8+v100:3"),
              HasSubstr("unknown GPU 'v100:3' in offers of gcp/n1-standard-8"));
  EXPECT_THAT(missed("gcp/n1-standard-8+v100:x"), HasSubstr("'x' is no number of GPUs"));
  EXPECT_THAT(find_offers("aws/m5.large", {}).error().text(), HasSubstr("--offers FILE"));
}

TEST(RuleOf, GoesByTheProvider) {
  const auto& rules = built_in_rules();
  const auto rule = [&](const Offer& each) { return rule_of(each, rules).value().name; };
  EXPECT_EQ(rule(offer("aws", "m5.large", "", 1)), "aws-ec2");
  EXPECT_EQ(rule(offer("scaleway", "PRO2-S", "", 1)), "scaleway-cpu");
  EXPECT_EQ(rule(with_gpu(offer("scaleway", "L4-1-24G", "", 1), "L4", 1)), "scaleway-gpu");
  EXPECT_EQ(rule(with_gpu(offer("scaleway", "RENDER-S", "", 1), "P100", 1)), "scaleway-cpu")
      << "it is billed by the hour";
  const auto assumed = rule_of(offer("nebius", "x", "", 1), rules).value();
  EXPECT_EQ(assumed.name, "per-second");
  EXPECT_THAT(assumed.title, HasSubstr("no rule of 'nebius' is known"));
  auto own = offer("aws", "x", "", 1);
  own.rule = "exact";
  EXPECT_EQ(rule(own), "exact");
  own.rule = "exakt";
  EXPECT_THAT(rule_of(own, rules).error().text(), HasSubstr("did you mean 'exact'?"));
}

TEST(OfferName, WithARegionThatThereIsMeansNoOther) {
  const std::vector offers{offer("azure", "Standard_NC6", "westus2", 1),
                           offer("azure", "Standard_NC6", "westus", 2),
                           offer("azure", "Standard_NC24", "westus2", 4)};
  EXPECT_THAT(names(find_offers("azure/Standard_NC6@WestUS", offers).value()),
              ElementsAre("azure/Standard_NC6@westus"));
  EXPECT_FALSE(find_offers("azure/Standard_NC24@westus", offers)) << "it is let in another region";
  EXPECT_THAT(names(choose(offers, {.region = "westus"})->offers), ElementsAre("azure/Standard_NC6@westus"));
  EXPECT_EQ(choose(offers, {.region = "us"})->offers.size(), 3U);
}

TEST(AskedRegion, LeavesOtherProvidersAsTheyAre) {
  const std::vector offers{offer("runpod", "a", "FR", 1), offer("scaleway", "b", "fr-par-1", 1)};
  EXPECT_EQ(choose(offers, {.region = "fr"})->offers.size(), 2U);
}

TEST(Choice, SaysOfHowManyThePartOfTheWorldIsNotKnown) {
  const std::vector offers{offer("ovhcloud", "a", "GRA11", 1), offer("aws", "b", "eu-west-1", 1),
                           offer("aws", "b", "us-east-1", 1)};
  const auto chosen = choose(offers, {.region = "eu"}).value();
  EXPECT_EQ(chosen.offers.size(), 1U);
  EXPECT_EQ(chosen.without_place, 1);
  EXPECT_EQ(choose(offers, {.region = "eu-west-1"})->without_place, 0);
}

TEST(RuleOf, AUsersRuleGoesFirst) {
  auto rules = built_in_rules();
  rules.insert(
      rules.begin(),
      parse_rule("name = \"ours\"\nbills = [\"aws\"]\nsource = \"s\"\ndate = \"d\"", "ours.toml").value());
  EXPECT_EQ(rule_of(offer("aws", "m5.large", "", 1), rules).value().name, "ours");
}

TEST(Region, IsMeantByItsPartOfTheWorld) {
  for (const auto* region :
       {"eu-west-1", "europe-west4", "westeurope", "germanywestcentral", "uksouth", "FIN-01", "fr-par-1",
        "EU-CZ-1", "NL", "France, FR, EU", "europe-central-1", "eu-north1"})
    EXPECT_EQ(part_of_world(region), "eu") << region;
  for (const auto* region :
       {"us-east-1", "westus2", "US-CA-1", "Georgia, US, NA", ", US, NA", "southcentralus"})
    EXPECT_EQ(part_of_world(region), "us") << region;
  EXPECT_EQ(part_of_world("ru-central1"), "ru");
  EXPECT_EQ(part_of_world("Russia, RU, EU"), "ru") << "the country goes before the continent";
  EXPECT_EQ(part_of_world("Turkey, TR, AS"), "me");
  EXPECT_EQ(part_of_world("Israel, IL, AS"), "me");
  EXPECT_EQ(part_of_world("California, US"), "us");
  EXPECT_EQ(part_of_world("northamerica-south1"), "sa") << "Mexico";
  EXPECT_EQ(part_of_world("ICE-01"), "eu");
  EXPECT_EQ(part_of_world("usgovvirginia"), "us");
  EXPECT_EQ(part_of_world("ap-southeast-2"), "au");
  EXPECT_EQ(part_of_world("ap-southeast-1"), "asia");
  EXPECT_EQ(part_of_world("southeastasia"), "asia");
  EXPECT_EQ(part_of_world("Quebec, CA, NA"), "ca");
  EXPECT_EQ(part_of_world("northamerica-northeast1"), "ca");
  EXPECT_EQ(part_of_world("southafricanorth"), "africa");
  EXPECT_EQ(part_of_world("sa-east-1"), "sa");
  EXPECT_EQ(part_of_world("rack 7"), "");
}

TEST(Region, IsMeantByItsName) {
  EXPECT_TRUE(is_in_region("us-east", "us-east-1", ""));
  EXPECT_TRUE(is_in_region("us-east-1", "us-east-1", ""));
  EXPECT_FALSE(is_in_region("us-east-1", "us-east-11", ""));
  EXPECT_TRUE(is_in_region("use1-az1", "us-east-1", "use1-az1"));
  EXPECT_TRUE(is_in_region("FR", "fr-par-1", ""));
  EXPECT_TRUE(is_in_region("europe", "westeurope", ""));
  EXPECT_FALSE(is_in_region("eu", "ru-1", ""));
  EXPECT_FALSE(is_in_region("de", "US", "US-DE-1"));
}

TEST(Region, OfTwoLettersIsACountryAndNoState) {
  for (const auto& [asked, region] : {std::pair{"de", "US-DE-1"},
                                      {"il", "US-IL-1"},
                                      {"in", "us-in-2"},
                                      {"ga", "US-GA-2"},
                                      {"fr", "it-fr2"},
                                      {"de", "Delaware, US"},
                                      {"de", "DE, US"},
                                      {"il", "IL, US, NA"},
                                      {"ca", "US-CA-2"},
                                      {"ca", "it-ca1"},
                                      {"me", "US-ME-1"},
                                      {"se", "br-se1"}})
    EXPECT_FALSE(is_in_region(asked, region, "")) << asked << " " << region;
  for (const auto& [asked, region] : {std::pair{"us-de", "US-DE-1"},
                                      {"US-IL", "us-il-1"},
                                      {"it-fr", "it-fr2"},
                                      {"it", "it-fr2"},
                                      {"us", "US-DE-1"},
                                      {"fr", "EU-FR-1"},
                                      {"de", "de-fra-1"},
                                      {"fr", "France, FR, EU"},
                                      {"fr", "fr-par-1"},
                                      {"ca", "CA-MTL-1"},
                                      {"ca", "Quebec, CA, NA"},
                                      {"delaware", "Delaware, US"}})
    EXPECT_TRUE(is_in_region(asked, region, "")) << asked << " " << region;
  EXPECT_TRUE(is_in_region("us-de", "US", "US-DE-1")) << "of a zone";
}

TEST(Choice, IsOfWhatAnOfferSays) {
  const auto chosen = [](const OfferChoice& choice) { return names(choose(some(), choice).value().offers); };
  EXPECT_THAT(chosen({.gpu = "v100:4"}), ElementsAre("aws/p3.8xlarge@us-east-1"));
  EXPECT_THAT(chosen({.gpu = "none", .region = "eu"}), ElementsAre("aws/m5.large@eu-west-1"));
  EXPECT_THAT(chosen({.machine = "STANDARD", .gpu = "any"}),
              ElementsAre("gcp/n1-standard-8+v100:1@us-central1", "gcp/n1-standard-8+v100:2@us-central1"));
  EXPECT_THAT(chosen({.cores = "1.."}), ElementsAre()) << "no offer says its cores";
  EXPECT_FALSE(choose(some(), {.cores = "4-8"}));
  EXPECT_EQ(choose(some(), {.spot = true}).value().without_price, 6);
}

TEST(Choice, NamesTheGpusThatItPassesOver) {
  auto offers = some();
  offers[0].gpu = "T4", offers[0].gpus = 1;
  const OfferChoice choice{.gpu = "v100"};
  const auto chosen = choose(offers, choice).value();
  EXPECT_EQ(passed_over_text(chosen, choice), "Passed over by --gpu: T4.");
  EXPECT_EQ(passed_over_text(choose(offers, {.gpu = "any"}).value(), {.gpu = "any"}), "");
  EXPECT_EQ(passed_over_text(choose(offers, {.gpu = "none"}).value(), {.gpu = "none"}), "");
}

TEST(Choice, BoundsAreReadAsPeopleWriteThem) {
  const auto bounds = [](std::string_view text) {
    const auto read = parse_bounds(text, "--cores").value();
    return fmt::format("{}..{}", read.low, read.high);
  };
  EXPECT_EQ(bounds("4..16"), "4..16");
  EXPECT_EQ(bounds("8"), "8..8");
  EXPECT_EQ(bounds("4.."), "4..inf");
  EXPECT_EQ(bounds("..16"), "0..16");
  for (const auto* text : {"..", "16..4", "a", "-1", "nan", "4...8"})
    EXPECT_FALSE(parse_bounds(text, "x")) << text;
}

TEST(Offers, OfOneRegionsZonesAreOneWhereTheyCostTheSame) {
  auto offers = some();
  offers.resize(1);
  offers.push_back(offers[0]);
  offers.push_back(offers[0]);
  offers[0].zone = "a", offers[1].zone = "b", offers[2].zone = "c";
  offers[1].spot_per_hour = Exact(1, 50);
  offers[2].per_hour = 1;
  merge_zones(offers);
  ASSERT_EQ(offers.size(), 2);
  EXPECT_EQ(offers[0].spot_per_hour, Exact(1, 50));
  sort_offers(offers, OfferOrder::price, false);
  EXPECT_EQ(offers[1].per_hour, 1);
  EXPECT_THAT(offers_text(offers, 100), HasSubstr("USD/h"));
}

TEST(Offers, OfOneMachineAtManyPricesAreMergedInOnePass) {
  std::vector<Offer> offers(50'000, offer("aws", "m5.large", "us-east-1", 1));
  for (std::size_t i = 0; i < offers.size(); ++i)
    offers[i].per_hour = parse_decimal(fmt::format("{}", i + 1), "price").value();
  merge_zones(offers);  // takes minutes where each is compared with all others
  EXPECT_EQ(offers.size(), 50'000);
}

TEST(Rate, IsReadAsPeopleWriteIt) {
  const auto rate = parse_rate("EUR=1.08USD").value();
  EXPECT_EQ(rate.from, "EUR");
  EXPECT_EQ(rate.to, "USD");
  EXPECT_EQ(rate.value, Exact(108, 100));
  for (const auto* text :
       {"EUR", "EUR=", "EUR=USD", "EUR=0USD", "EUR=-1USD", "EUR=1EUR", "eur=1USD", "EUR=nanUSD"})
    EXPECT_FALSE(parse_rate(text)) << text;
}

TEST(Rate, BringsOffersIntoOneCurrency) {
  auto offers = some();
  offers[0].currency = "EUR";
  EXPECT_THAT(into_one_currency(offers, {}).error().text(), HasSubstr("--rate"));
  const std::vector rates{parse_rate("EUR=1.25USD").value()};
  ASSERT_TRUE(into_one_currency(offers, rates));
  EXPECT_EQ(offers[0].per_hour, Exact(12, 100));
  EXPECT_EQ(offers[0].currency, "USD");
  ASSERT_TRUE(into_one_currency(offers, rates, "EUR"));
  EXPECT_EQ(offers[0].per_hour, Exact(96, 1000)) << "back by the same rate, exactly";
}

}  // namespace
}  // namespace neph::price
