#include "cli/advise_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::cli {
namespace {

using testing::HasSubstr;

Result<TimesTable> times(std::string_view text, const std::string& time = "train_s",
                         const std::vector<std::string>& where = {}) {
  return times_in(table::parse_table(text, "times.csv").value(), time, where);
}

std::string error_of(std::string_view text, const std::string& time = "train_s",
                     const std::vector<std::string>& where = {}) {
  return times(text, time, where).error().text();
}

TEST(TimesTable, ReadsWhatAConfigurationNeeds) {
  const auto read =
      times(
          "cores,gpus,gpu,memory_gb,in,provider,instance,arch,batch,train_s,train_s_low,train_s_high\n"
          "8,0,,4,docker,,,x86_64,64,100,90,120\n"
          "4,2,Tesla T4,16,process,AWS,g4dn.xlarge,x86_64,128,50,,\n")
          .value();
  ASSERT_EQ(read.configurations.size(), 2u);
  const auto& cpu = read.configurations[0];
  EXPECT_EQ(cpu.needs.cores, 8);
  EXPECT_EQ(cpu.needs.gpus, 0);
  EXPECT_EQ(cpu.needs.memory_bytes, 4e9);
  EXPECT_EQ(cpu.needs.arch, "x86_64");
  EXPECT_EQ(cpu.place, "docker");
  EXPECT_EQ(cpu.family, "batch 64");
  const auto& seconds = cpu.work.stages.at(0).seconds;
  EXPECT_EQ(seconds.value, 100);
  EXPECT_EQ(seconds.low, 90);
  EXPECT_EQ(seconds.high, 120);
  const auto& gpu = read.configurations[1];
  EXPECT_EQ(gpu.needs.gpus, 2);
  EXPECT_EQ(gpu.needs.gpu, "Tesla T4");
  EXPECT_EQ(gpu.needs.provider, "aws");
  EXPECT_EQ(gpu.needs.instance, "g4dn.xlarge");
  EXPECT_FALSE(gpu.work.stages.at(0).seconds.low);
  EXPECT_THAT(gpu.work.name, HasSubstr("batch 128"));
  EXPECT_EQ(gpu.work.name.find("arch"), std::string::npos) << "it is the same in all rows";
}

TEST(TimesTable, TakesRowsOfOneConfigurationForRepeats) {
  const auto read = times("threads,run,train_s\n4,1,98\n4,2,100\n4,3,102\n8,1,60\n").value();
  ASSERT_EQ(read.configurations.size(), 2u);
  const auto& four = read.configurations[0];
  EXPECT_EQ(four.repeats, 3);
  EXPECT_EQ(four.work.stages[0].seconds.value, 100);
  EXPECT_NEAR(*four.work.stages[0].seconds.low, 100 - 4.302653 * 2 / std::sqrt(3), 1e-4);
  EXPECT_EQ(read.configurations[1].repeats, 1);
  EXPECT_FALSE(read.configurations[1].work.stages[0].seconds.low);
}

TEST(TimesTable, ReadsUnitsOfTheHeading) {
  for (const auto& [heading, seconds] :
       {std::pair{"time_ms", 0.1}, {"time (min)", 6000.0}, {"time_h", 360000.0}, {"time_s", 100.0}})
    EXPECT_DOUBLE_EQ(times(fmt::format("cores,{}\n1,100\n", heading), heading)
                         .value()
                         .configurations[0]
                         .work.stages[0]
                         .seconds.value,
                     seconds);
  EXPECT_THAT(times("cores,time\n1,100\n", "time").value().notes.at(0), HasSubstr("in seconds"));
}

TEST(TimesTable, MarksPredictionsAndRefusals) {
  const auto read =
      times("cores,predicted,refused,train_s\n1,1,,100\n2,0,beyond the table,\n4,,,50\n").value();
  EXPECT_TRUE(read.configurations[0].is_predicted);
  EXPECT_EQ(read.configurations[1].refused, "beyond the table");
  EXPECT_FALSE(read.configurations[2].is_predicted);
  EXPECT_TRUE(read.configurations[2].refused.empty());
}

TEST(TimesTable, FindsTheOnlyColumnOfTimes) {
  EXPECT_EQ(times("cores,epoch_s\n1,100\n", "").value().time, "epoch_s");
  EXPECT_THAT(error_of("cores,a_s,b_s\n1,1,2\n", ""), HasSubstr("--time NAME; there are cores, a_s, b_s"));
}

TEST(TimesTable, KeepsRowsThatAreAsked) {
  const auto read = times("model,cores,train_s\na,1,10\nb,1,20\n", "train_s", {"model=b"}).value();
  ASSERT_EQ(read.configurations.size(), 1u);
  EXPECT_EQ(read.configurations[0].work.stages[0].seconds.value, 20);
  EXPECT_THAT(error_of("model,cores,train_s\na,1,10\n", "train_s", {"model=c"}),
              HasSubstr("no row is as --where says"));
  EXPECT_THAT(error_of("model,cores,train_s\na,1,10\n", "train_s", {"mdel=a"}),
              HasSubstr("did you mean 'model'?"));
}

TEST(TimesTable, NamesTheRowThatIsWrong) {
  EXPECT_EQ(error_of("cores,train_s\n1,10\n2,\n"),
            "times.csv, row 2: train_s is empty; give the time, or leave the row out");
  EXPECT_THAT(error_of("cores,train_s\n1,10\n2,nan\n"), HasSubstr("row 2: train_s is"));
  EXPECT_THAT(error_of("cores,train_s\n1,10\n2,-5\n"), HasSubstr("row 2: train_s is '-5'"));
  EXPECT_THAT(error_of("cores,train_s\n1,fast\n"), HasSubstr("has text, and no times"));
  EXPECT_THAT(error_of("cores,train_s\n1,10\n", "trian_s"), HasSubstr("did you mean 'train_s'?"));
  EXPECT_THAT(error_of("batch,train_s\n1,10\n"), HasSubstr("which machine could do that?"));
  EXPECT_THAT(error_of("cores,gpus,train_s\n1,2,10\n"), HasSubstr("no column 'gpu' says which"));
  EXPECT_THAT(error_of("cores,train_s,train_s_low,train_s_high\n1,10,12,15\n"),
              HasSubstr("is not within its interval"));
  EXPECT_THAT(error_of("cores,train_s,train_s_low,train_s_high\n1,10,9,11\n1,20,19,21\n"),
              HasSubstr("name what tells them apart"));
}

}  // namespace
}  // namespace neph::cli
