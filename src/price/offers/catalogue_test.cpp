#include "price/offers/catalogue.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::price {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// A list of tests/golden/prices, as it lies in SkyPilot's folder.
Catalogue golden(const std::string& name) {
  const auto path = "tests/golden/prices/" + name;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto read = parse_catalogue(text.str(), {.file = path, .provider = {}, .date = "2026-11-20"});
  EXPECT_TRUE(read) << read.error().text();
  return read ? std::move(*read) : Catalogue{};
}

Result<Catalogue> read(std::string_view text, const std::string& provider = "aws") {
  return parse_catalogue(text, {.file = "prices.csv", .provider = provider, .date = "2026-11-20"});
}

std::string refusal(std::string_view text) {
  const auto list = read(text);
  return list ? "" : list.error().text();
}

/// "CODE LINE" of all findings.
std::vector<std::string> findings(const Catalogue& list) {
  std::vector<std::string> all;
  for (const auto& finding : list.findings)
    all.push_back(fmt::format("{} {}", kind_of(finding.flaw).code, finding.line));
  return all;
}

std::string priced(const Offer& offer) {
  return fmt::format("{} {} {}", offer_name(offer), offer.per_hour ? decimal_text(*offer.per_hour) : "-",
                     offer.spot_per_hour ? decimal_text(*offer.spot_per_hour) : "-");
}

std::vector<std::string> all_priced(const Catalogue& list) {
  std::vector<std::string> all;
  for (const auto& offer : list.offers) all.push_back(priced(offer));
  return all;
}

TEST(SkyPilot, OfAwsKeepsExactPricesAndSaysWhatItLeavesOut) {
  const auto list = golden("v8/aws/vms.csv");
  EXPECT_EQ(list.format, ListFormat::skypilot);
  EXPECT_EQ(list.rows, 14);
  EXPECT_EQ(list.offers.front().per_hour, Exact(204, 1000));
  EXPECT_EQ(list.offers.front().arch, "arm64");
  EXPECT_EQ(list.offers.front().date, "2026-11-20");
  EXPECT_EQ(list.offers.front().zone, "use2-az1");
  EXPECT_THAT(findings(list),
              UnorderedElementsAre("repeated 3", "spot-not-less 6", "gpu-missing 11", "no-price 12",
                                   "zero-price 13", "negative-price 14", "bad-price 15"));
  const auto& p3 = *std::ranges::find(list.offers, "p3.8xlarge", &Offer::instance);
  EXPECT_EQ(p3.provider, "aws");
  EXPECT_EQ(p3.gpu, "V100");
  EXPECT_EQ(p3.gpus, 4);
  EXPECT_EQ(p3.gpu_memory_gib, 16);
  EXPECT_EQ(p3.vcpus, 32);
  EXPECT_EQ(p3.memory_gib, 244);
}

TEST(SkyPilot, ColumnsGoByTheirNames) {
  const auto list = read(
      "spotprice,REGION,Price,MemoryGiB,vCPUs,GPUInfo,AcceleratorCount,AcceleratorName,InstanceType,Else\n"
      ",eu-west-1,1.5,16,4,T4,1,T4,g4dn.xlarge,x\n");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(all_priced(*list), ElementsAre("aws/g4dn.xlarge@eu-west-1 1.50 -"));
  EXPECT_EQ(list->offers[0].gpu_memory_gib, std::nullopt) << "a bare name says nothing of the memory";
}

TEST(SkyPilot, OfGoogleIsTheSumOfMachineAndGpus) {
  const auto list = golden("v8/gcp/vms.csv");
  EXPECT_THAT(all_priced(list), UnorderedElementsAre("gcp/a2-highgpu-1g@us-central1 3.673388 1.93975",
                                                     "gcp/n1-standard-8+v100:1@us-central1 2.859998 1.1685",
                                                     "gcp/n1-standard-8@us-central1 0.379998 0.08",
                                                     "gcp/n1-standard-8@us-central1 0.379998 0.08",
                                                     "gcp/n1-standard-16@us-central1 0.759996 0.16",
                                                     "gcp/n2-standard-8@europe-west4 0.427672 0.12",
                                                     "gcp/TPU-VM+tpu-v6e-1:1@us-central1 2.70 0.54421"))
      << "a V100 takes no machine of 16 vCPUs, and an A2 without its A100 has no price";
  EXPECT_THAT(findings(list), UnorderedElementsAre("placeholder-price 12", "placeholder-price 13",
                                                   "gpu-without-price 3", "gpu-without-machine 10"));
}

TEST(SkyPilot, OfAzureHasTwelveGpusInOneMachine) {
  const auto list = golden("v6/azure/vms.csv");
  EXPECT_THAT(all_priced(list), ElementsAre("azure/Standard_NC6@westus2 0.90 0.099",
                                            "azure/Standard_NC6s_v3@eastus 3.06 0.3978"));
  EXPECT_THAT(findings(list),
              UnorderedElementsAre("gpu-count 4", "spot-not-less 4", "gpu-missing 5", "no-price 5"));
}

TEST(SkyPilot, MemoryOfGpusIsThatOfEach) {
  const auto lambda = golden("v8/lambda/vms.csv");
  EXPECT_EQ(lambda.offers[1].gpu_memory_gib, 16);
  EXPECT_THAT(findings(lambda), UnorderedElementsAre("gpu-memory-total 3", "gpu-memory-wrong 5"));
  const auto runpod = golden("v8/runpod/vms.csv");
  EXPECT_EQ(runpod.offers[1].gpu_memory_gib, 80) << "GiB that are called MiB";
  EXPECT_THAT(findings(runpod), UnorderedElementsAre("gpu-memory-unit 2", "spot-not-less 2",
                                                     "gpu-count-odd 3", "gpu-memory-unit 3"));
  const auto vast = golden("v8/vast/vms.csv");
  EXPECT_NEAR(*vast.offers[0].gpu_memory_gib, 140.4, 0.1);
  EXPECT_EQ(vast.offers[0].region, "France, FR, EU");
  EXPECT_EQ(vast.offers[0].spot_per_hour, std::nullopt) << "0.00 is not known";
  EXPECT_THAT(findings(vast),
              UnorderedElementsAre("gpu-memory-of-all 2", "no-spot-price 2", "no-spot-price 3"));
}

TEST(SkyPilot, GpuInfoMayBeJsonAndAGpuDivided) {
  const auto list = read(
      "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,GpuInfo\n"
      "1B300.30V,B300,1.0,,2.447,\"{\"\"Gpus\"\": [{\"\"Name\"\": \"\"B300\"\", \"\"MemoryInfo\"\": "
      "{\"\"SizeInMiB\"\": "
      "268288}}], \"\"TotalGpuMemoryInMiB\"\": 268288}\"\n"
      "g6f.large,L4,0.125,0.2,,L4\n",
      "verda");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->findings, IsEmpty());
  EXPECT_EQ(list->offers[0].gpu_memory_gib, 262);
  EXPECT_EQ(list->offers[0].per_hour, std::nullopt) << "it is let as spot only";
  EXPECT_EQ(list->offers[1].gpus, 1);
  EXPECT_EQ(list->offers[1].gpu_share, 0.125);
}

TEST(SkyPilot, PricesOfOnesOwnClusterAreForJobsOfAnySize) {
  const auto list = golden("v8/slurm/pricing.csv");
  EXPECT_EQ(list.format, ListFormat::slurm);
  const auto cost = [&](std::string_view name) {
    return priced(find_offers(name, list.offers).value().front());
  };
  EXPECT_EQ(cost("slurm/16CPU--64GB"), "slurm/16CPU--64GB 0.512 -");
  EXPECT_EQ(cost("slurm/10CPU--20GB--v100:3@cluster1"), "slurm/10CPU--20GB--v100:3@cluster1 3.06 -");
  EXPECT_EQ(cost("slurm/10CPU--20GB--v100:3@gpu"), "slurm/10CPU--20GB--v100:3@cluster1 3.78 -");
  const auto unfilled =
      read("Region,Zone,PricePerVCPU,PricePerMemoryGB,AcceleratorName,PricePerAccelerator\n,,0.0,0.0,,0.0\n");
  ASSERT_TRUE(unfilled) << unfilled.error().text();
  EXPECT_THAT(unfilled->offers, IsEmpty());
  EXPECT_THAT(findings(*unfilled), ElementsAre("unfilled 2"));
}

constexpr std::string_view cluster_heading =
    "Region,Zone,PricePerVCPU,PricePerMemoryGB,AcceleratorName,PricePerAccelerator\n";

std::vector<std::string> jobs(std::string_view name, std::string_view rows) {
  const auto list = read(std::string(cluster_heading) + std::string(rows)).value();
  std::vector<std::string> all;
  if (const auto found = find_offers(name, list.offers))
    for (const auto& offer : *found) all.push_back(priced(offer));
  return all;
}

TEST(Cluster, HasNoGpuForNothing) {
  EXPECT_THAT(jobs("slurm/8CPU--32GB--H100:1", ",,0.02,0.003,,0\n"), IsEmpty());
  EXPECT_THAT(jobs("slurm/8CPU--32GB--H100:1", ",,0.02,0.003,,\n"), IsEmpty());
  EXPECT_THAT(jobs("slurm/8CPU--32GB--H100:1", "c,,0.02,0.003,H100,0\n,,0.02,0.003,,2\n"),
              ElementsAre("slurm/8CPU--32GB--H100:1 2.256 -"));
  EXPECT_THAT(findings(read(std::string(cluster_heading) + "c,,0.02,0.003,H100,0\n").value()),
              ElementsAre("unfilled 2"));
}

TEST(Cluster, BillsAJobWithoutGpusByTheRowThatNamesNone) {
  constexpr std::string_view rows = "c,,0,0,V100,0.9\nc,,0.05,0,H100,2\nc,,0.02,0.003,,0\n";
  EXPECT_THAT(jobs("Slurm/8CPU--32GB", rows), ElementsAre("slurm/8CPU--32GB@c 0.256 -"));
  EXPECT_THAT(jobs("slurm/8CPU--32GB", "c,,0.05,0,H100,2\n"), ElementsAre("slurm/8CPU--32GB@c 0.40 -"))
      << "there is no other row";
  EXPECT_THAT(jobs("slurm/8CPU--32GB", "c,,0,0,V100,0.9\n"), IsEmpty()) << "nothing is rented for 0";
}

TEST(SkyPilot, OfGoogleHasG4WithItsGpusOrNotAtAll) {
  const auto list = read(
      "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,"
      "SpotPrice\n"
      "g4-standard-96,96,360,,,,us-central1,us-central1-b,3,1\n"
      "g4-standard-48,48,180,,,,us-central1,us-central1-b,1.5,0.5\n"
      ",,,RTXPRO6000,2,RTXPRO6000,us-central1,us-central1-b,4,2\n",
      "gcp");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(all_priced(*list), ElementsAre("gcp/g4-standard-96@us-central1 7.00 3.00"));
  EXPECT_THAT(findings(*list), ElementsAre("gpu-without-price 3"));
}

TEST(SkyPilot, OfGoogleTakesOneOfTwoPricesOfAGpu) {
  const auto list = read(
      "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,"
      "SpotPrice\n"
      "a2-highgpu-1g,12,85,,,,us-central1,us-central1-a,1,0.5\n"
      ",,,A100,1,A100,us-central1,us-central1-a,,1\n"
      ",,,A100,1,A100,us-central1,us-central1-a,3,1.5\n",
      "gcp");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(all_priced(*list), ElementsAre("gcp/a2-highgpu-1g@us-central1 4.00 2.00"));
  EXPECT_THAT(findings(*list), ElementsAre("other-gpu-price 3")) << "that on demand is taken";
  EXPECT_THAT(left_out_text(list->findings), HasSubstr("GPUs that have another price in their zone too: 1"));
}

TEST(GpuCount, OfTenIsThereAndOfTwelveWhereTheNameSaysSo) {
  const auto list = read(
      "InstanceType,AcceleratorName,AcceleratorCount,Price\nn3-RTX-A4000x10,RTXA4000,10,1\n"
      "l40s-48gb.12x,L40S,12,1\np5.48xlarge,H100,12,1\nx.112x,H100,12,1\n",
      "hyperstack");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->offers.size(), 2U);
  EXPECT_THAT(findings(*list),
              ElementsAre("gpu-count-odd 2", "gpu-count-odd 3", "gpu-count 4", "gpu-count 5"));
}

TEST(Gpuhunt, HasARowForSpotAndOneWithout) {
  const auto list = golden("gpuhunt/aws.csv");
  EXPECT_EQ(list.format, ListFormat::gpuhunt);
  EXPECT_THAT(all_priced(list),
              ElementsAre("aws/p3.8xlarge@us-east-1 12.24 1.4427", "aws/m5.large@eu-west-1 0.107 -",
                          "aws/p5.48xlarge@us-east-1 - 9.10"));
  EXPECT_THAT(list.findings, IsEmpty());
  EXPECT_EQ(list.offers[0].gpu_memory_gib, 16);
  EXPECT_EQ(list.offers[1].gpus, 0);
}

TEST(OwnList, InTomlHasExactPricesAndTheirCurrencies) {
  const auto list = golden("own.toml");
  EXPECT_EQ(list.format, ListFormat::toml);
  EXPECT_THAT(all_priced(list),
              ElementsAre("selectel/cpu-8@ru-1 21.37 -", "selectel/gpu-t4@ru-1 100.00 -", "own/desk 0.12 -"));
  EXPECT_EQ(list.offers[0].per_hour, Exact(2137, 100));
  EXPECT_EQ(list.offers[1].gpus, 1);
  EXPECT_EQ(list.offers[2].currency, "EUR");
  EXPECT_EQ(list.offers[2].rule, "exact");
  EXPECT_EQ(list.offers[1].line, 14);
}

TEST(OwnList, NamesItsMachines) {
  const auto list = read("instance,gpu,price,currency\n,V100,1,USD\n", "own");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(findings(*list), ElementsAre("no-name 2"));
}

TEST(OwnList, InTomlIsLeftOutRowByRow) {
  const auto list = parse_catalogue(
      "[[offer]]\ninstance = \"a\"\nprice = -1\n[[offer]]\ninstance = \"b\"\nprice = "
      "nan\n[[offer]]\ninstance = "
      "\"c\"\n[[offer]]\nprice = 1\n[[offer]]\ninstance = \"d\"\nprice = 0\n[[offer]]\ninstance = \"e\"\ngpu "
      "= "
      "\"H100\"\ngpus = 12\nprice = 9\n",
      {.file = "own.toml", .provider = "aws", .date = {}});
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->offers, IsEmpty());
  EXPECT_THAT(findings(*list), ElementsAre("negative-price 1", "bad-price 4", "no-price 7", "no-name 9",
                                           "zero-price 11", "gpu-count 14"));
}

TEST(OwnList, InCsvNeedsAMachineAndAPrice) {
  const auto list = read("Instance;Cores;Price;Currency\ndesk;16;0.12;EUR\nnode;8;100RUB/h;\n", "");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->format, ListFormat::csv);
  EXPECT_THAT(all_priced(*list), ElementsAre("own/desk 0.12 -", "own/node 100.00 -"));
  EXPECT_EQ(list->offers[0].currency, "EUR");
  EXPECT_EQ(list->offers[1].currency, "RUB");
  EXPECT_EQ(list->offers[0].vcpus, 16);
}

TEST(OwnList, HasOneCurrencyForEachOffer) {
  const auto toml = read(
      "currency = \"rub\"\n[[offer]]\ninstance = \"a\"\nprice = \"100RUB/h\"\nspot_price = \"1USD/h\"\n"
      "[[offer]]\ninstance = \"b\"\nprice = 2\nspot_price = \"1RUB/h\"\n"
      "[[offer]]\ninstance = \"c\"\nprice = 2\ncurrency = \"dollars\"\n");
  ASSERT_TRUE(toml) << toml.error().text();
  EXPECT_THAT(all_priced(*toml), ElementsAre("aws/b 2.00 1.00"));
  EXPECT_EQ(toml->offers[0].currency, "RUB");
  EXPECT_THAT(findings(*toml), ElementsAre("currency-contradiction 2", "bad-currency 10"));
  const auto csv = read(
      "instance,price,spot_price,currency\na,100RUB/h,40RUB/h,\nb,100RUB/h,1USD/h,\n"
      "c,100RUB/h,40,rub\nd,,40RUB/h,\ne,2,40RUB/h,USD\n");
  ASSERT_TRUE(csv) << csv.error().text();
  EXPECT_THAT(all_priced(*csv), ElementsAre("aws/a 100.00 40.00", "aws/c 100.00 40.00", "aws/d - 40.00"));
  for (const auto& offer : csv->offers) EXPECT_EQ(offer.currency, "RUB") << offer.instance;
  EXPECT_THAT(findings(*csv), ElementsAre("currency-contradiction 3", "currency-contradiction 6"));
}

TEST(OwnList, ThatContradictsItselfIsNotBelieved) {
  const auto csv = read(
      "instance,gpu,gpus,price,currency,date\na,,,$0.01/h,EUR,2026-11-20\nb,,,,Euro,\nc,,,0.25 €,,\n"
      "d,,3,1,USD,31.11.2026\ne,V100,0,1,USD,2026-13-01\nf,,,0.5EUR/h,eur,2026\n");
  ASSERT_TRUE(csv) << csv.error().text();
  EXPECT_THAT(findings(*csv),
              ElementsAre("currency-contradiction 2", "bad-currency 3", "no-price 3", "bad-price 4",
                          "bad-date 5", "gpu-half-said 5", "bad-date 6", "gpu-half-said 6"));
  EXPECT_THAT(all_priced(*csv), ElementsAre("aws/d 1.00 -", "aws/e 1.00 -", "aws/f 0.50 -"));
  EXPECT_EQ(csv->offers[0].date, "2026-11-20") << "the file's";
  EXPECT_EQ(dates_of(*csv), "2026 to 2026-11-20");
  const auto toml = read(
      "date = \"Tuesday\"\n[[offer]]\ninstance = \"a\"\nprice = \"1USD/h\"\ncurrency = \"EUR\"\n"
      "[[offer]]\ninstance = \"b\"\nprice = 1\ndate = \"2026-02-30\"\n");
  ASSERT_TRUE(toml) << toml.error().text();
  EXPECT_THAT(findings(*toml), ElementsAre("bad-date 0", "currency-contradiction 2", "bad-date 6"));
  EXPECT_EQ(toml->offers[0].date, "2026-11-20");
}

TEST(ListSource, OfRowsBeforeTheFirstKnownMachineIsThatMachines) {
  const auto list = read("InstanceType,Price\na,1\np3.8xlarge,1\n", "");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(all_priced(*list), ElementsAre("aws/a 1.00 -", "aws/p3.8xlarge 1.00 -"));
}

TEST(ListSource, IsToldByThePathOrTheMachines) {
  const auto provider = [](const std::string& file, std::string_view machine) {
    return parse_catalogue(fmt::format("InstanceType,Price\n{},1\n", machine),
                           {.file = file, .provider = {}, .date = {}})
        .value()
        .offers[0]
        .provider;
  };
  EXPECT_EQ(provider("/x/v8/nebius/vms.csv", "a"), "nebius");
  EXPECT_EQ(provider("/x/v8/somebody/vms.csv", "a"), "somebody");
  EXPECT_EQ(provider("/x/lambdalabs.csv", "a"), "lambda");
  EXPECT_EQ(provider("/x/v2/test/aws.csv", "a"), "aws");
  EXPECT_EQ(provider("/x/v2/test/prices.csv", "a"), "unknown");
  EXPECT_EQ(provider("/x/v3/verda/20260818-42/catalog.csv", "a"), "verda");
  EXPECT_EQ(provider("/x/prices.csv", "p3.8xlarge"), "aws");
  EXPECT_EQ(provider("/x/prices.csv", "Standard_NC6"), "azure");
  EXPECT_EQ(provider("/x/prices.csv", "n1-standard-8"), "gcp");
  EXPECT_EQ(provider("/x/prices.csv", "a"), "unknown");
}

TEST(BadList, IsToldInOneLine) {
  EXPECT_THAT(refusal(""), HasSubstr("prices.csv: it is empty"));
  EXPECT_THAT(refusal("\n \n"), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("InstanceType,Price\n"), HasSubstr("a heading and no rows"));
  EXPECT_THAT(refusal(std::string_view("PK\0\1", 4)), HasSubstr("it is no text"));
  EXPECT_THAT(refusal(std::string_view("\xff\xfei\0n\0s\0t\0", 10)), HasSubstr("UTF-16; save it as UTF-8"));
  EXPECT_THAT(refusal(std::string_view("\0i\0n\0s\0t", 8)), HasSubstr("UTF-16; save it as UTF-8"));
  EXPECT_THAT(refusal("{\"a\": 1}"), HasSubstr("it is JSON"));
  EXPECT_THAT(refusal("name,time\na,1\n"), HasSubstr("no price list that is known: name, time"));
  EXPECT_THAT(refusal("InstanceType,Price,Region\nm5.large,1,us\nm5.lar"),
              HasSubstr("line 3 ends in the middle, after 1 cell of 3: the file is cut short"));
  EXPECT_THAT(refusal("InstanceType,Price,Region\nm5.large,1,\"us\nm5.large"),
              HasSubstr("line 2: a quote is opened and never closed"));
  EXPECT_THAT(refusal("InstanceType,Price,Region\nm5.large,1,us\nm5.large,1,\"Texas, U"),
              HasSubstr("line 3 ends in the middle: the file is cut short"));
  EXPECT_THAT(refusal("InstanceType,Price,instance\na,1,b\n"), HasSubstr("two columns say the same"));
  EXPECT_THAT(refusal("provider = \"own\"\n"), HasSubstr("no [[offer]]"));
  EXPECT_THAT(refusal("[[offer]]\ninstance = \"a\"\nprize = 1\n"), HasSubstr("did you mean 'price'?"));
}

TEST(BadRow, IsLeftOutAndTheOthersStay) {
  const auto list = read(
      "InstanceType,Price,vCPUs\nm5.large,1,2\nm5.large,1\nm5.xlarge,0.2,many\n,1,2\nm5.8xlarge,1e999,2\n");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->offers.size(), 1);
  EXPECT_THAT(findings(*list), ElementsAre("bad-row 3", "bad-number 4", "no-name 5", "bad-price 6"));
  EXPECT_THAT(left_out_text(list->findings), HasSubstr("rows without a machine's name: 1"));
}

TEST(GpuTable, OfSkyPilotIsCheckedAgainstDataSheets) {
  const auto list =
      read("GPU,MemoryGB,Manufacturer\nK80,12,nvidia\nH200,80,nvidia\nB200,80,nvidia\nX9,1,x\n");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->offers, IsEmpty());
  EXPECT_THAT(findings(*list), ElementsAre("gpu-memory-wrong 3", "gpu-memory-wrong 4"));
}

TEST(Quotes, AndLineEndsCountLines) {
  const auto list = read("InstanceType,Price,Note\r\n\"m5.\"\"large\",1,\"a\nb, c\"\r\nm5.small,x,y\r\n");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->offers[0].instance, "m5.\"large");
  EXPECT_THAT(findings(*list), ElementsAre("bad-price 4"));
}

TEST(Example, IsAListThatNobodyNeedsToFetch) {
  const auto list = example_catalogue();
  EXPECT_EQ(list.rows, std::ssize(list.offers));
  EXPECT_THAT(list.findings, IsEmpty());
  for (const auto* name :
       {"azure/Standard_NC6@westus2", "gcp/n1-standard-8+v100:1", "aws/p3.8xlarge@us-east-1"})
    EXPECT_TRUE(find_offers(name, list.offers)) << name;
}

}  // namespace
}  // namespace neph::price
