#include "workload/workload.hpp"

#include <gtest/gtest.h>

#include "record/views.hpp"

namespace neph::workload {
namespace {

using Bound = RuntimeEstimate::Bound;

TEST(RuntimeEstimate, OfAllRunsIsThatOfTheCellsTogether) {
  const auto of = [](std::vector<RuntimeEstimate> cells, std::int64_t runs) {
    const auto all = all_runs(cells, runs);
    return std::pair(all.run_s, all.bound);
  };
  EXPECT_EQ(of({{2}, {4}}, 10), std::pair(30.0, Bound::about));
  EXPECT_EQ(of({{2, Bound::at_most}, {4, Bound::at_most}}, 2), std::pair(6.0, Bound::at_most));
  EXPECT_EQ(of({{2, Bound::at_most}, {4}}, 2).second, Bound::about);
  EXPECT_EQ(of({{2, Bound::at_most}, {4, Bound::at_least}, {4}}, 2).second, Bound::at_least);
}

TEST(PreparedCells, AreTheSameAfterTheyWereTold) {
  PreparedCells cells;
  cells.push_back(launch::Files{{.field = "model", .path = "a b.onnx", .obviates = {"classes", "side"}},
                                {.field = "", .path = "a.bin"}});
  cells.push_back(tl::unexpected(Error{ErrorCode::corrupt, "cut short", "take another"}));
  cells.push_back(launch::Files{});
  const auto same = *prepared_cells(as_result(cells));
  ASSERT_EQ(same.size(), 3u);
  ASSERT_EQ(same[0]->size(), 2u);
  EXPECT_EQ(same[0]->at(0).field, "model");
  EXPECT_EQ(same[0]->at(0).path, "a b.onnx");
  EXPECT_EQ(same[0]->at(0).obviates, (std::vector<std::string>{"classes", "side"}));
  EXPECT_EQ(same[0]->at(1).path, "a.bin");
  EXPECT_EQ(same[1].error().code, ErrorCode::corrupt);
  EXPECT_EQ(same[1].error().text(), "cut short; take another");
  EXPECT_TRUE(same[2]->empty());
}

TEST(Workload, EachHasAViewOfItsOwn) {
  for (const auto& workload : workloads()) EXPECT_EQ(view_of(workload.name).workload, workload.name);
}

}  // namespace
}  // namespace neph::workload
