#include <gtest/gtest.h>

#include "advise/advise.hpp"

namespace neph::advise {
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
    EXPECT_TRUE(is_same_gpu(driver, catalogue)) << driver << " " << catalogue;
}

TEST(GpuNames, OfOtherModelsDiffer) {
  for (const auto& [one, other] : {std::pair{"NVIDIA A10G", "A10"},
                                   {"NVIDIA A100-SXM4-40GB", "A100-80GB"},
                                   {"NVIDIA L4", "L40"},
                                   {"NVIDIA H100 80GB HBM3", "H200"},
                                   {"NVIDIA GeForce RTX 3090", "RTX4090"}})
    EXPECT_FALSE(is_same_gpu(one, other)) << one << " " << other;
}

}  // namespace
}  // namespace neph::advise
