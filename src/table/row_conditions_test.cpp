#include "table/row_conditions.hpp"

#include <gmock/gmock.h>

namespace neph::table {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

Table rows() {
  return *parse_table("# GPUs,model,side (px)\n2,A,32px\n4,A,64px\n8,B,32px\n4,B,128px\n", "t");
}

std::vector<bool> where(std::string_view conditions) { return *rows_where(conditions, rows()); }

std::string error_of(std::string_view conditions, const Table& table = rows()) {
  const auto found = rows_where(conditions, table);
  return found ? "" : found.error().message;
}

TEST(RowsWhere, AllConditionsHold) {
  EXPECT_THAT(where("# GPUs<=4"), ElementsAre(true, true, false, true));
  EXPECT_THAT(where("# gpus > 2&model!=B"), ElementsAre(false, true, false, false));
  EXPECT_THAT(where("# GPUs=2|8 & model=A|B"), ElementsAre(true, false, true, false));
}

TEST(RowsWhere, NumbersInTextsAreNumbers) {
  EXPECT_THAT(where("side<=32"), ElementsAre(true, false, true, false));
  EXPECT_THAT(where("side=64|128px"), ElementsAre(false, true, false, true));
}

TEST(RowsWhere, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("gpu<=4"), HasSubstr("gpu"));
  EXPECT_THAT(error_of("model"), HasSubstr("'model' is no condition"));
  EXPECT_THAT(error_of("model<B"), HasSubstr("texts have = and !="));
  EXPECT_THAT(error_of("# GPUs<four"), HasSubstr("one number"));
  EXPECT_THAT(error_of("# GPUs="), HasSubstr("no value behind"));
  EXPECT_THAT(error_of("model=Z", rows_of(rows(), {0, 1})), EndsWith("has 'Z' in 'model': it has A"))
      << "and not what was left out";
}

TEST(ValuesInWords, AreOfEachColumnOnce) {
  EXPECT_EQ(values_in_words("# GPUs>=4 & # GPUs<3 & model=A", rows()),
            "'# GPUs' has 2, 4, 8; 'model' has A, B");
}

}  // namespace
}  // namespace neph::table
