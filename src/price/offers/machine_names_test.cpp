#include "price/offers/machine_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "price/offers/catalogue.hpp"

namespace neph::price {
namespace {

/// Names as the providers' pages have them.
TEST(MachineNames, TellArm) {
  for (const auto* name :
       {"a1.2xlarge", "t4g.nano", "c6g.large", "c7gn.16xlarge", "m6gd.metal", "r8g.large", "x2gd.medium",
        "im4gn.large", "is4gen.large", "g5g.xlarge", "hpc7g.4xlarge", "I4G.large", "p6e-gb200.36xlarge"})
    EXPECT_EQ(arch_of_machine("aws", name), "arm64") << name;
  for (const auto* name : {"t2a-standard-4", "c4a-highmem-8", "n4a-standard-1", "a4x-highgpu-4g"})
    EXPECT_EQ(arch_of_machine("gcp", name), "arm64") << name;
  for (const auto* name : {"Standard_D2ps_v5", "Standard_D4pds_v5", "Standard_D8plds_v6",
                           "Standard_E8-4pds_v5", "Standard_B2pts_v2", "Standard_ND128isr_NDR_GB200_v6"})
    EXPECT_EQ(arch_of_machine("azure", name), "arm64") << name;
  EXPECT_EQ(arch_of_machine("hetzner", "cax11"), "arm64");
  EXPECT_EQ(arch_of_machine("scaleway", "COPARM1-2C-8G"), "arm64");
  EXPECT_EQ(arch_of_machine("oci", "VM.Standard.A1.Flex$_4_24"), "arm64");
  EXPECT_EQ(arch_of_machine("lambda", "gpu_1x_gh200"), "arm64");
  EXPECT_EQ(arch_of_machine("somebody", "node", "GH200"), "arm64");
}

TEST(MachineNames, TellNoArmOfOthers) {
  for (const auto* name :
       {"m5.large", "g5.xlarge", "g4dn.xlarge", "g4ad.xlarge", "gr6.4xlarge", "p4d.24xlarge", "c7a.large",
        "m7i-flex.large", "u-6tb1.112xlarge", "t3a.nano", "hpc7a.12xlarge", ""})
    EXPECT_EQ(arch_of_machine("aws", name), "") << name;
  for (const auto* name :
       {"a2-highgpu-1g", "n2d-standard-8", "t2d-standard-1", "c4-standard-4", "g2-standard-4", "e2-micro"})
    EXPECT_EQ(arch_of_machine("gcp", name), "") << name;
  for (const auto* name : {"Standard_D2s_v5", "Standard_NP10s", "Standard_NC6", "Standard_PB6s",
                           "Standard_M416-208s_v2", "Standard_DC2ads_v5", "Basic_A1", "noname"})
    EXPECT_EQ(arch_of_machine("azure", name), "") << name;
  EXPECT_EQ(arch_of_machine("hetzner", "cx22"), "");
  EXPECT_EQ(arch_of_machine("verda", "c7g.large"), "") << "another provider's name";
}

TEST(List, SaysWhichMachinesAreArm) {
  const auto read = [](std::string_view text) {
    return parse_catalogue(text, {.file = "prices.csv", .provider = "aws", .date = {}});
  };
  const auto list =
      read("InstanceType,Price,Arch\nc7g.large,1,\nt4g.nano,1,x86_64\nm5.large,1,\nm5.xlarge,1,x86_64\n");
  ASSERT_TRUE(list) << list.error().text();
  std::vector<std::string> archs;
  for (const auto& offer : list->offers) archs.push_back(offer.arch);
  EXPECT_THAT(archs, testing::ElementsAre("arm64", "x86_64", "", "x86_64"))
      << "what the list says goes first";
  EXPECT_EQ(read("[[offer]]\ninstance = \"a1.large\"\nprice = 1\n")->offers[0].arch, "arm64");
}

}  // namespace
}  // namespace neph::price
