#include "predict/explain/next_experiments.hpp"

#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "predict/models/noisy_work_test.hpp"

namespace neph::predict {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::set<std::string> texts_of(const table::Table& table) {
  std::set<std::string> texts;
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::string text;
    for (const auto& column : table.columns) text += column.text(row) + ",";
    texts.insert(text);
  }
  return texts;
}

table::Table table_of(const std::string& text) { return *table::parse_table(text, "table"); }

TEST(Unmeasured, IsTheGridWithoutWhatWasMeasured) {
  const auto found = candidate_grid(table_of("a,b\n1,x\n1,y\n2,x\n3,y\n2,z\n1,z\n"), 100, 1);
  EXPECT_THAT(texts_of(found), ElementsAre("2,y,", "3,x,", "3,z,"));
  EXPECT_THAT(texts_of(candidate_grid(table_of("a,b\n1,x\n1,y\n2,x\n2,y\n"), 100, 1)), IsEmpty());
}

TEST(Unmeasured, KeepsTogetherWhatFollowsFromAnother) {
  const auto points = table_of("machine,memory,batch\nm1,16,1\nm1,16,2\nm2,32,1\nm2,32,4\n");
  EXPECT_THAT(texts_of(candidate_grid(points, 100, 1)), ElementsAre("m1,16,4,", "m2,32,2,"));
}

TEST(Unmeasured, RunsNoMoreThreadsThanThereAreCores) {
  const auto points =
      table_of("cores,threads,batch\n2,1,1\n2,2,1\n2,2,8\n8,1,1\n8,2,8\n8,8,8\n8,8,64\n2,1,64\n");
  const auto found = candidate_grid(points, 100, 1);
  EXPECT_GT(found.rows, 0U);
  for (std::size_t row = 0; row < found.rows; ++row)
    EXPECT_LE(found.columns[1].numbers[row], found.columns[0].numbers[row]) << row;
}

/// Every third way to split 2, 4, 8, 16 cards at a batch; 10/3 of a picture per card and batch, rounded.
TEST(Unmeasured, HoldsWhatFollowsFromSeveralColumns) {
  std::string text = "cards,tensor,data,batch,pictures\n";
  int ways = 0;
  for (const int cards : {2, 4, 8, 16})
    for (int tensor = 1; tensor <= cards; tensor *= 2)
      for (const int batch : {10, 20, 40, 80})
        if (ways++ % 3 == 0)
          text += fmt::format("{},{},{},{},{:.0f}\n", cards, tensor, cards / tensor, batch,
                              cards * batch * 10 / 3.0);
  const auto points = table_of(text);
  for (const std::size_t most : {10U, 1'000'000U}) {
    const auto found = candidate_grid(points, most, 1);
    EXPECT_EQ(found.rows, most == 10 ? 10 : ways - points.rows) << "all other ways, if so many are wanted";
    for (std::size_t row = 0; row < found.rows; ++row) {
      const auto number = [&](std::size_t column) { return found.columns[column].numbers[row]; };
      EXPECT_EQ(number(0), number(1) * number(2)) << row;
      EXPECT_NEAR(number(4), number(0) * number(3) * 10 / 3, 0.5) << row;
    }
  }
}

TEST(Unmeasured, DrawsWhereThereAreMany) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("{},{},{}\n", i % 40, i * 7 % 50, i * 11 % 30);
  const auto points = table_of(text);
  const auto found = candidate_grid(points, 100, 1);
  EXPECT_THAT(texts_of(found), SizeIs(100)) << "all different";
  const auto measured = texts_of(points);
  for (const auto& row : texts_of(found)) EXPECT_FALSE(measured.contains(row)) << row;
  EXPECT_EQ(texts_of(found), texts_of(candidate_grid(points, 100, 1)));
  EXPECT_NE(texts_of(found), texts_of(candidate_grid(points, 100, 2)));
}

/// All of the slow machine, of the fast one only small work: what is missing is large work on the fast one.
TEST(Proposals, AreNotMeasuredAndApart) {
  std::string text = "work,machine,t\n";
  for (int work = 1; work <= 20; ++work) {
    text += fmt::format("{},m1,{}\n", work, 3.0 * work);
    if (work <= 4) text += fmt::format("{},m2,{}\n", work, 1.0 * work);
  }
  const auto profile = *predict::profile(table_of(text), "t");
  const auto made = *next_experiments(profile, {.method = Method::process});
  ASSERT_THAT(made, SizeIs(5));
  std::set<double> works;
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i].cells[1], "m2");
    EXPECT_GT(made[i].cells[0], 4);
    EXPECT_LT(made[i].low, made[i].value);
    works.insert(made[i].cells[0].get<double>());
    EXPECT_GT(made[i].gain, 0);
    if (i > 0) {
      EXPECT_LE(made[i].gain, made[i - 1].gain * (1 + 1e-9));
    }
  }
  EXPECT_THAT(works, SizeIs(5));
  EXPECT_GT(*works.rbegin(), 12) << "not all next to what is known";
}

/// Two rows are not measured, and eight that nobody can measure.
TEST(Proposals, AreNoneOfANetworkThatCannotBeBuilt) {
  const auto all = steps_of_networks();
  std::vector<std::size_t> rows(all.points.target.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::erase(rows, 2U);
  std::erase(rows, 20U);
  const auto made =
      *next_experiments(part_of(all, rows), {.roles = roles_of_networks, .method = Method::process});
  const auto missing = rows_of(all.points.features, {2, 20});
  std::set<std::string> proposed;
  for (const auto& proposal : made)
    proposed.insert(fmt::format("{},{},{},", proposal.cells[0].get<std::string>(),
                                proposal.cells[1].get<double>(), proposal.cells[2].get<double>()));
  EXPECT_EQ(proposed, texts_of(missing));
}

TEST(Proposals, AreNoneWhereAllIsMeasured) {
  EXPECT_THAT(*next_experiments(noisy_work(6), {.method = Method::process}), IsEmpty());
}

}  // namespace
}  // namespace neph::predict
