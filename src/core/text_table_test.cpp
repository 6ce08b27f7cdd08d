#include "core/text_table.hpp"

#include <gmock/gmock.h>

namespace neph {
namespace {

TEST(TextTable, NumbersAreSetRightAndWordsLeft) {
  TextTable table({"name", "count"});
  table.add({"µs", "1,000"});
  table.add({"second", "-"});
  EXPECT_EQ(table.text(),
            "name    count\n"
            "µs      1,000\n"
            "second      -\n");
}

TEST(TextTable, NoTextSteersTheTerminal) {
  TextTable table({"na\x1b[31mme"});
  table.add({"a\nb\x9b\u009b\u202e"});
  EXPECT_EQ(table.text(), "na\uFFFD[31mme\na b\uFFFD\uFFFD\uFFFD\n");
}

TEST(TextTable, LongTextsGoOnInFurtherLines) {
  TextTable table({"share", "term"});
  table.add({"5 %", "batch*layers*width^2/stages"});
  table.add({"95 %", "of a value of µs"});
  EXPECT_EQ(table.text_within(21),
            "share  term\n"
            "  5 %  batch*layers*\n"
            "       width^2/stages\n"
            " 95 %  of a value of\n"
            "       µs\n");
  EXPECT_EQ(table.text_within(100), table.text());
  TextTable narrow({"a", "b"});
  narrow.add({"aaaaaaaaaaaaaaaa", "b"});
  EXPECT_EQ(narrow.text_within(3), "a             b\naaaaaaaaaaaa  b\naaaa\n")
      << "no column of less than twelve";
  TextTable worded({"configuration"});
  worded.add({"aaaaaaaaaaaaaaaa"});
  EXPECT_EQ(worded.text_within(3), "configuration\naaaaaaaaaaaaa\naaa\n") << "no heading's word is broken";
}

TEST(TextTable, SetsColumnsWhereItIsTold) {
  TextTable table({"n", "verdict"}, {TextTable::Side::right, TextTable::Side::left});
  table.add({"too few", "2 failed"});
  EXPECT_THAT(table.lines(), testing::ElementsAre("      n  verdict", "too few  2 failed"));
  EXPECT_EQ(table.width(), 17U);
}

}  // namespace
}  // namespace neph
