#include "table/table.hpp"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Table parsed(std::string_view text) {
  auto table = parse_table(text, "t");
  EXPECT_TRUE(table) << table.error().message;
  return table ? *table : Table{};
}

std::string message(std::string_view text, const TableLimits& limits = {}) {
  const auto table = parse_table(text, "t", limits);
  EXPECT_FALSE(table);
  return table ? "" : table.error().text();
}

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> all;
  for (std::size_t row = 0; row < column.rows(); ++row) all.push_back(column.text(row));
  return all;
}

TEST(Table, HasNumbersAndText) {
  const auto table = parsed("batch,model\n1,a\n2.5,b\n,a\n1e3,\n");
  ASSERT_EQ(table.rows, 4U);
  EXPECT_FALSE(table.columns[0].is_text());
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("1", "2.5", "", "1000"));
  EXPECT_THAT(table.columns[1].levels, ElementsAre("a", "b"));
  EXPECT_THAT(texts(table.columns[1]), ElementsAre("a", "b", "a", ""));
}

TEST(Table, AColumnIsTextFromItsFirstRowIfAnyCellIs) {
  const auto table = parsed("x\n007\n1.50\nabout 3\n");
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("007", "1.50", "about 3"));
}

TEST(Table, ReadsWhatSpreadsheetsWrite) {
  const auto table = parsed("\xEF\xBB\xBF\"time (ms)\";\"a \"\"b\"\"; c\"\r\n \"1\";\"x\ny\"\r\n2;z");
  EXPECT_EQ(table.columns[0].name, "time (ms)");
  EXPECT_EQ(table.columns[1].name, "a \"b\"; c");
  EXPECT_THAT(texts(table.columns[1]), ElementsAre("x\ny", "z"));
  EXPECT_THAT(texts(parsed("a\tb\n1,5\t2\n").columns[0]), ElementsAre("1,5"));
}

TEST(Table, ReadsLinesOfOldMacs) {
  const auto table = parsed("a,b\r1,\"x\ry\"\r2,z\r");
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("1", "2"));
  EXPECT_THAT(texts(table.columns[1]), ElementsAre("x\ry", "z"));
  EXPECT_EQ(parsed("a\r\r\n1\r\n").rows, 1U);
}

TEST(Table, ReadsJsonLines) {
  const auto table = parsed("{\"a\": 1, \"b\": \"x\"}\n\n{\"b\": null, \"c\": true, \"a\": 2}\n");
  ASSERT_EQ(table.rows, 2U);
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("1", "2"));
  EXPECT_THAT(texts(table.columns[1]), ElementsAre("x", ""));
  EXPECT_THAT(texts(table.columns[2]), ElementsAre("", "true"));
}

TEST(Table, NumbersThatAreNoneStayNumbers) {
  const auto column = parsed("x\nnan\ninf\n-inf\n1e999\n1e-999\n+2\n").columns[0];
  ASSERT_FALSE(column.is_text());
  EXPECT_TRUE(std::isnan(column.numbers[0]));
  EXPECT_TRUE(std::isinf(column.numbers[1]));
  EXPECT_TRUE(std::isinf(column.numbers[3]));
  EXPECT_EQ(column.numbers[4], 0);
  EXPECT_EQ(column.numbers[5], 2);
}

TEST(Table, InfinitiesAloneAreText) {
  const auto column = parsed("mode\ninf\n\nInf\n").columns[0];
  ASSERT_TRUE(column.is_text());  // of a mode, it is inference
  EXPECT_THAT(column.levels, ElementsAre("inf", "Inf"));
}

TEST(Table, CommasInGroupsOfThreeBeforeAPointAreNoPoints) {
  const auto column = parsed("x\n\"1,484.3\"\n\"-12,345,678.\"\n984.2\n\"+1,000.25\"\n").columns[0];
  ASSERT_FALSE(column.is_text());
  EXPECT_THAT(column.numbers, ElementsAre(1484.3, -12345678, 984.2, 1000.25));
  for (const auto* no_number : {"1,484", "1,5", "1.484,3", "1,48.3", "0,484.3", "1,2,3", "1484,300.5",
                                "3,224,224", ",484.3", "1,484.3.2"})
    EXPECT_FALSE(number_of_cell(no_number)) << no_number;
}

TEST(Table, RefusesWhatIsNone) {
  EXPECT_EQ(message(""), "t: it is empty");
  EXPECT_EQ(message("\n\n"), "t: it is empty");
  EXPECT_EQ(message("a,b\n"), "t: it has a heading and no rows");
  EXPECT_EQ(message("a,b\n1,2\n3\n"), "t: line 3 has 1 cell and the heading 2");
  EXPECT_EQ(message("a,b\n1,\"2\n3\"\n3\n"), "t: line 4 has 1 cell and the heading 2");
  EXPECT_EQ(message("a,b\n1,2,3\n"),
            "t: line 2 has 3 cells and the heading 2: name each column, and put a cell with the separator in "
            "it in quotes");
  EXPECT_TRUE(parse_table("a,b\n1,2,\n3,4, ,\n", "t")) << "nothing stands in the further cells";
  EXPECT_EQ(message("a,b\n1,\"2\n"), "t: line 2: a quote is opened and never closed");
  EXPECT_EQ(message("a,a\n1,2\n"), "t: two columns are called 'a'");
  EXPECT_EQ(message("a,\n1,2\n"), "t: column 2 of the heading has no name");
  EXPECT_EQ(message(",a\n1\n"), "t: line 2 has 1 cell and the heading 2");
  EXPECT_EQ(message(std::string_view("a,b\n\0\1\2,3\n", 11)),
            "t: it is no text: it has bytes of value 0; a table is "
            "saved as UTF-8");
  EXPECT_EQ(message(" [\n{\"a\": 1}]"), "t: it is an array of JSON; JSON lines are read, one object a line");
  EXPECT_THAT(message("{\"a\": 1}\n{\"a\": [1]}\n"), HasSubstr("line 2: 'a' is neither a number nor text"));
  EXPECT_THAT(message("{\"a\": 1}\n{\"a\": 1\n"), HasSubstr("line 2"));
  EXPECT_EQ(message("a,b,c\n1,2,3\n", {.columns = 2}), "t: more than 2 columns");
}

/// As pandas' to_csv and R's write.csv put them in front.
TEST(Table, NamesOfRowsAreNoColumn) {
  const auto cells = parse_table("\"\",a,m\n0,1.5,x\n\"1\",2,y\n", "t");
  ASSERT_TRUE(cells);
  ASSERT_EQ(cells->columns.size(), 2U);
  EXPECT_EQ(cells->columns[0].name, "a");
  EXPECT_THAT(cells->columns[0].numbers, ElementsAre(1.5, 2));
  EXPECT_EQ(cells->columns[1].text(1), "y");
  EXPECT_EQ(message(",a\nx,1\ny,2\nx,3\n"),
            "t: the first column has no name, and does not number the rows: name it");
}

/// Of a table that is asked, not fitted to.
TEST(Table, KeepsRowsThatCannotBeReadWhereTheyAreAskedFor) {
  const auto cells = parse_table("a,m\n1,x\n2\n\n3,y,z\n4,y\n", "t", {.keeps_unread = true});
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->rows, 4U);
  EXPECT_THAT(cells->unread, ElementsAre(Pair(1, "line 3 has 1 cell and the heading 2"),
                                         Pair(2, HasSubstr("line 5 has 3 cells and the heading 2"))));
  EXPECT_EQ(cells->columns[1].text(3), "y");
  EXPECT_TRUE(cells->columns[1].is_empty(1) && cells->columns[0].is_empty(2));
  const auto lines =
      parse_table("{\"a\": 1, \"m\": [2]}\n{\"a\": \n{\"a\": 3}\n", "t", {.keeps_unread = true});
  ASSERT_TRUE(lines);
  EXPECT_THAT(lines->unread,
              ElementsAre(Pair(0, "line 1: 'm' is neither a number nor text"), Pair(1, HasSubstr("line 2"))));
  EXPECT_EQ(lines->columns[0].numbers[2], 3);
  EXPECT_THAT(parse_table("a,b\n1\n", "t", {.keeps_unread = true}).error().message,
              HasSubstr("line 2 has 1 cell and the heading 2"))
      << "nothing is left to answer";
}

TEST(Table, StopsAtItsLimitOfMemory) {
  std::string text = "a,b\n";
  for (int i = 0; i < 100'000; ++i) text += "1,2\n";
  EXPECT_EQ(message(text, {.bytes = 1 << 20}),
            "t: its first 65,537 rows alone take the 1.00 MiB that a table may take; give a part of it, or "
            "fewer columns");
}

TEST(Table, IsFoundByNameWithOrWithoutUnit) {
  const auto table = parsed("time (ms),# GPUs,Time (s),a\n1,2,3,4\n");
  EXPECT_EQ(*table.find("# gpus"), 1U);
  EXPECT_EQ(*table.find("time (ms)"), 0U);
  EXPECT_EQ(table.find("time").error().message,
            "t: 'time' may be the column 'time (ms)' or 'Time (s)'; give one of them whole");
  EXPECT_EQ(table.find("# GPU").error().text(), "unknown column '# GPU' in t; did you mean '# GPUs'?");
}

/// Any cells, quoted as they must be, come back, however the file is cut into pieces.
TEST(Table, SuggestsANameOfWhichAPartWasGiven) {
  const auto table = *parse_table("batch_latency,batchsize,p\n1,2,3\n", "t");
  EXPECT_THAT(table.find("latency").error().text(), HasSubstr("did you mean 'batch_latency'?"));
  EXPECT_THAT(table.find("batc").error().text(), testing::Not(HasSubstr("did you mean")));
}

TEST(Table, AnyCellsComeBack) {
  Random random(20261122);
  const auto path = std::filesystem::temp_directory_path() / "neph-table-test.csv";
  for (int round = 0; round < 50; ++round) {
    const std::size_t width = 1 + random.below(5), height = 1 + random.below(40);
    std::vector<std::vector<std::string>> cells(height);
    std::string text;
    for (std::size_t i = 0; i < width; ++i)
      text += (i ? "," : "") + std::string(1, static_cast<char>('a' + i));
    text += "\r\n";
    for (auto& row : cells) {
      for (std::size_t i = 0; i < width; ++i) {
        std::string cell = "x", quoted;
        for (auto left = random.below(6); left > 0; --left) cell += "ab,\"\n;\t1"[random.below(8)];
        cell += "x";
        for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
        text += (i ? "," : "") + ("\"" + quoted + "\"");
        row.push_back(cell);
      }
      text += "\n";
    }
    std::ofstream(path, std::ios::binary) << text;
    const auto table = read_table(path);
    ASSERT_TRUE(table) << table.error().message;
    ASSERT_EQ(table->rows, height);
    for (std::size_t row = 0; row < height; ++row)
      for (std::size_t i = 0; i < width; ++i) ASSERT_EQ(table->columns[i].text(row), cells[row][i]);
  }
  std::filesystem::remove(path);
}

TEST(Table, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(read_table("/nowhere.csv").error().message, HasSubstr("/nowhere.csv"));
  EXPECT_EQ(read_table("/nowhere.csv").error().code, ErrorCode::not_found);
  EXPECT_THAT(read_table("/tmp").error().message, HasSubstr("it is a folder"));
}

}  // namespace
}  // namespace neph::table
