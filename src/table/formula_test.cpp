#include "table/formula.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Table table() {
  return *parse_table(
      "h,L,s,global batch,# GPUs,time (ms),a \"b\",min,GPU,side\n"
      "2,3,5,64,8,1,1,7,A100,32px\n"
      "4,1,0,32,2,2,2,7,V100,64px\n",
      "t.csv");
}

double value_of(std::string_view text) {
  const auto formula = Formula::parse(text, table());
  EXPECT_TRUE(formula) << text << formula.error().message;
  if (!formula) return -1;
  const auto values = formula->values(table());
  EXPECT_TRUE(values) << text << values.error().message;
  return values ? values->front() : -1;
}

std::string error_of(std::string_view text) {
  const auto formula = Formula::parse(text, table());
  return formula ? "" : formula.error().text();
}

std::string row_error_of(std::string_view text) {
  const auto values = Formula::parse(text, table())->values(table());
  return values ? "" : values.error().message;
}

TEST(Formula, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(value_of("h*L+s"), 11);
  EXPECT_EQ(value_of("h*(L+s)/4"), 4);
  EXPECT_EQ(value_of("20-h-L"), 15);
  EXPECT_EQ(value_of("60/h/L"), 10);
  EXPECT_EQ(value_of("2^L^h"), 512) << "^ binds to the right";
  EXPECT_EQ(value_of("20+-h^2"), 16) << "and before a sign";
  EXPECT_EQ(value_of("L^-1*6"), 2);
  EXPECT_EQ(value_of("-(-h)"), 2);
  EXPECT_EQ(value_of("+h"), 2);
  EXPECT_EQ(value_of("1.5e1*.2"), 3);
  EXPECT_EQ(value_of("min(h, L, s) + max(h,L)"), 5);
  EXPECT_EQ(value_of("log2(1024)"), 10);
  EXPECT_EQ(value_of("ceil(L/h)+floor(L/h)+sqrt(16)"), 7);
  EXPECT_EQ(value_of("16^0.5"), 4);
  EXPECT_EQ(value_of("0^h"), 0);
  EXPECT_NEAR(value_of("h^1.5"), std::pow(2, 1.5), 1e-14);
  EXPECT_NEAR(value_of("log2(L)"), std::log2(3), 1e-15);
}

TEST(Formula, NamesColumnsAsTheirHeadingsDo) {
  EXPECT_EQ(value_of("\"global batch\"/'# GPUs'"), 8);
  EXPECT_EQ(value_of("[global batch]*time"), 64) << "without its unit";
  EXPECT_EQ(value_of("\"a \"\"b\"\"\""), 1) << "a quote in a name is written twice";
  EXPECT_EQ(value_of("\"min\"+min(h,h)"), 9) << "a column that is called as a function";
  EXPECT_EQ(value_of("side*2"), 64) << "numbers with a unit behind";
}

TEST(Formula, FaultsArePointedAt) {
  EXPECT_EQ(error_of("64*L*hh*(12*h+s)"),
            "there is no column 'hh' (columns: h, L, s, global batch, # GPUs, time, a \"b\", min, GPU, side; "
            "did you mean 'h'?)\n"
            "  64*L*hh*(12*h+s)\n"
            "       ^");
  EXPECT_THAT(error_of("2*globalbatch"), HasSubstr("did you mean 'global batch'?"));
  EXPECT_THAT(error_of("h*GPU"), HasSubstr("the column 'GPU' has text, as 'A100': a term is made of "
                                           "numbers\n  h*GPU\n    ^"));
  EXPECT_EQ(error_of("h*(L+"), "a number, a column or '(' is missing at the end\n  h*(L+\n       ^");
  EXPECT_EQ(error_of("h*(L+s"), "this bracket is not closed\n  h*(L+s\n    ^");
  EXPECT_EQ(error_of("h L"), "an operator is missing here\n  h L\n    ^");
  EXPECT_EQ(error_of("12h"), "an operator is missing here\n  12h\n    ^");
  EXPECT_EQ(error_of("h)"), "an operator is missing here\n  h)\n   ^");
  EXPECT_EQ(error_of("(h s)"), "an operator or ')' is missing here\n  (h s)\n     ^");
  EXPECT_EQ(error_of("h**2"), "powers are written with ^\n  h**2\n    ^");
  EXPECT_EQ(error_of("h*[L"), "this quote is not closed\n  h*[L\n    ^");
  EXPECT_THAT(error_of(""), HasSubstr("is missing at the end"));
  EXPECT_THAT(error_of("1e999"), HasSubstr("too large or too small"));
  EXPECT_THAT(error_of("log(h)"), HasSubstr("unknown function 'log'; did you mean 'log2'?"));
  EXPECT_THAT(error_of("sqrt(h,L)"), HasSubstr("sqrt takes one value"));
  EXPECT_THAT(error_of("max(h)"), HasSubstr("max takes two values or more"));
  EXPECT_EQ(error_of("\xC3\xA4*h"),
            "there is no column 'ä' (columns: h, L, s, global batch, # GPUs, time, a \"b\", "
            "min, GPU, side)\n  ä*h\n  ^");
  EXPECT_THAT(error_of(std::string(200, ' ') + "?" + std::string(200, 'x')), HasSubstr("…"));
}

TEST(Formula, IsNeitherEndlessNorBottomless) {
  EXPECT_THAT(error_of(std::string(70000, ' ')), HasSubstr("longer than"));
  EXPECT_THAT(error_of(std::string(30000, '(') + "h"), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(error_of(std::string(30000, '-') + "h"), HasSubstr("nested more than 100 deep"));
  std::string sum = "h", power = "h";
  for (int i = 0; i < 2000; ++i) sum += "+h";
  for (int i = 0; i < 200; ++i) power += "^h";
  EXPECT_THAT(error_of(sum), HasSubstr("more than 1000 numbers"));
  EXPECT_THAT(error_of(power), HasSubstr("nested more than 100 deep"));
  EXPECT_EQ(value_of(std::string(90, '(') + "h" + std::string(90, ')')), 2);
}

TEST(Formula, ValuesThatAreNoTimesAreRefusedWithTheirRow) {
  EXPECT_EQ(row_error_of("1/s"), "t.csv: '1/s' divides by zero or is no finite number in row 2, where s = 0");
  EXPECT_EQ(row_error_of("min(1,h/(L-1))"),
            "t.csv: 'min(1,h/(L-1))' divides by zero or is no finite number in row 2, where h = 4, L = 1");
  EXPECT_EQ(row_error_of("L-h"), "t.csv: 'L-h' is -3, below 0, in row 2, where L = 1, h = 4");
  EXPECT_THAT(row_error_of("log2(s)"), HasSubstr("no finite number in row 2"));
  EXPECT_THAT(row_error_of("sqrt(L-h)"), HasSubstr("no finite number in row 2"));
  EXPECT_THAT(row_error_of("10^(200*h)"), HasSubstr("no finite number in row 1"));
  const auto holes = *parse_table("h,t\n1,1\n,2\n", "t.csv");
  EXPECT_EQ(Formula::parse("h", holes)->values(holes).error().message,
            "t.csv: 'h' divides by zero or is no finite number in row 2, where h = (empty)");
  EXPECT_THAT(*Formula::parse("2*h", holes)->values(holes, QueryRows({true, false})), ElementsAre(2, 0));
  const auto text = *parse_table("h\nmany\n", "q.csv");
  EXPECT_THAT(Formula::parse("h", holes)->values(text).error().message, HasSubstr("has text, as 'many'"));
}

TEST(Formula, ListsHaveCommasOrSemicolons) {
  const auto all = parse_formulas("h*L, max(h,L);\"global batch\"", table());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[1].text(), "max(h,L)");
  EXPECT_EQ((*all)[2].text(), "\"global batch\"");
  EXPECT_EQ(parse_formulas("h,,L", table()).error().message,
            "a number, a column or '(' is missing here\n  h,,L\n    ^");
}

TEST(Formula, IsWrittenWithTheBracketsItNeeds) {
  const auto written = [](std::string_view text) { return Formula::parse(text, table())->text(); };
  EXPECT_EQ(written("((h)*((L+s)))/(2)"), "h*(L+s)/2");
  EXPECT_EQ(written("h-(L-s)"), "h-(L-s)");
  EXPECT_EQ(written("(h^L)^s"), "(h^L)^s");
  EXPECT_EQ(written("(-h)^2 + -(h^2)"), "(-h)^2+-h^2");
  EXPECT_EQ(written("[global batch] * time"), "\"global batch\"*\"time (ms)\"");
  EXPECT_EQ(written("\"a \"\"b\"\"\"*'min'"), "\"a \"\"b\"\"\"*\"min\"");
}

/// A text that can be parsed, as crooked as people and programs write them.
std::string any_formula(Random& random, int depth) {
  const auto part = [&] { return any_formula(random, depth - 1); };
  static const std::vector<std::string> atoms{
      "h",    "L ", "'global batch'", "[# GPUs]",        "time", "\"min\"", "12",
      "1e-3", ".5", "3e+20",          "\"a \"\"b\"\"\"", "side", "0.1",     "123456789.125"};
  if (depth == 0) return atoms[random.below(atoms.size())];
  switch (random.below(8)) {
    case 0:
      return part() + "+" + part();
    case 1:
      return part() + " - " + part();
    case 2:
      return part() + "*" + part();
    case 3:
      return "(" + part() + ")/(" + part() + ")";
    case 4:
      return "-" + part();
    case 5:
      return "(" + part() + ")^" + part();
    case 6:
      return "max( " + part() + " ," + part() + ")";
    default:
      return "(" + part() + ")";
  }
}

TEST(Formula, WhatIsWrittenIsReadAsTheSame) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto text = any_formula(random, static_cast<int>(random.below(6)));
    const auto first = Formula::parse(text, table());
    ASSERT_TRUE(first) << text << first.error().message;
    const auto second = Formula::parse(first->text(), table());
    ASSERT_TRUE(second) << first->text() << second.error().message;
    EXPECT_EQ(*first, *second) << text << " became " << first->text();
    EXPECT_EQ(first->text(), second->text());
  }
}

}  // namespace
}  // namespace neph::table
