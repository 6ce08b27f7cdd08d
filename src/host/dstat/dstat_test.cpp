#include "host/dstat/dstat.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/telemetry.hpp"

namespace neph::host {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// As dstat 0.8.0 and dool 1.3.8 wrote them here.
constexpr std::string_view dstat_file =
    R"("Dstat 0.8.0 CSV output"
"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
"Host:","vm",,,,"User:","root"
"Cmdline:","dstat -tcmdrn --output a.csv 1 2",,,,"Date:","25 Nov 2026 11:36:49 UTC"
"system","total cpu usage",,,,,"memory usage",,,,"dsk/total",,"io/total",,"net/total",
"time","usr","sys","idl","wai","stl","used","free","buff","cach","read","writ","read","writ","recv","send"
25-11 11:36:49,73.287,10.698,15.830,0.097,0.088,1449988096,9261514752,150253568,13578862592,942562.767,4625652.271,42.598,24.152,0,0
25-11 11:36:50,79.695,15.228,1.015,2.538,1.523,1476808704,9243471872,150261760,13570560000,0,7536640,0,2033,0,0
)";
constexpr std::string_view appended =
    R"(

"Host:","vm",,,,"User:","root"
"Cmdline:","dstat -tcmdrn --output a.csv 1 2",,,,"Date:","25 Nov 2026 11:36:50 UTC"
"system","total cpu usage",,,,,"memory usage",,,,"dsk/total",,"io/total",,"net/total",
"time","usr","sys","idl","wai","stl","used","free","buff","cach","read","writ","read","writ","recv","send"
25-11 11:36:50,73.287,10.699,15.828,0.097,0.088,1476808704,9243471872,150261760,13570560000,942487.792,4625850.764,42.595,24.304,0,0
25-11 11:36:51,87.940,12.060,0,0,0,1474666496,9243602944,150446080,13571936256,4096,9216000,1,1100,0,0
)";
constexpr std::string_view dool_file =
    R"("dool 1.3.8 CSV output"
"Author:","Scott Baker",,,,"URL:","https://github.com/scottchiefbaker/dool/"
"Host:","vm",,,,"User:","root"
"Cmdline:","/usr/bin/dool -tcmdrn --output d.csv 1 2",,,,"Date:","25 Nov 2026 11:36:29 UTC"
"system","total cpu usage",,,,,"memory usage",,,,"dsk/total",,"io/total",,"net/total",
"time","usr","sys","idl","wai","stl","used","free","cach","avai","read","writ","read","writ","recv","send"
Nov-25 11:36:29,73.272,10.691,15.852,0.097,0.088,1703292928,8761200640,13962125312,23313575936,7550446.888,36907283.561,42.648,22.652,0,0
Nov-25 11:36:30,85.354,14.646,0,0,0,1828794368,8600219648,13996056576,23188533248,32768,0,1,0,0,0
)";
constexpr std::string_view parts_file =
    R"("Dstat 0.8.0 CSV output"
"Host:","vm",,,,"User:","root"
"Cmdline:","dstat -tcdn -C 0,1 --full --output c.csv 5 2",,,,"Date:","31 Dec 2026 23:59:58 CET"
"system","cpu0 usage",,,,,"cpu1 usage",,,,,"dsk/sda",,"dsk/sdb",,"net/lo",,"net/eth0",,"most expensive"
"time","cpu0 usage:usr","cpu0 usage:sys","cpu0 usage:idl","cpu0 usage:wai","cpu0 usage:stl","cpu1 usage:usr","cpu1 usage:sys","cpu1 usage:idl","cpu1 usage:wai","cpu1 usage:stl","dsk/sda:read","dsk/sda:writ","dsk/sdb:read","dsk/sdb:writ","net/lo:recv","net/lo:send","net/eth0:recv","net/eth0:send","cpu process"
31-12 23:59:58,1,1,98,0,0,1,1,98,0,0,1,1,1,1,1,1,1,1,init
01-01 00:00:03,80,10,10,0,0,40,20,40,0,0,100,10,50,5,900,900,7,8,python3      99
)";

std::vector<Recording> read(std::string_view text) {
  auto recordings = read_dstat(text, "x.csv");
  EXPECT_TRUE(recordings) << recordings.error().text();
  return recordings ? *recordings : std::vector<Recording>{};
}
std::string error_of(std::string_view text) {
  const auto recordings = read_dstat(text, "x.csv");
  EXPECT_FALSE(recordings) << "it was read";
  return recordings ? "" : recordings.error().text();
}
const Series& series_of(const Recording& recording, std::string_view name) {
  for (const auto& series : recording.series)
    if (series.name == name) return series;
  ADD_FAILURE() << "no " << name;
  static const Series none;
  return none;
}
std::string without_last(std::string_view text, std::size_t bytes) {
  return std::string(text.substr(0, text.size() - bytes));
}
std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

TEST(ReadDstat, AFileOfDstat) {
  const auto all = read(dstat_file);
  ASSERT_THAT(all, SizeIs(1));
  const auto& one = all[0];
  EXPECT_EQ(one.program, "Dstat 0.8.0");
  EXPECT_EQ(one.host, "vm");
  EXPECT_EQ(one.command, "dstat -tcmdrn --output a.csv 1 2");
  EXPECT_EQ(one.begin_s, 1795606609);  // date -u -d '2026-11-25 11:36:49' +%s
  EXPECT_EQ(one.zone, "UTC");
  EXPECT_EQ(one.rows, 2);
  EXPECT_EQ(one.interval_s, 1);
  EXPECT_EQ(one.length_s, 1);
  EXPECT_EQ(series_of(one, "cpu_user").unit, "percent");
  EXPECT_THAT(series_of(one, "cpu_user").values, ElementsAre(79.695));
  EXPECT_THAT(series_of(one, "cpu_user").at_s, ElementsAre(1));
  EXPECT_THAT(series_of(one, "memory_occupied").values, ElementsAre(1449988096, 1476808704));
  EXPECT_THAT(series_of(one, "disk_write").values, ElementsAre(7536640)) << "bytes, not requests";
  EXPECT_THAT(series_of(one, "disk_write_requests").values, ElementsAre(2033));
  EXPECT_THAT(one.series, SizeIs(15));
  EXPECT_THAT(one.notes, ElementsAre(HasSubstr("averages since the machine's start")));
}

TEST(ReadDstat, AFileOfDool) {
  const auto one = read(dool_file).at(0);
  EXPECT_EQ(one.program, "dool 1.3.8");
  EXPECT_EQ(one.begin_s, 1795606589);
  EXPECT_EQ(one.length_s, 1);
  EXPECT_THAT(series_of(one, "memory_available").values, ElementsAre(23313575936, 23188533248));
  EXPECT_THAT(series_of(one, "memory_cached").values, ElementsAre(13962125312, 13996056576));
}

TEST(ReadDstat, WhatWasAppendedIsARecordingOfItsOwn) {
  const auto all = read(std::string(dstat_file) + std::string(appended));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(*all[1].begin_s - *all[0].begin_s, 1);
  EXPECT_THAT(series_of(all[1], "cpu_user").values, ElementsAre(87.94));
  EXPECT_EQ(all[1].program, "Dstat 0.8.0");
  const auto joined = read(std::string(dstat_file) + std::string(dool_file));
  ASSERT_THAT(joined, SizeIs(2)) << "two whole files, one after the other";
  EXPECT_EQ(joined[1].program, "dool 1.3.8");
}

TEST(ReadDstat, PartsAreSummedWhereThereIsNoTotal) {
  const auto one = read(parts_file).at(0);
  EXPECT_THAT(series_of(one, "cpu_user").values, ElementsAre(60)) << "percent of all processors";
  EXPECT_THAT(series_of(one, "disk_read").values, ElementsAre(150));
  EXPECT_THAT(series_of(one, "network_received").values, ElementsAre(7)) << "not the loopback's";
  EXPECT_THAT(one.notes, Contains("added up, since there is no total: cpu0 usage, cpu1 usage, dsk/sda, "
                                  "dsk/sdb, net/eth0"));
  EXPECT_THAT(one.notes, Contains("left out: net/lo, most expensive"));
  EXPECT_EQ(one.length_s, 5) << "over New Year's Eve";
  EXPECT_EQ(one.zone, "CET");
}

TEST(ReadDstat, ATotalIsNotAddedToItsParts) {
  const auto text =
      replaced(replaced(std::string(parts_file), "cpu1 usage", "total cpu usage"), "dsk/sdb", "dsk/total");
  const auto one = read(text).at(0);
  EXPECT_THAT(series_of(one, "cpu_user").values, ElementsAre(40));
  EXPECT_THAT(series_of(one, "disk_read").values, ElementsAre(50));
}

TEST(ReadDstat, ColumnsOfOlderVersionsAndWithoutATime) {
  const auto one = read(R"("Dstat 0.7.2 CSV output"
"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
"Host:","node3",,,,"User:","me"
"Cmdline:","dstat -cmgy --output "my file.csv" 10",,,,"Date:","29 Feb 2016 10:00:00 CET"

"total cpu usage",,,,,,"memory usage",,,,"paging",,"system",
"usr","sys","idl","wai","hiq","siq","used","buff","cach","free","in","out","int","csw"
1,1,98,0,0,0,100,200,300,400,0,0,10,20
50,10,36,1,1,2,110,200,300,390,4096,8192,11,21
50,10,36,1,1,2,110,200,300,390,4096,8192,11,22
)")
                       .at(0);
  EXPECT_EQ(one.command, "dstat -cmgy --output \"my file.csv\" 10");
  EXPECT_EQ(one.interval_s, 10) << "as the command says";
  EXPECT_TRUE(one.is_interval_told);
  EXPECT_EQ(one.length_s, 20);
  EXPECT_THAT(series_of(one, "cpu_system").values, ElementsAre(13, 13)) << "with interrupts";
  EXPECT_THAT(series_of(one, "memory_free").values, ElementsAre(400, 390, 390));
  EXPECT_THAT(series_of(one, "swap_in").values, ElementsAre(4096, 4096));
  EXPECT_THAT(series_of(one, "context_switches").values, ElementsAre(21, 22));
}

TEST(ReadDstat, MomentsAsUnixTime) {
  const auto one = read(R"("epoch","total cpu usage",,,,,"swap",
"epoch","usr","sys","idl","wai","stl","used","free"
1795606613.672,73.290,10.699,15.825,0.097,0.088,0,0
1795606614.672,74,24,0,0,2,0,0
1795606616.672,75,24,0,0,1,0,0
1795606617.672,75,24,0,0,1,0,0
1795606717.672,75,24,0,0,1,0,0
)")
                       .at(0);
  EXPECT_EQ(one.begin_s, 1795606614);
  EXPECT_EQ(one.program, "") << "headings alone will do";
  EXPECT_THAT(series_of(one, "cpu_user").at_s, ElementsAre(DoubleNear(1, 1e-6), DoubleNear(3, 1e-6),
                                                           DoubleNear(4, 1e-6), DoubleNear(104, 1e-6)));
  EXPECT_EQ(one.gaps, 1);
  EXPECT_NEAR(one.gaps_s, 100, 1e-6);
}

TEST(ReadDstat, WithoutAnyTimeASecondIsAssumedAndSaid) {
  const auto one = read("\"total cpu usage\",,\n\"usr\",\"sys\",\"idl\"\n1,2,97\n2,2,96\n").at(0);
  EXPECT_FALSE(one.is_interval_told);
  EXPECT_EQ(one.length_s, 1);
  EXPECT_FALSE(one.begin_s);
}

TEST(ReadDstat, EndsOfLinesMayBeMixed) {
  std::string text(dstat_file);
  int lines = 0;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
    text.replace(at, 1, std::array{"\r\n", "\n", "\r"}[static_cast<std::size_t>(lines++ % 3)]);
  const auto one = read("\xEF\xBB\xBF" + text).at(0);
  EXPECT_EQ(one.rows, 2);
  EXPECT_THAT(series_of(one, "cpu_user").values, ElementsAre(79.695));
  EXPECT_EQ(one.host, "vm");
}

TEST(ReadDstat, AFileThatIsCutShortLosesItsLastLine) {
  for (const std::size_t bytes : {1u, 2u, 30u, 100u}) {
    const auto one = read(without_last(dstat_file, bytes)).at(0);
    EXPECT_EQ(one.rows, 1) << bytes;
    EXPECT_THAT(one.notes, Contains(StartsWith("the last line has no end"))) << bytes;
  }
  EXPECT_THAT(error_of(dstat_file.substr(0, dstat_file.find("25-11 11"))),
              HasSubstr("no row that can be read"));
  EXPECT_THAT(error_of(dstat_file.substr(0, 40)), HasSubstr("headings are missing"));
}

TEST(ReadDstat, LinesThatDoNotFitAreLeftOutAndSaid) {
  const auto text = std::string(dstat_file) + "25-11 11:36:51,1,2\n25-11 11:36:52," + "garbage" +
                    ",15,1,2,1,1476808704,9243471872,150261760,13570560000,0,7536640,0,2033,0,0\n" +
                    "yesterday,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n";
  const auto one = read(text).at(0);
  EXPECT_EQ(one.rows, 3);
  EXPECT_THAT(one.notes, Contains("2 lines left out: line 9 has more or fewer cells than there are columns"));
  EXPECT_THAT(one.notes, Contains(HasSubstr("1 cell without a number")));
  EXPECT_THAT(series_of(one, "cpu_user").values, SizeIs(1)) << "never 0";
  EXPECT_THAT(series_of(one, "cpu_system").values, ElementsAre(15.228, 15));
}

TEST(ReadDstat, AClockThatIsSetBackDoesNotTurnTimeBack) {
  const auto one =
      read(std::string(dstat_file) +
           "25-11 10:36:51,1,2,3,4,5,1,1,1,1,0,0,0,0,0,0\n25-11 10:36:52,1,2,3,4,5,1,1,1,1,0,0,0,0,0,0\n")
          .at(0);
  EXPECT_THAT(series_of(one, "cpu_user").at_s, ElementsAre(1, 2, 3));
  EXPECT_THAT(one.notes, Contains(HasSubstr("the clock went back 1 time")));
}

TEST(ReadDstat, OtherFilesAreRefusedWithTheReason) {
  EXPECT_THAT(error_of(""), HasSubstr("no CSV of dstat"));
  EXPECT_THAT(error_of("a,b\n1,2\n"), HasSubstr("line 2 names no column"));
  EXPECT_THAT(error_of("1,2\n1,2\n"), HasSubstr("numbers before any headings"));
  EXPECT_THAT(error_of(std::string("\xff\xfe\"\0D\0", 6)), HasSubstr("no text"));
  EXPECT_THAT(error_of("\"most expensive\"\n\"cpu process\"\ninit\n"), HasSubstr("names no column"));
  std::string wide = "\"total cpu usage\"";
  for (int i = 0; i < 5000; ++i) wide += ',';
  EXPECT_THAT(error_of(wide + "\n\"usr\"" + wide.substr(wide.find(',')) + "\n"), HasSubstr("more than 4096"));
}

// Of a machine of two processors: four tenths of a second at 10 Hz, then nothing, then a second run.
std::vector<Run> two_runs() {
  const auto series = [](const Metric& quantity, std::vector<double> at, std::vector<double> values) {
    return Series{.target = "machine",
                  .name = std::string(quantity.name),
                  .unit = std::string(quantity.unit),
                  .at_s = std::move(at),
                  .values = std::move(values)};
  };
  Run first{.id = 1, .machine_id = 7, .started = "2026-11-25T11:36:49Z", .host_begin_s = 100.0};
  const std::vector<double> ends{0.5, 1, 1.5, 2};
  first.result.series = {series(telemetry::cpu_user, ends, {1, 1, 1.5, 0.5}),
                         series(telemetry::cpu_system, ends, {0.5, 0.5, 0.5, 0.5}),
                         series(telemetry::cpu_interrupts, ends, {0.25, 0.25, 0, 0}),
                         series(telemetry::cpu_idle, ends, {0.5, 0.5, 0, 1}),
                         series(telemetry::cpu_iowait, ends, {0, 0, 0, 0}),
                         series(telemetry::cpu_steal, ends, {0, 0, 0, 0}),
                         series(telemetry::memory_occupied, {0, 0.5, 1, 1.5, 2}, {1, 2, 4096, 3, 8192}),
                         series(telemetry::disk_write, ends, {1000, 2000, 0, 0.001})};
  Run second{.id = 2, .machine_id = 7, .started = "2026-11-25T11:36:55Z", .host_begin_s = 106.0};
  second.result.series = {series(telemetry::memory_occupied, {0.5}, {5000}),
                          series(telemetry::disk_write, {0.5, 1}, {10, 20}),
                          {.target = "process", .name = "disk_write", .at_s = {1}, .values = {1e9}}};
  return {first, second};
}

std::vector<Recording> recorded_runs(const std::string& command = "neph infer \"a b\"") {
  const Machine machine{.id = 7, .fingerprint = {{"system", {{"name", "vm"}}}}};
  return recordings_of({machine}, two_runs(), command);
}

TEST(WriteDstat, IsTheGoldenFile) {
  EXPECT_EQ(write_dstat(recorded_runs()), R"("Dstat 0.8.0 CSV output"
"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
"Host:","vm",,,,"User:",""
"Cmdline:","neph infer ""a b""",,,,"Date:","25 Nov 2026 11:36:49 UTC"
"system","total cpu usage",,,,,"memory usage",,,,"dsk/total",,"io/total",,"net/total",
"time","usr","sys","idl","wai","stl","used","free","buff","cach","read","writ","read","writ","recv","send"
25-11 11:36:49,,,,,,1,,,,,,,,,
25-11 11:36:50,62.500,12.500,25,0,0,4096,,,,,1500,,,,
25-11 11:36:51,50,25,25,0,0,8192,,,,,0.001,,,,
25-11 11:36:56,,,,,,5000,,,,,15,,,,
)");
}

TEST(WriteDstat, WithoutAnythingHasHeadingsAlone) {
  const auto text = write_dstat({});
  EXPECT_THAT(text, StartsWith("\"Dstat 0.8.0 CSV output\"\n"));
  EXPECT_THAT(error_of(text), HasSubstr("no row that can be read"));
}

TEST(WriteDstat, IsReadBackAsItWas) {
  auto recordings = recorded_runs();
  recordings.push_back(recordings[0]);
  recordings[1].host = "other";
  const auto again = read(write_dstat(recordings));
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[1].host, "other");
  const auto& was = recordings[0];
  EXPECT_EQ(again[0].program, "neph");
  EXPECT_EQ(again[0].command, was.command);
  EXPECT_EQ(again[0].begin_s, was.begin_s);
  EXPECT_EQ(again[0].rows, was.rows);
  EXPECT_EQ(again[0].length_s, was.length_s);
  EXPECT_THAT(again[0].notes, IsEmpty()) << "its first row is no average since the machine's start";
  ASSERT_EQ(again[0].series.size(), was.series.size());
  for (std::size_t i = 0; i < was.series.size(); ++i) {
    EXPECT_EQ(again[0].series[i].name, was.series[i].name);
    EXPECT_EQ(again[0].series[i].unit, was.series[i].unit);
    EXPECT_EQ(again[0].series[i].at_s, was.series[i].at_s);
    EXPECT_THAT(again[0].series[i].values,
                testing::Pointwise(testing::DoubleNear(0.0005), was.series[i].values));
  }
}

TEST(WriteDstat, WhatDstatWroteIsWrittenTheSame) {
  auto recordings = read(dstat_file);
  const auto text = write_dstat(recordings);
  const auto row = dstat_file.find("25-11 11:36:50");
  EXPECT_THAT(text, HasSubstr(std::string(dstat_file.substr(row))));
  const auto groups = dstat_file.find("\"system\"");
  EXPECT_THAT(text, HasSubstr(std::string(dstat_file.substr(groups, dstat_file.find("25-11") - groups))));
}

TEST(RecordingsOf, MachinesStandApart) {
  auto runs = two_runs();
  runs[1].machine_id = 8;
  EXPECT_THAT(recordings_of({}, runs, "neph"), SizeIs(2));
  runs[0].result.series.clear();
  EXPECT_THAT(recordings_of({}, runs, "neph"), SizeIs(1));
}

TEST(RecordingsOf, AMachineThatStartedAnewHasAnotherClock) {
  auto runs = two_runs();
  runs[1].host_begin_s = 3.0;
  const auto one = recordings_of({}, runs, "neph").at(0);
  EXPECT_EQ(one.length_s, 7) << "by the times at which the runs were started";
}

}  // namespace
}  // namespace neph::host
