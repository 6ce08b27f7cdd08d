#include "predict/features/machine_columns.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace neph::predict {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

table::Table table_of(const std::string& text) { return *table::parse_table(text, "t.csv"); }

MachineColumns found_in(const std::string& text, const std::string& machine = {}) {
  return machine_columns_in(table_of(text), machine, device::built_in());
}

TEST(MachineColumns, AreFoundByMeaningAndByWhatIsConstantWithinAMachine) {
  const auto found = found_in(
      "batch,GPU,Memory (GB),peak_gflops,bandwidth_gb_s,clock_mhz,watt_per_gpu,peak memory "
      "(MB),gflops,dtype,t\n"
      "1,Tesla T4,16,8141,320,1590,70,10,1,fp16,1\n2,Tesla T4,16,8141,320,1590,70,20,2,fp32,2\n"
      "1,k80,12,4370,240,875,150,10,1,fp16,3\n2,k80,12,4370,240,875,150,20,2,fp32,4\n");
  EXPECT_EQ(found.machine, "GPU");
  EXPECT_THAT(found.figures,
              ElementsAre("Memory (GB)", "peak_gflops", "bandwidth_gb_s", "clock_mhz", "watt_per_gpu"))
      << "what differs within a machine is the network's";
  EXPECT_EQ(found.precision, "dtype");
}

TEST(MachineColumns, AreNotTakenFromOtherText) {
  const auto found = found_in("host,model,memory_gb,t\na,resnet50,16,1\nb,t5,16,2\nc,l2,16,3\n");
  EXPECT_EQ(found.machine, "");
  EXPECT_THAT(found.figures, IsEmpty());
  EXPECT_EQ(found_in("host,gpu,t\na,T4,1\nb,V100,2\n", "HOST").machine, "host") << "the user's goes first";
}

TEST(MachineColumns, OfATableGoBeforeTheSheetInAnyUnit) {
  for (const auto* figures : {"peak_gflops,bandwidth (GB/s)\nT4,8000,300", "TFLOPS,bandwidth_tb_s\nT4,8,0.3",
                              "peak PFLOP/s,memory bandwidth MB/s\nT4,0.008,300000"}) {
    const auto rows = table_of(std::string("gpu,") + figures + "\n");
    const MachineColumns columns{
        .machine = "gpu", .figures = {rows.columns[1].name, rows.columns[2].name}, .precision = ""};
    const auto speeds = machine_speeds(rows, columns, device::built_in()).logs;
    EXPECT_NEAR(std::exp(speeds(0, 0)), 8, 1e-9) << figures;
    EXPECT_NEAR(std::exp(speeds(0, 1)), 300, 1e-9) << figures;
  }
}

TEST(MachineColumns, HaveThePeakOfTheRowsPrecision) {
  const auto rows =
      table_of("gpu,p,f32_tflops,f16_tflops\nV100,fp32,14,112\nV100,amp,14,112\n2xT4,int8,,\nx,fp32,,\n");
  const auto speeds =
      machine_speeds(rows, {.machine = "gpu", .figures = {"f32_tflops", "f16_tflops"}, .precision = "p"},
                     device::built_in())
          .logs;
  EXPECT_NEAR(std::exp(speeds(0, 0)), 14, 1e-9);
  EXPECT_NEAR(std::exp(speeds(1, 0)), 112, 1e-9);
  EXPECT_NEAR(std::exp(speeds(2, 0)), 2 * 130, 1e-9);
  EXPECT_NEAR(std::exp(speeds(2, 1)), 2 * 320, 1e-9);
  EXPECT_TRUE(std::isnan(speeds(3, 0)) && std::isnan(speeds(3, 1)));
}

}  // namespace
}  // namespace neph::predict
