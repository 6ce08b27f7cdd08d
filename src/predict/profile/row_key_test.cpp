#include "predict/profile/row_key.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using testing::ElementsAre;

const double nothing = std::numeric_limits<double>::quiet_NaN();

TEST(AlikeGroups, AreInTheOrderOfTheirKeys) {
  const AlikeGroups groups(RowKeys{{7, 3, 7, 9, 3, 7}});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_THAT(groups[0], ElementsAre(1, 4));
  EXPECT_THAT(groups[1], ElementsAre(0, 2, 5));
  EXPECT_THAT(groups[2], ElementsAre(3));
  EXPECT_EQ(AlikeGroups(RowKeys()).size(), 0U);
}

TEST(RowKeys, AreEqualWhereRowsAre) {
  table::Table table{.source = "t", .rows = 5};
  table.columns.push_back({.name = "a", .numbers = {0.0, -0.0, nothing, nothing, 1}});
  table.columns.push_back({.name = "b", .numbers = {2, 2, 2, 2, 0}});
  table.columns.push_back({.name = "c", .codes = {0, 0, -1, 0, 0}, .levels = {"x"}});
  const auto keys = keys_of(table, {0, 1, 2}, {0, 1, 2, 3, 4});
  EXPECT_EQ(keys[0], keys[1]) << "0 and -0";
  EXPECT_NE(keys[2], keys[3]) << "an empty cell is none of the levels";
  EXPECT_NE(keys[0], keys[3]) << "and no 0";
  const RowKeys without = keys - keys_of(table.columns[2], {0, 1, 2, 3, 4});
  EXPECT_EQ(without[2], without[3]) << "without the column they are alike";
  EXPECT_TRUE((without == keys_of(table, {0, 1}, {0, 1, 2, 3, 4})).all());
  EXPECT_NE(keys_of(table.columns[0], {0})[0], keys_of(table.columns[1], {4})[0])
      << "the same number in another column is another cell";
}

TEST(RowKeys, DependOnNoOrder) {
  table::Table table{.source = "t", .rows = 2}, turned{.source = "t", .rows = 2};
  table.columns = {{.name = "a", .numbers = {1, 2}}, {.name = "b", .codes = {0, 1}, .levels = {"x", "y"}}};
  turned.columns = {{.name = "b", .codes = {0, 1}, .levels = {"y", "x"}}, {.name = "a", .numbers = {2, 1}}};
  EXPECT_TRUE((keys_of(table, {0, 1}, {0, 1}) == keys_of(turned, {1, 0}, {1, 0})).all());
}

/// Against a comparison of all with all.
TEST(RowKeys, GroupRandomRowsAsTheirValuesSay) {
  Random random(1);
  table::Table table{.source = "t", .rows = 300};
  for (int column = 0; column < 3; ++column) {
    table.columns.push_back({.name = std::to_string(column)});
    for (std::size_t row = 0; row < table.rows; ++row)
      table.columns.back().numbers.push_back(random.below(4) == 0 ? nothing
                                                                  : static_cast<double>(random.below(5)) / 3);
  }
  std::vector<std::size_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto keys = keys_of(table, {0, 1, 2}, rows);
  for (const auto a : rows)
    for (const auto b : rows) {
      const bool alike = std::ranges::all_of(table.columns, [&](const table::Column& column) {
        return column.is_empty(a) ? column.is_empty(b) : column.numbers[a] == column.numbers[b];
      });
      ASSERT_EQ(keys[a] == keys[b], alike) << a << " " << b;
    }
}

}  // namespace
}  // namespace neph::predict
