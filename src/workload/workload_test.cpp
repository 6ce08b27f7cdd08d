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

TEST(Workload, EachHasAViewOfItsOwn) {
  for (const auto& workload : workloads()) EXPECT_EQ(view_of(workload.name).workload, workload.name);
}

}  // namespace
}  // namespace neph::workload
