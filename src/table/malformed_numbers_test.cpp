#include "table/malformed_numbers.hpp"

#include <gtest/gtest.h>

namespace neph::table {
namespace {

using Texts = std::vector<std::string>;

Column column(const Texts& cells) {
  std::string text = "x\n";
  for (const auto& cell : cells) text += '"' + cell + "\"\n";
  return parse_table(text, "t")->columns[0];
}

std::string said_of(const Texts& cells) {
  const auto finding = nearly_numbers(column(cells));
  return finding ? finding->code + ": " + finding->message : "";
}

TEST(NearlyNumbers, SayWhatWouldMakeThemNumbers) {
  EXPECT_EQ(
      said_of({"512MB", "1GB"}),
      "mixed_units: 'x' has numbers in several units (GB, MB) and is taken for text: in one unit it would "
      "be a number");
  EXPECT_EQ(
      said_of({"1", "0,5", "-2,25e3"}),
      "decimal_comma: 'x' has numbers with a comma, as '0,5', and is taken for text: written 0.5 it would "
      "be a number");
  EXPECT_EQ(said_of({"1", "2", "n/a", "4", "", "-", "8", "n/a"}),
            "text_among_numbers: 'x' has numbers but for 'n/a', '-' and is taken for text: with empty cells "
            "instead it would be a number");
}

TEST(NearlyNumbers, AreNotNamesWithNumbersInThem) {
  for (const auto& names : {Texts{"p2", "p3"},
                            {"1", "n/a"},
                            {"1", "2", "3", "A100", "V100"},
                            {"1,2,3", "0,1"},
                            {"64px", "128px"},
                            {",", ""}})
    EXPECT_EQ(said_of(names), "") << names.front();
}

TEST(NearlyNumbers, SayWhyAColumnIsNoTarget) {
  EXPECT_EQ(why_no_number(column({"1.5", "", "OOM", "2"})),
            "is no number in row 3 ('OOM'): leave the row out if nothing was measured");
  EXPECT_EQ(why_no_number(column({"1", "2,536"})), "is no number in row 2 ('2,536'): write 2536 or 2.536");
  EXPECT_EQ(why_no_number(column({"1", "25,557,032"})),
            "is no number in row 2 ('25,557,032'): write 25557032");
  EXPECT_EQ(why_no_number(column({"12.5 ms"})),
            "is no number in row 1 ('12.5 ms'): write 12.5, and the unit into the heading");
  EXPECT_EQ(why_no_number(column({"VGG16"})),
            "is no number in row 1 ('VGG16'): a column of numbers is needed");
}

}  // namespace
}  // namespace neph::table
