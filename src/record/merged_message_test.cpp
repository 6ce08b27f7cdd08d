#include "record/merged_message.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(MergedMessage, HasRangesWhereFiguresDiffer) {
  EXPECT_EQ(merged_message("others used 1.02 of 2 cores", "others used 1.5 of 2 cores"),
            "others used 1.02 to 1.5 of 2 cores");
  EXPECT_EQ(merged_message("12 of 500 answers differ (3 %).", "7 of 1,500 answers differ (11 %)."),
            "7 to 12 of 500 to 1,500 answers differ (3 to 11 %).");
  EXPECT_EQ(merged_message("changed by +12 %", "changed by -20 %"), "changed by -20 to +12 %");
  EXPECT_EQ(merged_message("p = 1.2e-05", "p = 0.04"), "p = 1.2e-05 to 0.04");
  EXPECT_EQ(merged_message("± 6.1 % only", "± 173 % only"), "± 6.1 to 173 % only");
}

TEST(MergedMessage, WidensARange) {
  const auto first = merged_message("used 1.02 of 2 (in 5 of 5 runs)", "used 1.5 of 2 (in 3 of 5 runs)");
  ASSERT_EQ(first, "used 1.02 to 1.5 of 2 (in 3 to 5 of 5 runs)");
  EXPECT_EQ(merged_message(*first, "used 0.9 of 2 (in 4 of 5 runs)"),
            "used 0.9 to 1.5 of 2 (in 3 to 5 of 5 runs)");
  EXPECT_EQ(merged_message("used 0.9 of 2 (in 4 of 5 runs)", *first),
            "used 0.9 to 1.5 of 2 (in 3 to 5 of 5 runs)");
}

TEST(MergedMessage, KeepsWhatIsTheSame) {
  EXPECT_EQ(merged_message("", ""), "");
  EXPECT_EQ(merged_message("a closed loop", "a closed loop"), "a closed loop");
  EXPECT_EQ(merged_message("the first 2 of 3.", "the first 2 of 3."), "the first 2 of 3.");
}

TEST(MergedMessage, IsNoneWhereWordsDiffer) {
  EXPECT_EQ(merged_message("it rises by 3 %", "it falls by 3 %"), std::nullopt);
  EXPECT_EQ(merged_message("3 runs failed", "3 runs failed: 7"), std::nullopt);
  EXPECT_EQ(merged_message("rests on 1 run", "rests on 2 runs"), std::nullopt);
  EXPECT_EQ(merged_message("a 3", "a b"), std::nullopt);
  EXPECT_EQ(merged_message("12 MiB", "1.2 GiB"), std::nullopt);
}

TEST(MergedMessage, NumbersInsideWordsAreWords) {
  for (const auto& [a, b] : {std::pair("gpu0 slowed", "gpu1 slowed"),
                             {"repeat #2", "repeat #3"},
                             {"neph 0.1.0", "neph 0.2.0"},
                             {"photos/1.jpg", "photos/2.jpg"},
                             {"1.jpg broke", "2.jpg broke"},
                             {"ended with exit code 1", "ended with exit code 139"},
                             {"killed by signal 9", "killed by signal 11"},
                             {"answered with status 404", "answered with status 503"},
                             {"row 7 is empty", "row 8 is empty"},
                             {"fault (line 3)", "fault (line 4)"},
                             {"nothing listens on port 80", "nothing listens on port 81"},
                             {"took 3 min 20 s", "took 4 min 20 s"}})
    EXPECT_EQ(merged_message(a, b), std::nullopt) << a;
  EXPECT_EQ(merged_message("exit code 1 after 3 s", "exit code 1 after 5 s"), "exit code 1 after 3 to 5 s");
  EXPECT_EQ(merged_message("a pipeline 3 deep", "a pipeline 4 deep"), "a pipeline 3 to 4 deep");
  EXPECT_EQ(merged_message("took 3 min 20 s", "took 3 min 50 s"), "took 3 min 20 to 50 s");
}

}  // namespace
}  // namespace neph
