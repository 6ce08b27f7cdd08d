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

std::vector<std::string> contradictions(const std::string& text, const std::string& machine = {}) {
  return contradictions_in(table_of(text), found_in(text, machine), device::built_in());
}

TEST(MachineColumns, ThatContradictEachOtherAreNamed) {
  EXPECT_THAT(contradictions("gpu,instance,t\nT4,g4dn.xlarge,1\nV100,p3.2xlarge,2\n"), IsEmpty());
  EXPECT_THAT(contradictions("gpu,instance,t\nT4,g4dn.xlarge,1\nT4,p3.2xlarge,2\n"),
              ElementsAre("'gpu' and 'instance' name different machines (T4 and p3.2xlarge): 'gpu' is taken; "
                          "--machine NAME takes another"));
  EXPECT_THAT(contradictions("gpu,peak_tflops,bandwidth_gb_s,t\nT4,8.1,320,1\nA100,312,1555,2\n"), IsEmpty());
  EXPECT_THAT(
      contradictions("gpu,peak_tflops,bandwidth_gb_s,t\nT4,8141,320,1\nA100,19500,-1555,2\n"),
      ElementsAre("'peak_tflops' has 8141 TFLOP/s for 'T4', whose sheet has 8.1 at fp32: the sheet's is "
                  "taken; is the unit right?",
                  "'bandwidth_gb_s' has -1555 GB/s for 'A100', whose sheet has 1555: the sheet's is taken; "
                  "is the unit right?"));
  EXPECT_THAT(contradictions("host,t\nnode1,1\nnode2,2\n", "host"),
              ElementsAre(testing::StartsWith("'host' names no known device ('node1')")));
  EXPECT_THAT(contradictions("host,tflops,bandwidth_gb_s,t\nnode1,8,300,1\nnode2,9,400,2\n", "host"),
              IsEmpty());
}

TEST(MachineSpeeds, OfATableFarFromTheSheetAreNotTaken) {
  const auto rows =
      table_of("gpu,peak_tflops,bandwidth_gb_s\nT4,8141,320\nT4,7,300\nK80,4.37,240\nnode1,5,100\n");
  const MachineColumns columns{
      .machine = "gpu", .figures = {"peak_tflops", "bandwidth_gb_s"}, .precision = ""};
  const auto speeds = machine_speeds(rows, columns, device::built_in());
  EXPECT_NEAR(std::exp(speeds.logs(0, 0)), 8.1, 1e-9);
  EXPECT_NEAR(std::exp(speeds.logs(1, 0)), 7, 1e-9);
  EXPECT_NEAR(std::exp(speeds.logs(2, 0)), 4.37 * 0.667, 1e-9) << "what is usable of it";
  EXPECT_NEAR(std::exp(speeds.logs(3, 0)), 5, 1e-9);
  EXPECT_EQ(speeds.families[3], -1);
}

TEST(MachineSpeeds, OfACpuAreThoseOfTheThreadsThatRun) {
  const auto rows = table_of(
      "machine,threads\n2 cores of EPYC 7763,1\n2 cores of EPYC 7763,2\n2 cores of EPYC 7763,8\nEPYC "
      "7763,1\n2 cores of EPYC 7763,0\n");
  const auto logs =
      machine_speeds(rows, {.machine = "machine", .figures = {}, .precision = ""}, device::built_in()).logs;
  EXPECT_NEAR(logs(1, 0) - logs(0, 0), std::log(2), 1e-9);
  EXPECT_EQ(logs(2, 0), logs(1, 0));
  EXPECT_NEAR(logs(3, 1), logs(0, 1), 1e-9);
  EXPECT_EQ(logs(4, 0), logs(1, 0)) << "0: the engine's choice";
}

TEST(Rates, AreKnownByTheirHeadings) {
  for (const auto* rate :
       {"images_per_s", "tokens/s", "Throughput", "samples per second", "fps", "GFLOPS", "requests/sec"})
    EXPECT_TRUE(is_rate(rate)) << rate;
  for (const auto* time : {"step_ms", "latency_p50_ms", "seconds_per_step", "ms_per_token", "time", "t", "s"})
    EXPECT_FALSE(is_rate(time)) << time;
}

TEST(MachineColumns, OfAcceleratorsGoBeforeThoseOfCpus) {
  EXPECT_EQ(found_in("cpu,gpu,t\nEPYC 7763,T4,1\nEPYC 9654,A100,2\n").machine, "gpu");
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
