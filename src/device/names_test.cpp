#include <gtest/gtest.h>

#include "device/device.hpp"

namespace neph::device {
namespace {

TEST(GpuNames, OfDriversAreThoseOfCatalogues) {
  for (const auto& [driver, catalogue] : {std::pair{"Tesla V100-SXM2-16GB", "V100"},
                                          {"Tesla T4", "T4"},
                                          {"NVIDIA A10G", "A10G"},
                                          {"NVIDIA L4", "L4"},
                                          {"NVIDIA A100-SXM4-80GB", "A100-80GB"},
                                          {"NVIDIA A100-SXM4-40GB", "A100"},
                                          {"NVIDIA H100 80GB HBM3", "H100"},
                                          {"NVIDIA H100 PCIe", "H100"},
                                          {"NVIDIA GeForce RTX 4090", "RTX4090"},
                                          {"NVIDIA RTX A6000", "A6000"},
                                          {"NVIDIA RTX 6000 Ada Generation", "RTX6000-Ada"},
                                          {"NVIDIA RTX A5000", "RTXA5000"},
                                          {"NVIDIA A100-SXM4-80GB", "A100_80G_SXM4"},
                                          {"NVIDIA L40S", "L40S_PCIE"},
                                          {"Tesla K80", "k80"}})
    EXPECT_TRUE(is_same(driver, catalogue)) << driver << " " << catalogue;
}

TEST(GpuNames, OfOtherModelsDiffer) {
  for (const auto& [one, other] : {std::pair{"NVIDIA A10G", "A10"},
                                   {"NVIDIA A100-SXM4-40GB", "A100-80GB"},
                                   {"NVIDIA L4", "L40"},
                                   {"NVIDIA H100 80GB HBM3", "H200"},
                                   {"NVIDIA GeForce RTX 3090", "RTX4090"}})
    EXPECT_FALSE(is_same(one, other)) << one << " " << other;
}

TEST(Meant, KnowsGpusByTheBeginningOfTheirNames) {
  EXPECT_TRUE(is_meant("a100", "A100-80GB"));
  EXPECT_TRUE(is_meant("RTX 4090", "RTX4090"));
  EXPECT_FALSE(is_meant("A10", "A100"));
  EXPECT_FALSE(is_meant("T4", "T4g"));
  EXPECT_FALSE(is_meant("A100-80GB", "A100"));
}

TEST(Meant, KnowsGpusHoweverTheyAreWritten) {
  for (const auto& [asked, gpu] : {std::pair{"A6000", "RTXA6000"},
                                   {"rtx a6000", "A6000"},
                                   {"A5000", "RTX_A5000"},
                                   {"A4000", "NVIDIA RTX A4000"},
                                   {"A100_80GB", "A100-80GB"},
                                   {"A100 80GB", "A100-80GB"},
                                   {"A100-80GB", "A100_80G_SXM4"},
                                   {"H100-80GB", "H100-80GB-SXM"},
                                   {"6000 Ada", "RTX6000-Ada"},
                                   {"RTX 6000 Ada", "RTX6000ADA"},
                                   {"l40s", "L40S_PCIE"},
                                   {"4090", "RTX_4090"},
                                   {"H100", "H100_PCIE_BAREMETAL"},
                                   {"RTX PRO 6000", "RTXPRO6000"},
                                   {"3080 Ti", "RTX_3080_Ti"}})
    EXPECT_TRUE(is_meant(asked, gpu)) << asked << " " << gpu;
  for (const auto& [asked, gpu] : {std::pair{"L40", "L40S"},
                                   {"A6000", "RTX6000-Ada"},
                                   {"RTX 6000", "RTX 6000 Ada"},
                                   {"RTX 3080", "RTX_3080_Ti"},
                                   {"A100-40GB", "A100-80GB"},
                                   {"A10", "A10G"},
                                   {"A40", "RTXA4000"},
                                   {"RTX", "RTX_4090"}})
    EXPECT_FALSE(is_meant(asked, gpu)) << asked << " " << gpu;
  EXPECT_TRUE(is_meant("H100-80GB", "H100", 80)) << "by the memory that the list gives";
  EXPECT_FALSE(is_meant("A100-80GB", "A100", 40));
}

TEST(Names, CountWhatTheyName) {
  for (const auto& [name, count] :
       {std::pair{"8xV100", 8}, {"V100:8", 8}, {"8 x V100", 8}, {"V100 x8", 8}, {"V100", 1}, {"2x2080ti", 2}})
    EXPECT_EQ(name_of(name).count, count) << name;
  EXPECT_EQ(name_of("8xV100").model(), "v100");
  EXPECT_EQ(name_of("RTX 2080 Ti").model(), "2080ti");
  EXPECT_EQ(name_of("h100_sxm").form, "sxm");
  EXPECT_EQ(name_of("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz").model(), "xeonplatinum8375c");
  EXPECT_EQ(name_of("AMD EPYC 7763 64-Core Processor").model(), "epyc7763");
}

}  // namespace
}  // namespace neph::device
