#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>

#include "device/device.hpp"

namespace neph::device {
namespace {

using ::testing::HasSubstr;

TEST(Sheets, AreThoseBuiltInAndTheUsersOwn) {
  EXPECT_EQ(built_in().find("P3.2xlarge")->sheet.name, "V100 SXM2 16GB");
  EXPECT_EQ(built_in().find("t4")->sheet.bandwidth_gb_s, 320);
  EXPECT_FALSE(built_in().find("abacus"));
  const auto path = std::filesystem::temp_directory_path() / "neph-sheets-test.toml";
  const auto read = [&](const std::string& text) {
    std::ofstream(path) << text;
    return read_sheets(path);
  };
  const std::string device = "[[device]]\nname = \"own\"\nfp32_tflops = 3.0\nbandwidth_gb_s = 100.0\n";
  const auto own = read(device + "[[machine]]\nname = \"own\"\ndevice = \"own\"\n");
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(built_in_and(*own).find("own")->sheet.fp32_tflops, 3) << "a machine called as its device";
  EXPECT_TRUE(built_in_and(*own).find("p2.xlarge"));
  EXPECT_THAT(read(device + "[[machine]]\nname = \"desk\"\ndevice = \"abacus\"\n").error().message,
              HasSubstr(".toml: [[machine]] 'desk' has the device 'abacus', which is not known"));
  EXPECT_THAT(read(device + "[[device]]\nname = \"slow\"\n").error().message,
              HasSubstr(".toml: [[device]] 'slow' needs a name, and fp32_tflops"));
  EXPECT_THAT(read(device + "tflops = 3\n").error().message, HasSubstr("unknown"));
  EXPECT_THAT(read("[[device]]\nname = \n").error().message, HasSubstr(".toml:2:"));
  std::filesystem::remove(path);
}

TEST(Sheets, KnowADeviceHoweverItIsSpelled) {
  for (const auto& [spelled, name] : {std::pair{"NVIDIA H100 80GB HBM3", "H100 SXM"},
                                      {"NVIDIA H100 PCIe", "H100 PCIe"},
                                      {"h100nvl", "H100 NVL"},
                                      {"a100_80gb", "A100 SXM 80GB"},
                                      {"NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"},
                                      {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
                                      {"NVIDIA A100-SXM4-40GB", "A100 SXM 40GB"},
                                      {"A100", "A100 SXM 40GB"},
                                      {"k80", "K80"},
                                      {"Tesla P100-PCIE-16GB", "P100 PCIe 16GB"},
                                      {"Tesla V100-PCIE-32GB", "V100 PCIe 32GB"},
                                      {"V100-32GB", "V100 SXM2 32GB"},
                                      {"g6.xlarge", "L4"},
                                      {"RTX_2080_Ti", "RTX 2080 Ti"},
                                      {"NVIDIA GeForce RTX 3090", "RTX 3090"},
                                      {"4090", "RTX 4090"},
                                      {"RTXA6000", "RTX A6000"},
                                      {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"},
                                      {"AMD Instinct MI300X OAM", "MI300X"},
                                      {"mi250x", "MI250X"},
                                      {"tpu-v5e", "TPU v5e"},
                                      {"NVIDIA L4", "L4"},
                                      {"Tesla T4", "T4"}}) {
    const auto found = built_in().find(spelled);
    ASSERT_TRUE(found) << spelled;
    EXPECT_EQ(found->sheet.name, name) << spelled;
  }
  for (const auto* other : {"A1000", "T400", "RTX 4080 Super Max-Q", "L4000", "", "H", "12"})
    EXPECT_FALSE(built_in().find(other)) << other;
  for (const auto* machine : {"c7i.2xlarge", "m5.large", "Standard_D8as_v5", "n2-standard-8", "c7g.xlarge"})
    EXPECT_TRUE(built_in().find(machine)) << machine;
  EXPECT_NEAR(built_in().find("c7i.2xlarge")->devices * 2 *
                  static_cast<double>(built_in().find("c7i.2xlarge")->sheet.units),
              8, 1e-9);
  EXPECT_THAT(built_in().at("h10").error().text(), HasSubstr("unknown device 'h10'"));
}

TEST(Sheets, KnowAPartOfACpu) {
  const auto part = built_in().find("2 cores of AMD EPYC 7763 64-Core Processor");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->sheet.name, "EPYC 7763");
  EXPECT_DOUBLE_EQ(part->devices, 2.0 / 64);
  EXPECT_DOUBLE_EQ(built_in().find("1 core of EPYC Milan")->devices, 1.0 / 64)
      << "a generation, by one of it";
  EXPECT_DOUBLE_EQ(built_in().find("1.5 cores of Xeon Ice Lake")->devices, 1.5 / 32);
  for (const auto* other :
       {"2 cores of T4", "0 cores of EPYC 7763", "-1 cores of EPYC 7763", "cores of EPYC 7763",
        "nan cores of EPYC 7763", "inf cores of EPYC 7763", "1e9 cores of EPYC 7763", "2 of EPYC 7763",
        " of ", "2 cores of ", "0x T4", "T4:0"})
    EXPECT_FALSE(built_in().find(other)) << other;
}

TEST(Sheets, HaveFamilies) {
  const auto family = [](const char* name) { return built_in().find(name)->sheet.family(); };
  for (const auto* name : {"RTX 4090", "RTX 3080 Ti", "GTX 1080", "RTX 5060 Ti"})
    EXPECT_EQ(family(name), "NVIDIA gpu for games") << name;
  for (const auto* name : {"T4", "RTX A6000", "RTX 6000 Ada", "RTX 4000 Ada", "TITAN V", "Quadro RTX 5000"})
    EXPECT_EQ(family(name), "NVIDIA gpu") << name;
  EXPECT_EQ(family("MI300X"), "AMD gpu");
  EXPECT_EQ(family("EPYC 7763"), "cpu");
  EXPECT_EQ(built_in().family_number(built_in().find("T4")->sheet),
            built_in().family_number(built_in().find("H100")->sheet));
}

TEST(Sheets, HaveVariantsOfOneModel) {
  const auto sizes = [](const char* name) {
    std::set<double> all;
    for (const auto* sheet : built_in().variants_of(name))
      for (const double gb : sheet->memory_sizes_gb()) all.insert(gb);
    return all;
  };
  EXPECT_THAT(sizes("A100"), testing::ElementsAre(40, 80));
  EXPECT_THAT(sizes("H100"), testing::ElementsAre(80, 94));
  EXPECT_THAT(sizes("H100_NVL"), testing::ElementsAre(94)) << "an H100 NVL has no version with 80 GB";
  EXPECT_THAT(sizes("K80"), testing::ElementsAre(12, 24)) << "lists give the board's";
  EXPECT_THAT(sizes("abacus"), testing::IsEmpty());
}

TEST(Sheets, OfMachinesHaveKnownDevices) {
  for (const auto& machine : built_in().machines()) {
    EXPECT_TRUE(built_in().find(machine.device)) << machine.name << " " << machine.device;
    for (const auto& other : machine.others) EXPECT_TRUE(built_in().find(other)) << other;
  }
}

}  // namespace
}  // namespace neph::device
