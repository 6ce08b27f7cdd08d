#include "workload/command/mllog.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace neph::workload::command {
namespace {

constexpr double epoch_at_s = -1764070000;

std::string line(std::string_view key, std::string_view value) {
  return fmt::format(
      R"(:::MLLOG {{"namespace": "", "time_ms": 1764070012345, "event_type": "INTERVAL_START", "key": "{}", )"
      R"("value": {}, "metadata": {{"file": "train.py", "lineno": 12, "epoch_num": 1}}}})",
      key, value);
}

TEST(Mllog, PartsBeginAndEndByTheLinesOwnTime) {
  const auto begin = read_mllog(line("epoch_start", "null"), epoch_at_s);
  ASSERT_TRUE(begin);
  EXPECT_EQ(begin->by, Teller::mllog);
  EXPECT_EQ(std::get<Begin>(begin->what).kind, SpanKind::epoch);
  EXPECT_NEAR(std::get<Begin>(begin->what).at_s, 12.345, 1e-6);
  const auto end = read_mllog(line("eval_stop", "null"), epoch_at_s);
  ASSERT_TRUE(end);
  EXPECT_EQ(std::get<End>(end->what).kind, SpanKind::verify);
}

TEST(Mllog, ValuesAreFigures) {
  const auto accuracy = read_mllog("0: " + line("eval_accuracy", "0.759"), epoch_at_s);
  ASSERT_TRUE(accuracy);
  EXPECT_EQ(std::get<Figure>(accuracy->what).value, Value::test_accuracy);
  EXPECT_EQ(std::get<Figure>(accuracy->what).number, 0.759);
  const auto batch = read_mllog(line("global_batch_size", "256"), epoch_at_s);
  ASSERT_TRUE(batch);
  EXPECT_EQ(std::get<Figure>(batch->what).value, Value::samples_per_step);
}

TEST(Mllog, OtherLinesAndBrokenOnesTellNothing) {
  const auto whole = line("epoch_start", "null");
  for (const auto& each :
       {std::string("epoch_start"), std::string(":::MLLOG"), std::string(":::MLLOG {"),
        std::string(R"(:::MLLOG {"key": 7, "time_ms": 1})"),
        std::string(R"(:::MLLOG {"key": "epoch_start"})"),
        std::string(R"(:::MLLOG {"key": "epoch_start", "time_ms": "soon"})"), line("seed", "1"),
        line("eval_accuracy", "\"good\""), whole.substr(0, whole.size() - 5)})
    EXPECT_FALSE(read_mllog(each, epoch_at_s)) << each;
}

}  // namespace
}  // namespace neph::workload::command
