#include "cli/advise_table.hpp"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::cli {
namespace {

using testing::Contains;
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

TEST(TimesTable, NamesALoneConfigurationByWhatItIs) {
  EXPECT_EQ(times("cores,train_s\n8,100\n").value().configurations.at(0).work.name, "cores 8");
  EXPECT_EQ(times("cores,gpu,time\n4,T4,100\n4,T4,104\n", "time").value().configurations.at(0).work.name,
            "cores 4, gpu T4");
  EXPECT_EQ(
      times("provider,instance,time\nverda,CPU.4V.16G,100\n", "time").value().configurations.at(0).work.name,
      "provider verda, instance CPU.4V.16G");
}

TEST(TimesTable, ReadsUnitsOfTheHeading) {
  for (const auto& [heading, seconds] : {std::pair{"time_ms", 0.1},
                                         {"time (min)", 6000.0},
                                         {"time_h", 360000.0},
                                         {"time_s", 100.0},
                                         {"train_milliseconds", 0.1},
                                         {"train_hours", 360000.0},
                                         {"time (µs)", 1e-4},
                                         {"train_us", 1e-4},
                                         {"train_minutes", 6000.0},
                                         {"Train time [sec]", 100.0},
                                         {"s_per_epoch", 100.0},
                                         {"ms/step", 0.1},
                                         {"train_ms_mean", 0.1},
                                         {"train_s_min", 100.0}})
    EXPECT_DOUBLE_EQ(times(fmt::format("cores,{}\n1,100\n", heading), heading)
                         .value()
                         .configurations[0]
                         .work.stages[0]
                         .seconds.value,
                     seconds);
  EXPECT_THAT(times("cores,time\n1,100\n", "time").value().notes.at(0), HasSubstr("in seconds"));
  for (const auto* heading : {"time_weeks", "time (fortnights)", "train_m"})
    EXPECT_THAT(error_of(fmt::format("cores,{}\n1,100\n", heading), heading),
                HasSubstr("a unit that is not known"));
}

TEST(TimesTable, MarksPredictionsAndRefusals) {
  const auto read =
      times("cores,predicted,refused,train_s\n1,1,,100\n2,0,beyond the table,\n4,,,50\n").value();
  EXPECT_TRUE(read.configurations[0].is_predicted);
  EXPECT_EQ(read.configurations[1].refused, "beyond the table");
  EXPECT_FALSE(read.configurations[2].is_predicted);
  EXPECT_TRUE(read.configurations[2].refused.empty());
}

TEST(TimesTable, TakesNumberedExperimentsForRepeats) {
  const auto numbered = times("exp_name,cores,train_s\nexp01,8,100\nexp02,8,104\nexp03,8,108\n").value();
  ASSERT_EQ(numbered.configurations.size(), 1u);
  EXPECT_EQ(numbered.configurations[0].repeats, 3);
  EXPECT_EQ(times("exp_name,cores,train_s\nthreads1,2,100\nthreads2,2,60\n").value().configurations.size(),
            2u);
  EXPECT_EQ(times("exp_name,cores,train_s\nbare,8,100\nfused,8,104\n").value().configurations.size(), 2u);
}

TEST(TimesTable, FindsTheOnlyColumnOfTimes) {
  EXPECT_EQ(times("cores,epoch_s\n1,100\n", "").value().time, "epoch_s");
  EXPECT_THAT(error_of("cores,a_s,b_s\n1,1,2\n", ""), HasSubstr("--time NAME; there are cores, a_s, b_s"));
}

TEST(TimesTable, KnowsTheUsualNamesOfCoresAndGpus) {
  for (const auto* heading : {"cores,n_gpus,gpu_type,train_s", "num_cores,num_gpus,GPU model,train_s",
                              "cpus,gpu_count,accelerator,train_s", "n_cpus,gpu,gpu_name,train_s"}) {
    const auto read = times(fmt::format("{}\n8,0,,3600\n8,2,V100,200\n", heading)).value();
    EXPECT_EQ(read.configurations[0].needs.cores, 8) << heading;
    EXPECT_EQ(read.configurations[0].needs.gpus, 0) << heading;
    EXPECT_EQ(read.configurations[1].needs.gpus, 2) << heading;
    EXPECT_EQ(read.configurations[1].needs.gpu, "V100") << heading;
  }
  EXPECT_EQ(
      times("device,cores,gpu,train_s\ncpu,8,V100,90\ncuda,8,V100,9\n").value().configurations[0].needs.gpus,
      0)
      << "the machine has one, and it did nothing";
}

TEST(TimesTable, TakesNoTimeOfAGpuForOneOfCores) {
  EXPECT_THAT(error_of("cores,gpus_used,train_s\n8,1,200\n"),
              HasSubstr("what does 'gpus_used' say of the machine?"));
  EXPECT_THAT(error_of("cores,accel,train_s\n8,V100,200\n"), HasSubstr("what does 'accel' say"));
  EXPECT_THAT(error_of("cores,gpus,gpu,train_s\n8,0.5,V100,200\n"), HasSubstr("it uses 0.5 GPUs"));
  EXPECT_THAT(error_of("device,cores,train_s\ncuda,8,200\n"), HasSubstr("no column 'gpu' says which"));
  EXPECT_THAT(error_of("device,cores,train_s\nV100,8,200\n"), HasSubstr("it should be cpu or cuda"));
  EXPECT_TRUE(times("cores,f1_score,train_s\n8,0.5,200\n")) << "a score is no core";
}

TEST(TimesTable, TakesNoRateForATime) {
  EXPECT_EQ(times("cores,time,images_per_s\n8,100,5\n", "").value().time, "time");
  EXPECT_THAT(error_of("cores,images_per_s\n8,5\n", ""), HasSubstr("--time NAME"));
  for (const auto* rate : {"images_per_s", "images/s", "items per second", "throughput"})
    EXPECT_THAT(error_of(fmt::format("cores,{}\n8,5\n", rate), rate), HasSubstr("is a rate, and no time"))
        << rate;
}

TEST(TimesTable, KeepsRepeatsTogetherWhateverRunsGave) {
  const auto read =
      times(
          "cores,seed,accuracy,images_per_s,train_s\n"
          "8,1,0.91,310,98\n8,2,0.93,300,100\n8,3,0.9,290,102\n16,1,0.9,500,60\n16,2,0.92,490,61\n")
          .value();
  ASSERT_EQ(read.configurations.size(), 2u);
  EXPECT_EQ(read.configurations[0].repeats, 3);
  EXPECT_EQ(read.configurations[0].work.name, "cores 8");
  EXPECT_THAT(read.notes,
              Contains("Taken for results, and not for what was varied: accuracy, images_per_s."));
}

TEST(TimesTable, AsksWhatANumberIsThatIsAnotherInEveryRow) {
  EXPECT_THAT(error_of("cores,temperature,train_s\n8,60.5,98\n8,61.2,100\n8,59.9,102\n"),
              HasSubstr("'temperature' is another number in every row"));
  const auto read = times("cores,batch,train_s\n8,32,98\n8,64,100\n8,128,102\n").value();
  EXPECT_EQ(read.configurations.size(), 3u);
  EXPECT_THAT(read.notes, Contains(HasSubstr("'batch' is taken for what was varied")));
  EXPECT_TRUE(times("cores,lr,train_s\n8,0.1,98\n8,0.1,100\n8,0.5,102\n")) << "it has repeats";
}

TEST(TimesTable, TakesRunNumbersForNoConfiguration) {
  const auto table = [](const char* heading, std::vector<std::string> cells) {
    std::string text = fmt::format("{},cores,train_s\n", heading);
    const std::array times{100, 103, 98, 60, 61, 59};
    for (std::size_t i = 0; i < times.size(); ++i)
      text += fmt::format("{},{},{}\n", cells[i], i < 3 ? 4 : 8, times.at(i));
    return text;
  };
  for (const auto& [heading, cells, how] :
       std::vector<std::tuple<const char*, std::vector<std::string>, const char*>>{
           {"Unnamed: 0", {"0", "1", "2", "3", "4", "5"}, "counts the rows"},
           {"#", {"7", "8", "11", "15", "16", "30"}, "differs in every row that otherwise repeats"},
           {"host", {"n1", "n2", "n3", "n4", "n5", "n6"}, "differs in every row that otherwise repeats"},
           {"attempt", {"1", "2", "3", "1", "2", "3"}, "counts the repeats of each configuration"},
           {"seed", {"5", "7", "5", "1", "9", "5"}, "by its name"}}) {
    const auto read = times(table(heading, cells)).value();
    ASSERT_EQ(read.configurations.size(), 2u) << heading;
    EXPECT_EQ(read.configurations[0].work.name, "cores 4");
    EXPECT_TRUE(read.configurations[0].work.stages[0].seconds.low) << "it has repeats";
    EXPECT_THAT(read.notes, Contains(HasSubstr(fmt::format("'{}' {};", heading, how))));
    const auto used =
        times_in(table::parse_table(table(heading, cells), "t").value(), "train_s", {}, {heading}).value();
    EXPECT_GT(used.configurations.size(), 2u) << heading;
  }
  EXPECT_THAT(times_in(table::parse_table("cores,train_s\n4,1\n", "t").value(), "train_s", {}, {"idx"})
                  .error()
                  .text(),
              HasSubstr("unknown column 'idx'"));
  EXPECT_EQ(times("variant,cores,train_s\nbare,4,100\nfused,4,99\nplain,8,60\neager,8,61\n")
                .value()
                .configurations.size(),
            4u);
  EXPECT_EQ(times("workers,cores,train_s\n1,4,100\n2,4,60\n3,8,52\n4,8,31\n").value().configurations.size(),
            4u);
}

TEST(TimesTable, OfDifferentJobsIsNoChoice) {
  const auto* table = "model,cores,train_s\nresnet50,8,100\nmobilenet,8,10\n";
  EXPECT_THAT(error_of(table), HasSubstr("--where model=resnet50"));
  EXPECT_TRUE(times(table, "train_s", {"model=mobilenet"}));
}

TEST(TimesTable, OfPredictedTimesHasOnlyPredictions) {
  EXPECT_TRUE(times("cores,predicted\n8,100\n", "predicted").value().configurations[0].is_predicted);
  EXPECT_TRUE(times("cores,predicted_train_s\n8,100\n", "").value().configurations[0].is_predicted);
  EXPECT_FALSE(times("cores,train_s\n8,100\n", "").value().configurations[0].is_predicted);
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
