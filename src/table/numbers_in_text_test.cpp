#include "table/numbers_in_text.hpp"

#include <gmock/gmock.h>

namespace neph::table {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Column column(const std::string& cells) { return parse_table("x\n" + cells, "t")->columns[0]; }

TEST(NumbersInText, AreThoseInFrontOfTheSameText) {
  EXPECT_THAT(embedded_numbers(column("32px\n64px\n32px\n"))->numbers, ElementsAre(32, 64, 32));
  EXPECT_FALSE(embedded_numbers(column("32px\n64pt\n")));
  EXPECT_FALSE(embedded_numbers(column("p2.xlarge\np3.xlarge\n"))) << "a name, not a number";
  EXPECT_FALSE(embedded_numbers(column("2x4\n3x4\n")));
  EXPECT_THAT(embedded_numbers(column("1MB\n512 MB\n"))->numbers, ElementsAre(1, 512));
  for (const auto* word : {"inference\n", "nano\n", "1e999px\n"})
    EXPECT_FALSE(embedded_numbers(column(word))) << word;
}

TEST(NumbersInText, HaveAUnit) {
  EXPECT_EQ(unit_of(column("32px\n64px\n")), "px");
  EXPECT_EQ(unit_of(column("1.5 GB\n")), "GB");
  EXPECT_EQ(unit_of(column("32\n64\n")), "");
  EXPECT_EQ(unit_of(column("p2\np3\n")), "");
}

TEST(NumbersInText, AreGivenAUnit) {
  const auto text = in_unit(column("32\nnan\n64.5\n32\n"), "px");
  EXPECT_THAT(text.levels, ElementsAre("32px", "64.5px"));
  EXPECT_THAT(text.codes, ElementsAre(0, -1, 1, 0));
  EXPECT_THAT(in_unit(column("32 px\n32px\n32.0px\n"), "px").levels, ElementsAre("32px"));
}

TEST(NumbersInText, HaveSeveralUnitsOfOneKind) {
  EXPECT_THAT(units_of_one_kind(column("1MB\n512 MB\n2GB\n")), ElementsAre("GB", "MB"));
  EXPECT_THAT(units_of_one_kind(column("1s\n2ms\n")), ElementsAre("ms", "s"));
  EXPECT_THAT(units_of_one_kind(column("32px\n64px\n")), ElementsAre("px"));
  for (const auto* cells : {"3080\n4090 Ti\n", "4090 Ti\n4090 D\n", "8n\n8m\n", "p2\np3\n", "2x4\n3x4\n"})
    EXPECT_THAT(units_of_one_kind(column(cells)), IsEmpty()) << cells;
}

}  // namespace
}  // namespace neph::table
